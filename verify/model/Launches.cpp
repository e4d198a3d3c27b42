#include "verify/model/Launches.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

using namespace tlx::verify;

/// So many programs of a known launch are executed, and iterations of each loop.
static constexpr int64_t MostPrograms = 32, KnownIterations = 8, MadeUpIterations = 3;
/// Programs along the axes of a made-up grid: many, of different number, and divisible.
static constexpr std::array<int64_t, 3> MadeUpGrid = {64, 128, 192};
/// No more small arguments than this are tried.
static constexpr size_t MostSmall = 12;

GridNumbers Launch::numbersOf(const std::array<int64_t, 3> &id) const {
  GridNumbers out = numbers;
  for (size_t axis = 0; axis < 3; ++axis)
    if (ids[axis] >= 0)
      out[ids[axis]] = id[axis];
  return out;
}

std::string Launch::name(const std::array<int64_t, 3> &id) const {
  std::string out;
  for (size_t axis = 0; axis < 3; ++axis)
    if (ids[axis] >= 0)
      out += (out.empty() ? "" : ", ") + names[axis] + " = " + std::to_string(id[axis]);
  return out;
}

namespace {
class Maker {
public:
  Maker(const Program &program) : program(program), exprs(program.exprs) {
    for (size_t i = 0; i < exprs.symbols.size(); ++i) {
      const Symbol &symbol = exprs.symbols[i];
      for (size_t axis = 0; axis < 3; ++axis) {
        std::string letter(1, "xyz"[axis]);
        if (symbol.name == "program_id." + letter || symbol.name == "cluster_id." + letter) {
          plain.ids[axis] = static_cast<int64_t>(i);
          plain.names[axis] = symbol.name;
        } else if (symbol.name == "num_programs." + letter) {
          counts[axis] = static_cast<int64_t>(i);
        }
      }
    }
  }

  Launch known(const KnownLaunch &given) const {
    Launch out = plain;
    out.known = true;
    out.iterations = KnownIterations;
    out.text = "in the launch of " + given.from;
    large(out.numbers);
    for (size_t i = 0; i < exprs.symbols.size(); ++i)
      if (auto it = given.values.find(exprs.symbols[i].name);
          it != given.values.end() && exprs.symbols[i].ofLaunch)
        out.numbers[static_cast<int64_t>(i)] = it->second;
    std::array<int64_t, 3> sizes = given.grid;
    auto widest = [&] { return std::max_element(sizes.begin(), sizes.end()); };
    while (sizes[0] * sizes[1] * sizes[2] > MostPrograms)
      *widest() = (*widest() + 1) / 2;
    std::array<std::vector<int64_t>, 3> along;
    for (size_t axis = 0; axis < 3; ++axis) {
      for (int64_t id = 0; id < std::max<int64_t>(1, sizes[axis]); ++id)
        along[axis].push_back(id);
      along[axis].back() = std::max<int64_t>(given.grid[axis], 1) - 1;
    }
    combine(out, along);
    return out;
  }

  void madeUp(std::vector<Launch> &out) const {
    out.push_back(base());
    size_t small = 0;
    for (const auto &[symbol, value] : smallArguments()) {
      if (++small > MostSmall)
        break;
      Launch one = base();
      one.numbers[symbol] = value;
      one.text = "in a launch with " + exprs.symbols[static_cast<size_t>(symbol)].name + " = " +
                 std::to_string(value);
      out.push_back(std::move(one));
    }
  }

private:
  /// Numbers for all arguments. 128 divides them, and what else is said to.
  void large(GridNumbers &numbers) const {
    for (size_t i = 0; i < exprs.symbols.size(); ++i) {
      const Symbol &symbol = exprs.symbols[i];
      if (symbol.parameter < 0)
        continue;
      int64_t step = std::lcm(std::max<int64_t>(symbol.divisor, 1), int64_t(128));
      auto n = static_cast<int64_t>(i) + 1;
      numbers[static_cast<int64_t>(i)] =
          std::clamp(step * (8209 + 1013 * n + 37 * n * n), symbol.lo, symbol.hi);
    }
  }

  static void combine(Launch &launch, const std::array<std::vector<int64_t>, 3> &along) {
    for (int64_t z : along[2])
      for (int64_t y : along[1])
        for (int64_t x : along[0])
          launch.programs.push_back({x, y, z});
  }

  Launch base() const {
    Launch out = plain;
    out.iterations = MadeUpIterations;
    large(out.numbers);
    std::array<std::vector<int64_t>, 3> along;
    auto axes =
        std::count_if(plain.ids.begin(), plain.ids.end(), [](int64_t id) { return id >= 0; });
    for (size_t axis = 0; axis < 3; ++axis) {
      if (counts[axis] >= 0)
        out.numbers[counts[axis]] = MadeUpGrid[axis];
      std::set<int64_t> ids = {0};
      if (plain.ids[axis] >= 0) {
        for (int64_t id = 1; id < (axes == 1 ? 6 : axes == 2 ? 4 : 3); ++id)
          ids.insert(id);
        // Those that another axis' size stands for, and the last one.
        for (size_t other = 0; other < 3; ++other)
          if (counts[other] >= 0)
            ids.insert(std::min(MadeUpGrid[other], MadeUpGrid[axis] - 1));
      }
      along[axis].assign(ids.begin(), ids.end());
    }
    combine(out, along);
    return out;
  }

  bool has(ExprId expr, const std::function<bool(const Symbol &)> &which) const {
    return !exprs.every(expr, [&](const ExprNode &node) {
      return node.op != Op::Sym || !which(exprs.symbols[static_cast<size_t>(node.value)]);
    });
  }
  bool hasId(ExprId expr) const {
    return has(expr,
               [](const Symbol &symbol) { return symbol.ofLaunch && !symbol.launchInvariant; });
  }
  bool hasCount(ExprId expr) const {
    return has(expr, [](const Symbol &symbol) { return symbol.name.starts_with("num_programs."); });
  }

  void leaves(ExprId expr, std::set<int64_t> &parameters, int64_t &blocks) const {
    exprs.every(expr, [&](const ExprNode &node) {
      if (node.op == Op::Sym && exprs.symbols[static_cast<size_t>(node.value)].parameter >= 0)
        parameters.insert(node.value);
      if ((node.op == Op::Div || node.op == Op::Mul) && exprs.isConst(node.b))
        blocks = std::max(blocks, exprs[node.b].value);
      return true;
    });
  }

  /// What an expression gives for ids from 0 on along an axis; nothing when that is not known.
  std::vector<int64_t> along(size_t axis, ExprId expr, const Launch &launch, int64_t count) const {
    GridRun run(program, 1);
    std::vector<int64_t> out;
    for (int64_t i = 0; launch.ids[axis] >= 0 && i < count; ++i) {
      std::array<int64_t, 3> id{};
      id[axis] = i;
      auto value = run.valueOf(expr, launch.numbersOf(id));
      if (!value)
        return {};
      out.push_back(*value);
    }
    return out;
  }

  /// Whether what is divided grows with an id. What is left for a program to do does not.
  bool growsWithId(ExprId expr) const {
    for (size_t axis = 0; axis < 3; ++axis)
      if (auto values = along(axis, expr, base(), 2); values.size() == 2 && values[1] > values[0])
        return true;
    return false;
  }

  /// Whether a condition or a bound is about programs from id 2 on, and no others, when an
  /// argument has this value: programs that have nothing to do then.
  bool excludesFromTwo(ExprId expr, int64_t symbol, int64_t value) const {
    Launch launch = base();
    launch.numbers[symbol] = value;
    for (size_t axis = 0; axis < 3; ++axis) {
      std::vector<int64_t> of = along(axis, expr, launch, 4);
      if (of.size() != 4 || of[2] != of[3])
        continue;
      if (exprs[expr].op == Op::Min ? of[0] != of[1] && of[1] == of[2]
                                    : of[0] == of[1] && of[1] != of[2])
        return true;
    }
    return false;
  }

  /// Arguments that the kernel provides for being small, with numbers for them.
  std::set<std::pair<int64_t, int64_t>> smallArguments() const {
    std::set<std::pair<int64_t, int64_t>> out;
    for (size_t i = 0; i < exprs.size(); ++i) {
      const auto expr = static_cast<ExprId>(i);
      const ExprNode &node = exprs[expr];
      std::set<int64_t> parameters;
      int64_t blocks = 1;
      if (node.op == Op::Div && hasId(node.a) && growsWithId(node.a)) {
        leaves(node.b, parameters, blocks);
        for (int64_t symbol : parameters)
          for (int64_t n : {2, 3})
            out.insert({symbol, n * blocks});
      } else if (node.op == Op::Div && hasCount(node.b)) {
        leaves(node.a, parameters, blocks);
        for (int64_t symbol : parameters)
          for (size_t axis = 0; axis < 3; ++axis)
            if (counts[axis] >= 0)
              out.insert({symbol, MadeUpGrid[axis] * blocks});
      } else if ((node.op == Op::Min || node.op == Op::Lt || node.op == Op::Le) && hasId(expr)) {
        leaves(expr, parameters, blocks);
        for (int64_t symbol : parameters)
          if (excludesFromTwo(expr, symbol, 2 * blocks))
            out.insert({symbol, 2 * blocks});
      }
    }
    return out;
  }

  const Program &program;
  const Exprs &exprs;
  Launch plain; ///< with the symbols of ids
  std::array<int64_t, 3> counts{-1, -1, -1};
};
} // namespace

std::vector<Launch> tlx::verify::launchesOf(const Program &program,
                                            const std::vector<KnownLaunch> &known) {
  Maker maker(program);
  std::vector<Launch> out;
  for (const KnownLaunch &launch : known)
    out.push_back(maker.known(launch));
  maker.madeUp(out);
  // A launch that breaks what the kernel assumes is nobody's concern.
  std::erase_if(out, [&](const Launch &launch) {
    GridRun run(program, 1);
    return std::any_of(
        program.assumptions.begin(), program.assumptions.end(), [&](const Assumption &assumed) {
          return run.valueOf(assumed.holds, launch.numbersOf(launch.programs[0])) != 1;
        });
  });
  return out;
}
