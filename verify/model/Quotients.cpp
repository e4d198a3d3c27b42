//===- Quotients.cpp - divisions in closed forms --------------------------===//

#include "verify/model/Linear.h"

#include <map>
#include <numeric>

using namespace tlx::verify;

/// What `divisor`, an unknown (contract: not zero), is multiplied with to give `form`: a loop of
/// step P counts its iterations as (i * P) / P.
std::optional<LinId> Linears::multipleOf(LinId form, LinId divisor) {
  const LinForm dividend = forms[form];
  if (forms[divisor].terms.empty() || dividend.c != 0 || dividend.terms.size() != 1)
    return std::nullopt;
  if (form == divisor)
    return intern({1, {}});
  auto [id, scale] = dividend.terms[0];
  const LinTerm term = terms[id];
  if (term.kind != LinTerm::Operation || static_cast<Op>(term.value) != Op::Mul)
    return std::nullopt;
  for (int i : {0, 1})
    if (term.operands[i] == divisor)
      return add(intern({0, {}}), term.operands[1 - i], scale);
  return std::nullopt;
}

/// A quotient by P for one by 2 * P or of what has P in it more than once, so that loops of
/// steps P and 2 * P say what they share: x / (2 P) = (x / P) / 2, (x + 2 P) / P = (x + P) / P + 1.
std::optional<LinId> Linears::byUnknown(LinId form, LinId divisor) {
  const LinForm by = forms[divisor];
  if (by.terms.size() != 1 || by.c != 0 || by.terms[0].second < 1)
    return std::nullopt;
  auto [unknown, times] = by.terms[0];
  LinId one = intern({0, {{unknown, 1}}});
  if (times > 1)
    return operation(Op::Div, 0, {operation(Op::Div, 0, {form, one}), intern({times, {}})});
  for (auto [t, coef] : LinForm(forms[form]).terms)
    if (t == unknown && coef > 1)
      return add(operation(Op::Div, 0, {add(form, one, 1 - coef), one}), intern({coef - 1, {}}));
  return std::nullopt;
}

/// Quotient and remainder where what is no multiple of a constant divisor is less than it:
/// (2 c + 1) / 2 is c, so that CTAs of a cluster of two know which cluster they are of.
std::optional<std::pair<LinId, LinId>> Linears::byNumber(LinId form, LinId divisor) {
  int64_t by = forms[divisor].terms.empty() ? forms[divisor].c : 0;
  if (by < 1 || range(forms[form]).first < 0)
    return std::nullopt;
  LinForm quotient{forms[form].c / by, {}}, rest{forms[form].c % by, {}};
  if (rest.c < 0)
    quotient.c--, rest.c += by;
  for (auto [t, coef] : forms[form].terms)
    if (coef % by == 0)
      quotient.terms.emplace_back(t, coef / by);
    else
      rest.terms.emplace_back(t, coef);
  auto [least, most] = range(rest);
  if (least < 0 || most >= by)
    return std::nullopt;
  return std::pair{intern(std::move(quotient)), intern(std::move(rest))};
}

/// In a comparison with integers a quotient is what is divided, compared with multiples:
///   x / s + r >= 1  <=>  x + s r - (s - 1) >= 1       r - x / s >= 1  <=>  s r - x >= 1
LinId Linears::withoutQuotient(LinId id) {
  // Quotients of sizes by blocks are the number of blocks for everybody.
  constexpr int64_t mostUnrolled = 8;
  LinForm form = forms[id];
  int64_t common = 0;
  for (auto [t, coef] : form.terms)
    common = std::gcd(common, coef);
  if (common > 1) {
    for (auto &[t, coef] : form.terms)
      coef /= common;
    int64_t c = form.c - 1;
    form.c = c / common - (c % common < 0) + 1;
  }
  auto divisor = [&](int t) {
    const LinTerm &term = terms[t];
    bool divides = term.kind == LinTerm::Operation && static_cast<Op>(term.value) == Op::Div;
    return divides && forms[term.operands[1]].terms.empty() ? forms[term.operands[1]].c : 0;
  };
  std::optional<std::pair<int, int64_t>> quotient;
  for (auto piece : form.terms) {
    if (divisor(piece.first) < 2 || terms[piece.first].name == ExactTrips)
      continue;
    if (quotient || std::abs(piece.second) != 1)
      return id;
    quotient = piece;
  }
  if (!quotient)
    return id;
  auto [divided, sign] = *quotient;
  int64_t s = divisor(divided);
  const LinForm x = forms[terms[divided].operands[0]];
  if (x.terms.size() != 1 || x.terms[0].second != 1 || range(x).first < 0)
    return id;
  const LinTerm &inner = terms[x.terms[0].first];
  bool nested = inner.kind == LinTerm::Operation && static_cast<Op>(inner.value) == Op::Div;
  if (!nested && !(inner.kind == LinTerm::Sym && s <= mostUnrolled))
    return id;
  LinId result = intern({s * form.c - (sign > 0 ? s - 1 : 0), {}});
  result = add(result, terms[divided].operands[0], sign);
  for (auto [t, coef] : LinForm(form).terms) {
    if (t == divided)
      continue;
    int64_t stride = divisor(t);
    if (stride < 2)
      result = add(result, intern({0, {{t, 1}}}), s * coef);
    else if (s * coef % stride == 0)
      result = add(result, terms[t].operands[0], s * coef / stride);
    else
      return id;
  }
  return withoutQuotient(result);
}

std::pair<LinForm, LinForm> Linears::sides(const LinForm &form, int64_t bound) const {
  constexpr int64_t Most = int64_t(1) << 31; // products of two stay in range
  std::pair<LinForm, LinForm> asItIs(form, {bound, {}});
  if (form.terms.size() != 1 || form.terms[0].second != 1 || bound < 1 || bound >= Most)
    return asItIs;
  const LinTerm &term = terms[form.terms[0].first];
  if (term.kind != LinTerm::Operation || static_cast<Op>(term.value) != Op::Div)
    return asItIs;
  const LinForm &dividend = forms[term.operands[0]], &divisor = forms[term.operands[1]];
  if (range(divisor).first < 1)
    return asItIs;
  std::map<int, int64_t> sum; // dividend - bound * divisor >= 0
  int64_t constant = dividend.c;
  auto add = [&](const LinForm &part, int64_t times) {
    for (auto [t, coef] : part.terms) {
      if (coef <= -Most || coef >= Most)
        return false;
      sum[t] += coef * times;
    }
    return part.c > -Most && part.c < Most;
  };
  if (!add(dividend, 1) || !add(divisor, -bound))
    return asItIs;
  constant -= bound * divisor.c;
  LinForm more{std::max<int64_t>(constant, 0), {}}, less{std::max<int64_t>(-constant, 0), {}};
  for (auto [t, coef] : sum)
    if (coef > 0)
      more.terms.emplace_back(t, coef);
    else if (coef < 0)
      less.terms.emplace_back(t, -coef);
  return {std::move(more), std::move(less)};
}

std::pair<LinForm, int64_t> Linears::undivided(const LinForm &form, int64_t bound,
                                               int64_t *blocks) const {
  if (form.terms.size() == 1 && form.terms[0].second == 1) {
    const LinTerm &term = terms[form.terms[0].first];
    int64_t quotient = bound - form.c;
    if (term.kind == LinTerm::Operation && static_cast<Op>(term.value) == Op::Div &&
        quotient >= 1) {
      const LinForm &divisor = forms[term.operands[1]];
      if (divisor.terms.empty() && divisor.c > 0) {
        if (blocks)
          *blocks *= divisor.c;
        return undivided(forms[term.operands[0]], quotient * divisor.c, blocks);
      }
    }
  }
  LinForm bare = form;
  bare.c = 0;
  return {bare, bound - form.c};
}
