// Sums and differences, with what cancels left out: `N - 1 - (N - 1 - k)` is k,
// `x - (x >> 2 << 2)` is `x & 3`, `x / 3 - x / 6 * 2` is `x / 3 % 2`. Arithmetic wraps around on
// both sides alike, so that all of it holds for negative numbers too.

#include "verify/model/Expr.h"

using namespace tlx::verify;

namespace {
struct Sum {
  static constexpr int MostPieces = 16;
  std::map<ExprId, int64_t> parts; ///< what is no sum, and how often
  int64_t c = 0;
  int pieces = 0; ///< before any of them met
  bool fits = true;

  int64_t times(ExprId part) const {
    auto it = parts.find(part);
    return it == parts.end() ? 0 : it->second;
  }
  void count(ExprId part, int64_t by) {
    fits &= !__builtin_add_overflow(parts[part], by, &parts[part]);
    if (parts[part] == 0)
      parts.erase(part);
  }
};

/// Of `x / m`, `x >> k` (m is 2^k) and `x & -m`.
struct Quotient {
  ExprId x;
  int64_t m;
  int64_t unit; ///< what it is m / unit times less than `x - rest`
  Op op;
  int64_t by; ///< of the operation that gives the rest
};
} // namespace

static void flatten(const Exprs &exprs, ExprId e, int64_t scale, Sum &sum) {
  if (!sum.fits || sum.pieces > Sum::MostPieces)
    return;
  const ExprNode &node = exprs[e];
  int64_t by = node.b != NoExpr && exprs.isConst(node.b) ? exprs[node.b].value : 0;
  auto scaled = [&](int64_t factor) {
    int64_t product;
    sum.fits &= !__builtin_mul_overflow(scale, factor, &product);
    return product;
  };
  switch (node.op) {
  case Op::Add:
  case Op::Sub:
    flatten(exprs, node.a, scale, sum);
    return flatten(exprs, node.b, node.op == Op::Add ? scale : -scale, sum);
  case Op::Mul:
    if (by)
      return flatten(exprs, node.a, scaled(by), sum);
    break;
  case Op::Shl:
    if (by > 0 && by < 31)
      return flatten(exprs, node.a, scaled(int64_t(1) << by), sum);
    break;
  case Op::Const:
    sum.fits &= !__builtin_add_overflow(sum.c, scaled(node.value), &sum.c);
    sum.pieces += node.value != 0;
    return;
  default: break;
  }
  sum.count(e, scale);
  ++sum.pieces;
}

static std::optional<Quotient> quotientOf(const Exprs &exprs, ExprId e) {
  const ExprNode &node = exprs[e];
  if (node.b == NoExpr || !exprs.isConst(node.b))
    return std::nullopt;
  int64_t by = exprs[node.b].value;
  if (node.op == Op::Div && by > 1)
    return Quotient{node.a, by, by, Op::Rem, by};
  if (node.op == Op::Shr && by > 0 && by < 31)
    return Quotient{node.a, int64_t(1) << by, int64_t(1) << by, Op::And, (int64_t(1) << by) - 1};
  if (node.op == Op::And && by < -1 && by >= INT32_MIN && (by & -by) == -by)
    return Quotient{node.a, -by, 1, Op::And, -by - 1};
  return std::nullopt;
}

/// x - m (x / m) is the rest of x by m. True: one such difference was found.
static bool takeRest(Exprs &exprs, Sum &sum) {
  for (auto [part, k] : sum.parts) {
    std::optional<Quotient> q = quotientOf(exprs, part);
    if (!q)
      continue;
    // x, or a quotient of which this is one in turn: (x / 3) / 2 is x / 6.
    std::vector<Quotient> wholes{*q};
    std::vector<ExprId> of{q->x};
    for (auto [other, times] : sum.parts)
      if (auto finer = quotientOf(exprs, other); finer && finer->op == q->op && q->unit == q->m &&
                                                 finer->unit == finer->m && finer->x == q->x &&
                                                 q->m > finer->m && q->m % finer->m == 0) {
        int64_t m = q->m / finer->m;
        wholes.push_back({other, m, m, q->op, q->op == Op::Rem ? m : m - 1});
        of.push_back(other);
      }
    for (size_t i = 0; i < of.size(); ++i) {
      const Quotient &whole = wholes[i];
      if (k % whole.unit)
        continue;
      Sum x;
      flatten(exprs, of[i], k / whole.unit, x);
      bool isThere = x.fits && !x.parts.empty();
      for (auto [piece, times] : x.parts)
        isThere &= sum.times(piece) == -times;
      if (!isThere)
        continue;
      for (auto [piece, times] : x.parts)
        sum.parts.erase(piece);
      sum.parts.erase(part);
      sum.fits &= !__builtin_add_overflow(sum.c, x.c, &sum.c);
      sum.count(exprs.binary(whole.op, of[i], exprs.constant(whole.by)), -k / whole.unit);
      return true;
    }
  }
  return false;
}

std::optional<ExprId> Exprs::shorterSum(Op op, ExprId a, ExprId b) {
  Sum sum;
  flatten(*this, a, 1, sum);
  flatten(*this, b, op == Op::Add ? 1 : -1, sum);
  if (sum.pieces > Sum::MostPieces)
    return std::nullopt;
  bool rests = false;
  while (sum.fits && takeRest(*this, sum))
    rests = true;
  bool met = sum.parts.size() + (sum.c != 0) < static_cast<size_t>(sum.pieces);
  if (!sum.fits || !(rests || met))
    return std::nullopt;
  ExprId result = constant(0);
  auto take = [&](bool negative) {
    for (auto [part, times] : sum.parts)
      if (times < 0 == negative) {
        ExprId piece = binary(Op::Mul, part, constant(negative ? -times : times));
        result = binary(negative ? Op::Sub : Op::Add, result, piece);
      }
  };
  take(false);
  bool counts = !isConst(result);
  if (!counts)
    result = constant(sum.c);
  take(true);
  if (!counts || sum.c == 0)
    return result;
  return binary(sum.c < 0 ? Op::Sub : Op::Add, result, constant(sum.c < 0 ? -sum.c : sum.c));
}
