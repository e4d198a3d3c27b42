//===- InlineAsm.cpp - elementwise inline PTX -----------------------------===//
//
// Each run of the assembly handles `count` neighbouring elements of every operand. Elements
// fill registers of the width that the constraint names (h: 16, r and f: 32, l and d: 64 bits),
// results first. Assembly that looks across lanes runs as the chip runs it, once for each of a
// thread's groups of registers; which elements those hold is in the instruction. Pairwise f32
// arithmetic, which is most of what kernels use it for, is recognised and runs as plain
// element-wise arithmetic.
//
//===----------------------------------------------------------------------===//
#include "sim/functional/InlineAsm.h"

#include "sim/functional/Elementwise.h"
#include "sim/functional/Ptx.h"

#include <cmath>

namespace tlx::sim {
namespace {

struct Constraint {
  bool isResult = false;
  unsigned bits = 32;
};

bool readConstraints(const std::string &text, std::vector<Constraint> &list) {
  std::string part;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != ',') {
      if (text[i] != ' ')
        part += text[i];
      continue;
    }
    if (part.empty())
      continue;
    Constraint constraint;
    constraint.isResult = part[0] == '=';
    switch (part.back()) {
    case 'h': constraint.bits = 16; break;
    case 'r':
    case 'f': constraint.bits = 32; break;
    case 'l':
    case 'd': constraint.bits = 64; break;
    default: return false;
    }
    list.push_back(constraint);
    part.clear();
  }
  return true;
}

/// add, sub, mul or fma of f32 pairs between moves: element-wise after all.
bool runAsPairs(Exec &exec, const std::vector<PtxInst> &insts) {
  const PtxInst *arithmetic = nullptr;
  for (const PtxInst &inst : insts) {
    if (inst.name.empty() || inst.name[0] == "mov")
      continue;
    if (arithmetic || inst.name.back() != "f32x2")
      return false;
    arithmetic = &inst;
  }
  if (!arithmetic || exec.inst.numResults != 1 || exec.resultType().elem != DType::f32)
    return false;
  for (unsigned i = 0; i < exec.numOperands(); ++i)
    if (exec.type(i).elem != DType::f32)
      return false;
  // Operands in their order: ra, rb, rc from $2, $4, $6.
  const std::string &op = arithmetic->name[0];
  for (size_t i = 1; i + 1 < arithmetic->operands.size(); ++i)
    if (arithmetic->operands[i][0] >= arithmetic->operands[i + 1][0])
      return false;
  if (exec.numOperands() == 2 && arithmetic->operands.size() == 3) {
    Value a = exec.take(0), b = exec.take(1);
    auto with = [&](auto f) {
      exec.out(0, map2<float, float>(std::move(a), std::move(b), Store::F32, f));
      return true;
    };
    if (op == "mul")
      return with([](float x, float y) { return x * y; });
    if (op == "add")
      return with([](float x, float y) { return x + y; });
    if (op == "sub")
      return with([](float x, float y) { return x - y; });
    return false;
  }
  if (exec.numOperands() != 3 || op != "fma")
    return false;
  exec.out(0, map3<float>(exec.in(0), exec.in(1), exec.in(2), Store::F32,
                          [](float x, float y, float z) { return std::fma(x, y, z); }));
  return true;
}

/// Elements of one operand in registers, `perRun` of them in each run.
class Packing {
public:
  Packing(unsigned elementBits, unsigned registerBits, size_t perRun)
      : elementBits(elementBits), perRegister(std::max(1u, registerBits / elementBits)),
        registers((perRun + perRegister - 1) / perRegister) {}
  const unsigned elementBits;
  const size_t perRegister;
  const size_t registers;
};

/// Which elements each run of the assembly handles.
class Runs {
public:
  Runs(const Attrs &attrs, size_t elements, size_t warpSize)
      : slots(attrs.ints), perRun(size_t(std::max<int64_t>(attrs.count, 1))), elements(elements),
        registers(size_t(std::max(attrs.axis, 1))), warpSize(warpSize) {}

  size_t perThread() const { return (registers + perRun - 1) / perRun; }
  size_t count() const {
    return slots.empty() ? (elements + perRun - 1) / perRun
                         : slots.size() / registers * perThread();
  }
  /// Lanes of a warp are neighbours: run = (warp * perThread + group) * warpSize + lane.
  size_t threadOf(size_t run) const {
    return run / warpSize / perThread() * warpSize + run % warpSize;
  }
  /// `none` beyond the last.
  size_t element(size_t run, size_t inRun) const {
    if (slots.empty())
      return run * perRun + inRun < elements ? run * perRun + inRun : none;
    size_t reg = run / warpSize % perThread() * perRun + inRun;
    return reg < registers ? size_t(slots[threadOf(run) * registers + reg]) : none;
  }

  static constexpr size_t none = ~size_t(0);

private:
  const std::vector<int64_t> &slots;
  size_t perRun, elements, registers, warpSize;
};

} // namespace

void runInlineAsm(Exec &exec) {
  if (skipUnknown(exec))
    return;
  const Attrs &attrs = exec.attrs();
  std::vector<PtxInst> insts = parsePtx(attrs.text);
  if (runAsPairs(exec, insts))
    return;
  std::vector<Constraint> constraints;
  if (!readConstraints(attrs.text2, constraints))
    return exec.unsupported("inline assembly with the constraints '" + attrs.text2 + "'");
  const size_t perRun = size_t(std::max<int64_t>(attrs.count, 1));
  const Type &shape = exec.numOperands() ? exec.type(0) : exec.resultType();
  size_t elements = shape.kind == TypeKind::Tensor ? size_t(shape.numElements()) : 1;
  for (unsigned i = 0; i < exec.numOperands(); ++i)
    elements = std::max(elements, exec.in(i).count());
  const size_t warpSize = size_t(exec.program.facts.threadsPerWarp);
  auto across = std::find_if(insts.begin(), insts.end(), looksAcrossLanes);
  if (across != insts.end() && shape.kind == TypeKind::Scalar)
    elements = size_t(exec.task.numThreads); // each thread has a scalar of its own
  else if (across != insts.end() && attrs.ints.empty())
    return exec.unsupported("inline assembly '" + across->text +
                            "' depends on which elements the lanes of a warp hold, which is "
                            "settled in .ttgir");
  const Runs runs(attrs, elements, warpSize);
  const size_t lanes = runs.count();
  PtxLanes machine(lanes);
  if (across != insts.end() || !attrs.ints.empty()) {
    machine.warpSize = warpSize;
    for (size_t run = 0; run < lanes; ++run)
      machine.threads.push_back(exec.task.startWarp * warpSize + runs.threadOf(run));
  }
  machine.smid = uint64_t(exec.cta.linear) % uint64_t(exec.cluster.launch().config.residentCtas);

  size_t next = 0;
  auto registersOf = [&](const Type &type) {
    unsigned bits = type.pointer ? 64 : std::max(8u, bitWidth(type.elem));
    unsigned width = next < constraints.size() ? constraints[next].bits : 32;
    return Packing(bits, width, perRun);
  };
  std::vector<size_t> firstOfResult;
  std::vector<Packing> results;
  for (unsigned r = 0; r < exec.inst.numResults; ++r) {
    firstOfResult.push_back(next);
    results.push_back(registersOf(exec.resultType(r)));
    next += results.back().registers;
  }
  for (unsigned i = 0; i < exec.numOperands(); ++i) {
    const Type &type = exec.type(i);
    Packing packing = registersOf(type);
    Value value = exec.in(i).expanded(elements);
    size_t bytes = packing.elementBits / 8;
    std::vector<char> raw(elements * 8);
    toMemory(type, value.data<char>(), raw.data(), elements);
    for (size_t k = 0; k < packing.registers; ++k) {
      std::vector<uint64_t> &reg = machine.reg("$" + std::to_string(next++));
      for (size_t lane = 0; lane < lanes; ++lane)
        for (size_t e = 0; e < packing.perRegister; ++e) {
          size_t inRun = k * packing.perRegister + e;
          size_t at = inRun < perRun ? runs.element(lane, inRun) : Runs::none;
          if (at == Runs::none)
            continue;
          uint64_t bits = 0;
          std::memcpy(&bits, raw.data() + at * bytes, bytes);
          reg[lane] |= bits << (packing.elementBits * e);
        }
    }
  }
  for (const PtxInst &inst : insts)
    if (!machine.run(inst))
      return exec.unsupported("inline assembly '" + inst.text + "' is not understood");
  for (unsigned r = 0; r < exec.inst.numResults; ++r) {
    const Type &type = exec.resultType(r);
    const Packing &packing = results[r];
    size_t bytes = packing.elementBits / 8;
    std::vector<char> raw(elements * 8);
    for (size_t k = 0; k < packing.registers; ++k) {
      const std::vector<uint64_t> &reg = machine.reg("$" + std::to_string(firstOfResult[r] + k));
      for (size_t lane = 0; lane < lanes; ++lane)
        for (size_t e = 0; e < packing.perRegister; ++e) {
          size_t inRun = k * packing.perRegister + e;
          size_t at = inRun < perRun ? runs.element(lane, inRun) : Runs::none;
          if (at == Runs::none)
            continue;
          uint64_t bits = reg[lane] >> (packing.elementBits * e);
          std::memcpy(raw.data() + at * bytes, &bits, bytes);
        }
    }
    Value value = Value::elements(storeOf(type), elements);
    fromMemory(type, raw.data(), value.mutableData<char>(), elements);
    exec.out(r, std::move(value));
  }
}

} // namespace tlx::sim
