#include "sim/timing/Functions.h"

namespace tlx::sim {

namespace {

struct Row {
  std::string_view name;
  FunctionCode f32, f64;
};

constexpr Row Rows[] = {
    {"div", {10, 12}, {20, 15}},  {"sqrt", {10, 12}, {18, 11}}, {"rsqrt", {4, 8}, {14, 9}},
    {"exp", {8, 8}, {29, 26}},    {"exp2", {4, 8}, {29, 27}},   {"log", {20, 18}, {77, 36}},
    {"log2", {20, 19}, {79, 38}}, {"sin", {26, 21}, {58, 29}},  {"tanh", {22, 12}, {60, 36}},
    {"erf", {28, 14}, {68, 49}},  {"pow", {80, 52}, {206, 99}},
};
// Not measured: taken to be like one that was.
constexpr std::pair<std::string_view, std::string_view> Alike[] = {
    {"cos", "sin"},   {"tan", "sin"},    {"exp10", "exp"},  {"expm1", "exp"}, {"sinh", "tanh"},
    {"cosh", "tanh"}, {"log10", "log"},  {"log1p", "log"},  {"erfc", "erf"},  {"fmod", "pow"},
    {"cbrt", "log"},  {"atan", "tanh"},  {"asin", "tanh"},  {"acos", "tanh"}, {"atan2", "erf"},
    {"hypot", "div"}, {"lgamma", "pow"}, {"tgamma", "pow"},
};

std::string_view nameOf(Op op, std::string_view symbol) {
  switch (op) {
  case Op::PreciseDivF: return "div";
  case Op::PreciseSqrt: return "sqrt";
  case Op::RemF: return "fmod";
  case Op::Log: return "log";
  case Op::Log2: return "log2";
  case Op::Sin:
  case Op::Cos: return "sin";
  case Op::Tanh: return "tanh";
  case Op::Erf: return "erf";
  case Op::DivF: return "div";
  case Op::Sqrt: return "sqrt";
  case Op::Rsqrt: return "rsqrt";
  case Op::Exp: return "exp";
  case Op::Exp2: return "exp2";
  case Op::ExternElementwise: break;
  default: return {};
  }
  constexpr std::string_view prefix = "__nv_";
  if (symbol.substr(0, prefix.size()) == prefix)
    symbol.remove_prefix(prefix.size());
  return symbol;
}

/// Approximations of single precision that are an instruction or two.
bool isApproximate(Op op) {
  return op == Op::DivF || op == Op::Sqrt || op == Op::Rsqrt || op == Op::Exp || op == Op::Exp2;
}

} // namespace

FunctionCode functionCode(Op op, std::string_view symbol, bool fp64) {
  if (!fp64 && isApproximate(op))
    return {};
  std::string_view name = nameOf(op, symbol);
  auto is = [&](std::string_view row) {
    return name == row ||
           (!fp64 && !name.empty() && name.back() == 'f' && name.substr(0, name.size() - 1) == row);
  };
  for (auto [one, other] : Alike)
    if (is(one)) {
      name = other;
      break;
    }
  for (const Row &row : Rows)
    if (is(row.name))
      return fp64 ? row.f64 : row.f32;
  return {};
}

} // namespace tlx::sim
