// What forms are when values are known: of some symbols and iterations, or of all.

#include "verify/model/Linear.h"

using namespace tlx::verify;

std::optional<LinId> Linears::at(LinId id, const Numbers &numbers) {
  const LinForm form = forms[id];
  LinId sum = intern({form.c, {}});
  for (auto [t, coef] : form.terms) {
    LinTerm term = terms[t];
    std::optional<LinId> piece;
    auto depth = static_cast<size_t>(term.value);
    if (term.kind == LinTerm::Ord && depth <= numbers.iterations.size()) {
      piece = intern({numbers.iterations[depth - 1], {}});
    } else if (term.kind == LinTerm::Sym) {
      auto known = numbers.symbols.find(term.value);
      if (known != numbers.symbols.end())
        piece = intern({known->second, {}});
      else if (program.exprs.symbols[term.value].ofLaunch)
        piece = intern({0, {{t, 1}}});
    } else if (term.kind == LinTerm::Operation) {
      Op op = static_cast<Op>(term.value);
      bool known = op != Op::Opaque || !program.exprs.opaques[term.name].sequence;
      for (LinId &operand : term.operands) {
        std::optional<LinId> one = at(operand, numbers);
        known &= one.has_value();
        operand = one.value_or(operand);
      }
      if (known)
        piece = operation(op, term.name, std::move(term.operands));
    }
    if (!piece)
      return std::nullopt;
    sum = add(sum, *piece, coef);
  }
  return sum;
}

std::optional<int64_t>
Linears::evaluate(const LinForm &form,
                  const std::function<std::optional<int64_t>(int64_t)> &valueOf) const {
  int64_t sum = form.c;
  for (auto [t, coef] : form.terms) {
    const LinTerm &term = terms[t];
    std::optional<int64_t> value;
    if (term.kind == LinTerm::Sym) {
      value = valueOf(term.value);
    } else if (term.kind == LinTerm::Operation) {
      std::vector<int64_t> operands;
      for (LinId operand : term.operands)
        if (auto v = evaluate(forms[operand], valueOf))
          operands.push_back(*v);
      int64_t result;
      Op op = static_cast<Op>(term.value);
      if (operands.size() != term.operands.size())
        return std::nullopt;
      if (op == Op::Select && operands.size() == 3)
        value = operands[0] ? operands[1] : operands[2];
      else if (operands.size() == 2 && foldBinary(op, operands[0], operands[1], result))
        value = result;
    }
    if (!value)
      return std::nullopt;
    sum += coef * *value;
  }
  return sum;
}
