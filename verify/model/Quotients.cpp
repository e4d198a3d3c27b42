//===- Quotients.cpp - divisions in closed forms --------------------------===//

#include "verify/model/Linear.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

using namespace tlx::verify;

/// The form as a number times the rest.
std::pair<int64_t, LinId> Linears::factored(LinId id) {
  LinForm form = forms[id];
  int64_t common = std::abs(form.c);
  for (auto [t, coef] : form.terms)
    common = std::gcd(common, coef);
  if (common < 2)
    return {1, id};
  form.c /= common;
  for (auto &[t, coef] : form.terms)
    coef /= common;
  return {common, intern(std::move(form))};
}

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
  auto [times, rest] = factored(divisor); // products are of factors without numbers
  for (int i : {0, 1})
    if (scale % times == 0 && term.operands[i] == rest)
      return add(intern({0, {}}), term.operands[1 - i], scale / times);
  return std::nullopt;
}

/// A quotient by P for one by 2 * P or of what has P in it more than once, so that loops of
/// steps P and 2 * P say what they share: x / (2 P) = (x / P) / 2, (x + 2 P) / P = (x + P) / P + 1.
/// And (2 y + 1) / (2 P) = y / P: the CTAs of a pair work on one tile.
std::optional<LinId> Linears::byUnknown(LinId form, LinId divisor) {
  if (auto [common, rest] = factored(divisor); common > 1 && !forms[rest].terms.empty())
    if (std::optional<LinId> whole = byNumber(Op::Div, form, common);
        whole && forms[*whole].terms.size() <= forms[form].terms.size() &&
        std::all_of(forms[*whole].terms.begin(), forms[*whole].terms.end(), [&](const auto &piece) {
          return std::any_of(forms[form].terms.begin(), forms[form].terms.end(),
                             [&](const auto &other) { return other.first == piece.first; });
        }))
      return operation(Op::Div, 0, {*whole, rest});
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

/// x = c (x / c) + x % c, and x / c + (x % c != 0) = (x + c - 1) / c: what of it says the same
/// with fewer terms.
bool Linears::cancelQuotient(LinForm &form) {
  auto coefficient = [&](int term) {
    auto at = std::lower_bound(form.terms.begin(), form.terms.end(), std::pair(term, INT64_MIN));
    return at != form.terms.end() && at->first == term ? at->second : 0;
  };
  auto isOf = [&](const LinTerm &term, Op op) {
    return term.kind == LinTerm::Operation && static_cast<Op>(term.value) == op && !term.name &&
           forms[term.operands[1]].terms.empty();
  };
  auto twin = [&](const LinTerm &term, Op op) {
    auto it = termIds.find({LinTerm::Operation, static_cast<int64_t>(op), 0, term.operands});
    return it == termIds.end() ? -1 : it->second;
  };
  auto addTimes = [&](const LinForm &what, int64_t times) {
    for (auto [t, coef] : what.terms)
      form.terms.emplace_back(t, coef * times);
    form.c += what.c * times;
  };
  for (auto [t, k] : form.terms) {
    const LinTerm term = terms[t];
    if (isOf(term, Op::Eq) && forms[term.operands[1]].c == 0) { // x % c == 0
      const LinForm rest = forms[term.operands[0]];
      const LinTerm of = rest.terms.size() == 1 ? terms[rest.terms[0].first] : term;
      int quotient = isOf(of, Op::Rem) ? twin(of, Op::Div) : -1;
      if (quotient < 0 || coefficient(quotient) != -k || rest.c || rest.terms[0].second != 1 ||
          range(forms[of.operands[0]]).first < 0)
        continue;
      LinId up = add(of.operands[0], add(of.operands[1], intern({1, {}}), -1));
      LinId roundedUp = operation(Op::Div, 0, {up, of.operands[1]});
      addTimes({0, {{t, 1}, {quotient, -1}}}, -k);
      addTimes(forms[roundedUp], -k);
      form.c += k;
      return true;
    }
    if (term.kind == LinTerm::Operation && static_cast<Op>(term.value) == Op::Div &&
        term.name == ExactTrips && k % forms[term.operands[1]].c == 0) {
      addTimes({0, {{t, 1}}}, -k);
      addTimes(forms[term.operands[0]], k / forms[term.operands[1]].c);
      return true;
    }
    bool divides = isOf(term, Op::Div);
    int other = divides ? twin(term, Op::Rem) : isOf(term, Op::Rem) ? twin(term, Op::Div) : -1;
    if (other < 0)
      continue;
    const LinForm x = forms[term.operands[0]];
    int64_t c = forms[term.operands[1]].c, times = divides ? k / c : k; // of x, to be added
    bool isThere = std::all_of(x.terms.begin(), x.terms.end(), [&, n = times](const auto &piece) {
      return coefficient(piece.first) == -piece.second * n;
    });
    if (divides ? k % c == 0 && isThere : isThere || coefficient(other) == k * c) {
      addTimes({0, {{t, 1}}}, -k);
      addTimes(x, times);
      addTimes({0, {{other, 1}}}, divides ? -times : -k * c);
      return true;
    }
  }
  return false;
}

/// Operations with numbers as quotients and remainders, without multiples of the number:
///   (64 a + b) / 64 = a + b / 64     x >> k = x / 2^k     x & 2^k - 1 = x % 2^k
///   x & -2^k = x - x % 2^k           condition == 0  is  1 - condition
/// Divisions round towards zero: only for what is not negative.
std::optional<LinId> Linears::byNumber(Op op, LinId id, int64_t by) {
  const LinForm form = forms[id];
  auto number = [&](int64_t n) { return intern({n, {}}); };
  if (op == Op::Eq && by == 0 && range(form) == std::pair<int64_t, int64_t>(0, 1))
    return add(number(1), id, -1);
  if (range(form).first < 0)
    return std::nullopt;
  switch (op) {
  case Op::Shr:
    if (by < 0 || by > 40)
      return std::nullopt;
    return operation(Op::Div, 0, {id, number(int64_t(1) << by)});
  case Op::And:
    if (by > 0 && (by & (by + 1)) == 0)
      return operation(Op::Rem, 0, {id, number(by + 1)});
    if (by < -1 && by > INT32_MIN && std::has_single_bit(static_cast<uint64_t>(-by)))
      return add(id, operation(Op::Rem, 0, {id, number(-by)}), -1);
    return std::nullopt;
  case Op::Div:
  case Op::Rem: break;
  default: return std::nullopt;
  }
  if (by < 2)
    return std::nullopt;
  int64_t left = (form.c % by + by) % by;
  LinForm multiples{form.c - left, {}}, rest{left, {}};
  for (auto piece : form.terms)
    (piece.second % by ? rest : multiples).terms.push_back(piece);
  auto [least, most] = range(rest);
  if (least < 0)
    return std::nullopt;
  bool whole = multiples.terms.empty() && multiples.c == 0;
  multiples.c /= by;
  for (auto &[t, coef] : multiples.terms)
    coef /= by;
  // What is no multiple may be less than the divisor: CTAs of a cluster of two know which
  // cluster they are of, (2 c + 1) / 2 is c.
  if (most < by)
    return intern(op == Op::Rem ? rest : multiples);
  if (whole && op == Op::Div && by == 2 && form.c == 1 && range({0, form.terms}).first >= 0) {
    LinId before = add(id, number(1), -1); // (x + 1) / 2 = x - x / 2
    return add(before, operation(op, 0, {before, number(by)}), -1);
  }
  if (whole)
    return std::nullopt;
  LinId quotient = intern(std::move(multiples));
  LinId ofRest = operation(op, 0, {intern(std::move(rest)), number(by)});
  return op == Op::Rem ? ofRest : add(quotient, ofRest);
}

/// Where a loop's bound is a multiple of a quotient, another may run over the quotient; where
/// it starts there, another ends there.
void Linears::keepQuotients(LinId id, bool start, const Pace &pace) {
  const LinForm &form = forms[id];
  int64_t common = 0;
  for (auto [t, coef] : form.terms)
    common = std::gcd(common, terms[t].kind == LinTerm::Ord ? coef * pace.stride : coef);
  for (auto [t, coef] : form.terms) {
    const LinTerm &term = terms[t];
    if (term.kind == LinTerm::Operation && static_cast<Op>(term.value) == Op::Div &&
        (start || std::abs(coef) > common))
      kept.insert(t);
  }
}

int64_t Linears::least(LinId id) {
  constexpr size_t mostParts = 4; // each is looked into
  const LinForm form = forms[id];
  int64_t known = range(form).first;
  if (known >= 0 || form.terms.size() > mostParts)
    return known;
  for (auto [t, k] : form.terms) {
    const LinTerm term = terms[t];
    Op op = term.kind == LinTerm::Operation ? static_cast<Op>(term.value) : Op::Const;
    LinId rest = add(id, intern({0, {{t, 1}}}), -k);
    if (op == Op::Min || op == Op::Max) { // it is one of the two, and beyond neither
      int64_t a = least(add(rest, term.operands[0], k)), b = least(add(rest, term.operands[1], k));
      bool beyond = (op == Op::Min) == (k < 0);
      known = std::max(known, beyond ? std::max(a, b) : std::min(a, b));
    } else if (op == Op::Div && k < 0 && forms[term.operands[1]].terms.empty() &&
               range(forms[term.operands[0]]).first >= 0 && forms[term.operands[1]].c > 0) {
      int64_t c = forms[term.operands[1]].c; // x / c is at most x, c times
      int64_t all = least(add(add(intern({0, {}}), rest, c), term.operands[0], k));
      known = std::max(known, all >= 0 ? all / c : known);
    }
  }
  return known;
}

LinId Linears::balanced(LinId id) {
  const LinForm form = forms[id];
  LinId sum = intern({form.c, {}}), zero = intern({0, {}});
  for (auto [t, coef] : form.terms) {
    const LinTerm term = terms[t];
    Op op = term.kind == LinTerm::Operation ? static_cast<Op>(term.value) : Op::Const;
    LinId piece = intern({0, {{t, 1}}});
    if (op == Op::Min || op == Op::Max) {
      // min(a, b) = b + min(a - b, 0), min(-d, 0) = min(d, 0) - d, max(a, b) = a + b - min(a, b)
      LinId a = balanced(term.operands[0]), b = balanced(term.operands[1]), d = add(a, b, -1);
      LinId least = b;
      if (!forms[d].terms.empty() && forms[d].terms[0].second < 0) {
        least = add(least, d);
        d = add(zero, d, -1);
      }
      least = add(least, operation(Op::Min, 0, {d, zero}));
      piece = op == Op::Min ? least : add(add(a, b), least, -1);
    }
    sum = add(sum, piece, coef);
  }
  return sum;
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
    bool divides = term.kind == LinTerm::Operation && static_cast<Op>(term.value) == Op::Div &&
                   term.name != ExactPart;
    return divides && forms[term.operands[1]].terms.empty() ? forms[term.operands[1]].c : 0;
  };
  auto coefficientOf = [&](int t) {
    return std::find_if(form.terms.begin(), form.terms.end(),
                        [&](const auto &piece) { return piece.first == t; })
        ->second;
  };
  int paced = -1;
  std::optional<std::pair<int, int64_t>> quotient;
  for (auto piece : form.terms) {
    if (divisor(piece.first) < 2 || kept.contains(piece.first))
      continue;
    if (terms[piece.first].name == ExactTrips) {
      paced = piece.first;
      continue;
    }
    if (quotient || std::abs(piece.second) != 1)
      return id;
    quotient = piece;
  }
  if (!quotient && paced >= 0) { // f - o / s >= 1  <=>  s f - o >= s
    int64_t s = divisor(paced);
    LinId undivided = intern({1 - s, {}});
    undivided = add(undivided, intern(form), s);
    undivided = add(undivided, intern({0, {{paced, 1}}}), -s * coefficientOf(paced));
    undivided = add(undivided, terms[paced].operands[0], coefficientOf(paced));
    return withoutQuotient(undivided);
  }
  if (!quotient)
    return byBlocks(form);
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
    // Quotients that are kept leave a remainder, others do not.
    int64_t stride = terms[t].name == ExactTrips ? divisor(t) : 0;
    if (stride < 2)
      result = add(result, intern({0, {{t, 1}}}), s * coef);
    else if (s * coef % stride == 0)
      result = add(result, terms[t].operands[0], s * coef / stride);
    else
      return id;
  }
  return withoutQuotient(result);
}

/// `x - 64 k >= 1` as `(x + 63) / 64 - k >= 1`, where somebody asks for that quotient. Of an x
/// below zero, of which quotients round up, neither is so for any k from 0 on.
LinId Linears::byBlocks(const LinForm &form) {
  LinForm x = form;
  auto ord = std::find_if(x.terms.begin(), x.terms.end(), [&](const auto &piece) {
    return terms[piece.first].kind == LinTerm::Ord;
  });
  if (ord == x.terms.end() || ord->second > -2)
    return intern(form);
  auto [depth, by] = *ord;
  by = -by;
  x.terms.erase(ord);
  int64_t block = x.c / by - (x.c % by < 0); // rounded down
  x.c += by - 1 - block * by;
  LinId up = intern(x);
  auto known =
      termIds.find({LinTerm::Operation, static_cast<int64_t>(Op::Div), 0, {up, intern({by, {}})}});
  if (known == termIds.end() || (block > 0 && range(forms[up]).first < 0))
    return intern(form);
  return intern({block, {{known->second, 1}, {depth, -1}}});
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
