//===- Expr.h - scalar expressions of a kernel ----------------------------===//
//
// Slots, phases, predicates, counts and branch conditions are scalar integer
// expressions over three kinds of leaves: constants, symbols (arguments,
// program ids, values read from memory: unknown, but the same wherever the
// same symbol appears) and variables (what a loop or an if carries: known only
// while the program runs). Expressions are hash-consed: equal structure, equal
// id, so congruence between tasks is an integer comparison.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace tlx::verify {

using ExprId = int32_t;
using VarId = int32_t;
constexpr ExprId NoExpr = -1;

enum class Op : uint8_t {
  Const,
  Sym, ///< value: index into Exprs::symbols
  Var, ///< value: VarId
  Add,
  Sub,
  Mul,
  Div, ///< signed, towards zero
  Rem, ///< signed, sign of the dividend
  And,
  Or,
  Xor,
  Shl,
  Shr,
  Min,
  Max,
  Eq, ///< comparisons give 0 or 1
  Lt, ///< signed
  Le,
  Select, ///< a ? b : c
  Opaque, ///< value: index into Exprs::opaques; a function of `a`, `b`, `c` and nothing else
};

/// What is known of a symbol without running anything.
struct Symbol {
  std::string name;
  int64_t lo = INT64_MIN, hi = INT64_MAX; ///< inclusive range
  int64_t divisor = 1;                    ///< stated by the IR (tt.divisibility)
  int64_t assumedDivisor = 1; ///< by the kernel itself: in closed forms it counts in these
  /// The same value for the whole launch (an argument), not only for one CTA.
  bool launchInvariant = true;
  /// An argument or a program id: whoever launches the kernel chooses it.
  bool ofLaunch = false;
  int parameter = -1; ///< an argument: its position
  /// Defined inside loops down to this depth: one value for each combination of
  /// their iteration numbers (0: one value for the task).
  int perIterationDepth = 0;
};

/// What an opaque function gives, beyond being a function of its operands.
struct Function {
  std::string name;
  int64_t lo = INT64_MIN, hi = INT64_MAX;
  /// Of its index alone: `f(0), f(1), ...` are what the environment says, one after
  /// the other, and differ from CTA to CTA.
  bool sequence = false;

  /// What is read from memory that the kernel does not write.
  static constexpr const char *Load = "load", *NarrowLoad = "load.narrow"; ///< below 16 bits
  bool loads() const { return name == Load || name == NarrowLoad; }
};

struct ExprNode {
  Op op;
  int64_t value = 0;
  ExprId a = NoExpr, b = NoExpr, c = NoExpr;
  auto key() const { return std::make_tuple(op, value, a, b, c); }
};

/// The arena. Folds constants and a few identities on the way in.
class Exprs {
public:
  ExprId constant(int64_t value);
  ExprId symbol(Symbol symbol); ///< a new symbol each time
  ExprId var(VarId var);
  ExprId binary(Op op, ExprId a, ExprId b);
  ExprId select(ExprId cond, ExprId a, ExprId b);
  ExprId opaque(const std::string &name, ExprId a = NoExpr, ExprId b = NoExpr, ExprId c = NoExpr);
  /// The `index`-th element of a sequence.
  ExprId element(const Function &sequence, ExprId index);

  ExprId add(ExprId a, ExprId b) { return binary(Op::Add, a, b); }
  ExprId sub(ExprId a, ExprId b) { return binary(Op::Sub, a, b); }
  ExprId rem(ExprId a, int64_t b) { return binary(Op::Rem, a, constant(b)); }
  ExprId div(ExprId a, int64_t b) { return binary(Op::Div, a, constant(b)); }
  ExprId lt(ExprId a, ExprId b) { return binary(Op::Lt, a, b); }
  ExprId le(ExprId a, ExprId b) { return binary(Op::Le, a, b); }
  ExprId eq(ExprId a, ExprId b) { return binary(Op::Eq, a, b); }
  /// Two conditions of which NoExpr is none.
  ExprId both(ExprId a, ExprId b) {
    return a == NoExpr ? b : b == NoExpr ? a : binary(Op::And, a, b);
  }
  ExprId logicalNot(ExprId a) { return binary(Op::Eq, a, constant(0)); }

  /// Gives symbols (by index) these values, in place: expressions keep their numbers.
  /// `contents`: and memory these.
  void bind(const std::map<int64_t, int64_t> &values, bool contents = false);
  /// Values for what a kernel reads from memory and does not write, be it lengths or where
  /// something begins: they grow, faster and faster, and are no multiples of a block.
  static int64_t contentAt(int64_t address) {
    int64_t nth = (address & ContentMask) + 1;
    return ContentStep * nth * (nth + 1);
  }
  static std::string contentText();

  const ExprNode &operator[](ExprId id) const { return nodes[id]; }
  size_t size() const { return nodes.size(); }
  bool isConst(ExprId id) const { return nodes[id].op == Op::Const; }
  /// 0 or 1: made of comparisons alone.
  bool isCondition(ExprId id) const;
  /// Whether this holds of an expression and all that it is made of, each looked at once: parts
  /// may be shared so often that the expression written out has no end.
  bool every(ExprId id, const std::function<bool(const ExprNode &)> &holds) const;

  /// Infix text for messages, e.g. "(K + 63) / 64".
  std::string print(ExprId id, const std::vector<std::string> &varNames = {}) const;

  std::vector<Symbol> symbols;
  std::vector<Function> opaques;

private:
  static constexpr int64_t ContentStep = 48, ContentMask = 63;
  ExprId intern(ExprNode node);
  /// A sum or difference, should some of what is added up cancel.
  std::optional<ExprId> shorterSum(Op op, ExprId a, ExprId b);
  std::vector<ExprNode> nodes;
  std::map<std::tuple<Op, int64_t, ExprId, ExprId, ExprId>, ExprId> ids;
  std::unordered_map<std::string, int> opaqueIds;
};

/// The value of `op` on two integers. False when it has none (division by
/// zero, shift out of range).
bool foldBinary(Op op, int64_t a, int64_t b, int64_t &result);

/// a / b rounded down; b is not 0.
inline int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

} // namespace tlx::verify
