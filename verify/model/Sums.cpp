// Sums and differences, with what cancels left out: `N - 1 - (N - 1 - k)` is k,
// `x - (x >> 2 << 2)` is `x & 3`, `x / 3 - x / 6 * 2` is `x / 3 % 2`. Arithmetic wraps around on
// both sides alike, so that all of it holds for negative numbers too.

#include "verify/model/Expr.h"

#include <algorithm>

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

/// Of `x / m`, `x >> k` (m is 2^k) and `x & -m`, or of a rest: a part of x, and what x is without
/// so many of it.
struct Share {
  ExprId x;
  int64_t unit; ///< how many of it
  Op op;        ///< x without them is `x op by`, `scale` times
  int64_t by, scale = 1;
  int64_t divisor = 0; ///< of quotients
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

static std::optional<Share> shareOf(const Exprs &exprs, ExprId e) {
  const ExprNode &node = exprs[e];
  if (node.b == NoExpr || !exprs.isConst(node.b))
    return std::nullopt;
  int64_t by = exprs[node.b].value, power = int64_t(1) << std::clamp<int64_t>(by, 0, 30);
  bool isMask = by >= INT32_MIN && by < INT32_MAX && node.op == Op::And;
  if (node.op == Op::Div && by > 1)
    return Share{node.a, by, Op::Rem, by, 1, by};
  if (node.op == Op::Shr && by > 0 && by < 31)
    return Share{node.a, power, Op::And, power - 1, 1, power};
  if (isMask && by < -1 && (by & -by) == -by)
    return Share{node.a, 1, Op::And, -by - 1};
  if (node.op == Op::Rem && by > 1)
    return Share{node.a, 1, Op::Div, by, by};
  if (isMask && by > 0 && (by & (by + 1)) == 0)
    return Share{node.a, 1, Op::And, -by - 1};
  return std::nullopt;
}

/// x - m (x / m) is the rest of x by m, and x without its rest is a multiple. True: one such
/// difference was found.
static bool takeShare(Exprs &exprs, Sum &sum) {
  for (auto [part, k] : sum.parts) {
    std::optional<Share> share = shareOf(exprs, part);
    if (!share)
      continue;
    std::vector<Share> shares{*share};
    // Of a quotient, as which it is one in turn: (x / 3) / 2 is x / 6.
    for (auto [other, times] : sum.parts)
      if (auto finer = shareOf(exprs, other);
          finer && finer->divisor && finer->op == share->op && finer->x == share->x &&
          share->divisor > finer->divisor && share->divisor % finer->divisor == 0) {
        int64_t m = share->divisor / finer->divisor;
        shares.push_back({other, m, share->op, share->op == Op::Rem ? m : m - 1});
      }
    for (const Share &of : shares) {
      int64_t times = k / of.unit;
      Sum x;
      flatten(exprs, of.x, times, x);
      bool isThere = k % of.unit == 0 && x.fits && !x.parts.empty();
      for (auto [piece, n] : x.parts)
        isThere &= sum.times(piece) == -n;
      if (!isThere)
        continue;
      for (auto [piece, n] : x.parts)
        sum.parts.erase(piece);
      sum.parts.erase(part);
      sum.fits &= !__builtin_add_overflow(sum.c, x.c, &sum.c);
      sum.count(exprs.binary(of.op, of.x, exprs.constant(of.by)), -times * of.scale);
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
  bool found = false;
  while (sum.fits && takeShare(*this, sum))
    found = true;
  bool met = sum.parts.size() + (sum.c != 0) < static_cast<size_t>(sum.pieces);
  if (!sum.fits || !(found || met))
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
