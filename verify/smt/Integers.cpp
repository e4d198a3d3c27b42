#include "verify/smt/Integers.h"

#include <chrono>
#include <vector>
#include <z3.h>

namespace tlx::verify::smt {

struct Integers::Impl {
  Z3_context context = nullptr;
  Z3_solver solver = nullptr;
  Z3_sort integer = nullptr;
  std::vector<Z3_ast> terms;
  bool broken = false;

  Term keep(Z3_ast ast) {
    if (!ast || Z3_get_error_code(context) != Z3_OK)
      broken = true;
    terms.push_back(ast);
    return static_cast<Term>(terms.size()) - 1;
  }
  Z3_ast number(int64_t value) { return Z3_mk_int64(context, value, integer); }
};

Integers::Integers() : impl(std::make_unique<Impl>()) {
  Z3_config config = Z3_mk_config();
  // Not reference counted: terms live as long as the context.
  impl->context = Z3_mk_context(config);
  Z3_del_config(config);
  // Errors are looked up, never thrown: the caller may be built without them.
  Z3_set_error_handler(impl->context, [](Z3_context, Z3_error_code) {});
  impl->integer = Z3_mk_int_sort(impl->context);
  impl->solver = Z3_mk_simple_solver(impl->context);
  Z3_solver_inc_ref(impl->context, impl->solver);
}

Integers::~Integers() {
  Z3_solver_dec_ref(impl->context, impl->solver);
  Z3_del_context(impl->context);
}

size_t Integers::count() const { return impl->terms.size(); }

Integers::Term Integers::constant(int64_t value) { return impl->keep(impl->number(value)); }

Integers::Term Integers::variable(const std::string &name) {
  Z3_symbol symbol = Z3_mk_string_symbol(impl->context, name.c_str());
  return impl->keep(Z3_mk_const(impl->context, symbol, impl->integer));
}

Integers::Term Integers::add(Term a, Term b) {
  Z3_ast both[] = {impl->terms[a], impl->terms[b]};
  return impl->keep(Z3_mk_add(impl->context, 2, both));
}

Integers::Term Integers::multiply(Term a, Term b) {
  Z3_ast both[] = {impl->terms[a], impl->terms[b]};
  return impl->keep(Z3_mk_mul(impl->context, 2, both));
}

Integers::Term Integers::divide(Term a, Term b) {
  Z3_context c = impl->context;
  Z3_ast x = impl->terms[a], y = impl->terms[b];
  // Z3 rounds so that the remainder is not negative; the IR towards zero.
  Z3_ast negated = Z3_mk_unary_minus(c, Z3_mk_div(c, Z3_mk_unary_minus(c, x), y));
  return impl->keep(Z3_mk_ite(c, Z3_mk_ge(c, x, impl->number(0)), Z3_mk_div(c, x, y), negated));
}

Integers::Term Integers::remainder(Term a, Term b) {
  Term quotient = divide(a, b);
  return add(a, multiply(constant(-1), multiply(quotient, b)));
}

Integers::Term Integers::minimum(Term a, Term b) { return select(less(a, b), a, b); }
Integers::Term Integers::maximum(Term a, Term b) { return select(less(a, b), b, a); }

Integers::Term Integers::equal(Term a, Term b) {
  Z3_context c = impl->context;
  return impl->keep(
      Z3_mk_ite(c, Z3_mk_eq(c, impl->terms[a], impl->terms[b]), impl->number(1), impl->number(0)));
}

Integers::Term Integers::less(Term a, Term b) {
  Z3_context c = impl->context;
  return impl->keep(
      Z3_mk_ite(c, Z3_mk_lt(c, impl->terms[a], impl->terms[b]), impl->number(1), impl->number(0)));
}

Integers::Term Integers::select(Term condition, Term a, Term b) {
  Z3_context c = impl->context;
  Z3_ast zero = Z3_mk_eq(c, impl->terms[condition], impl->number(0));
  return impl->keep(Z3_mk_ite(c, zero, impl->terms[b], impl->terms[a]));
}

void Integers::assertAtLeast(Term term, int64_t bound) {
  if (!impl->broken)
    Z3_solver_assert(impl->context, impl->solver,
                     Z3_mk_ge(impl->context, impl->terms[term], impl->number(bound)));
}

void Integers::assertAtMost(Term term, int64_t bound) {
  if (!impl->broken)
    Z3_solver_assert(impl->context, impl->solver,
                     Z3_mk_le(impl->context, impl->terms[term], impl->number(bound)));
}

void Integers::reset() {
  Z3_solver_reset(impl->context, impl->solver);
  impl->terms.clear();
  impl->broken = false;
}

static thread_local double spentInCheck = 0;

double Integers::secondsSpent() { return spentInCheck; }

Answer Integers::check(unsigned effort) {
  if (impl->broken)
    return Answer::Unknown;
  Z3_context c = impl->context;
  Z3_params params = Z3_mk_params(c);
  Z3_params_inc_ref(c, params);
  Z3_params_set_uint(c, params, Z3_mk_string_symbol(c, "rlimit"), effort);
  // Real algebra (nlsat) counts no steps: products of unknowns would take for ever.
  Z3_params_set_bool(c, params, Z3_mk_string_symbol(c, "arith.nl.nra"), false);
  // Ctrl-C is the prover's to obey: Z3 would take the signal, and only end this question.
  Z3_params_set_bool(c, params, Z3_mk_string_symbol(c, "ctrl_c"), false);
  Z3_solver_set_params(c, impl->solver, params);
  Z3_params_dec_ref(c, params);
  auto start = std::chrono::steady_clock::now();
  Z3_lbool answer = Z3_solver_check(c, impl->solver);
  spentInCheck += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  switch (answer) {
  case Z3_L_TRUE: return Answer::Satisfiable;
  case Z3_L_FALSE: return Answer::Unsatisfiable;
  default: return Answer::Unknown;
  }
}

std::optional<int64_t> Integers::value(Term term) {
  Z3_context c = impl->context;
  Z3_model model = Z3_solver_get_model(c, impl->solver);
  if (!model)
    return std::nullopt;
  Z3_model_inc_ref(c, model);
  Z3_ast result = nullptr;
  int64_t number = 0;
  bool known = Z3_model_eval(c, model, impl->terms[term], true, &result) &&
               Z3_get_numeral_int64(c, result, &number);
  Z3_model_dec_ref(c, model);
  return known ? std::optional(number) : std::nullopt;
}

} // namespace tlx::verify::smt
