//===- ProgramOps.cpp - program ids, thread ids, clocks, print, assert ----===//
#include "sim/functional/Elementwise.h"

#include <cmath>
#include <sstream>

namespace tlx::sim {
namespace {

void programId(Exec &exec) {
  exec.out(0, Value::integer(Store::I32, exec.cta.ids[exec.attrs().axis]));
}

void numPrograms(Exec &exec) {
  exec.out(0, Value::integer(Store::I32, exec.cluster.launch().config.grid[exec.attrs().axis]));
}

/// One value for each thread of the task.
void threadId(Exec &exec) {
  Store store = storeOf(exec.resultType());
  if (exec.attrs().axis != 0)
    return exec.out(0, Value::integer(store, 0));
  int32_t first = exec.task.startWarp * exec.program.facts.threadsPerWarp;
  Value result = Value::elements(store, exec.task.numThreads);
  withStore(store, [&](auto zero) {
    for (int32_t i = 0; i < exec.task.numThreads; ++i)
      result.mutableData<decltype(zero)>()[i] = decltype(zero)(int64_t(first) + i);
  });
  exec.out(0, std::move(result));
}

void warpId(Exec &exec) {
  int32_t perWarp = exec.program.facts.threadsPerWarp;
  Value result = Value::elements(Store::I32, exec.task.numThreads);
  for (int32_t i = 0; i < exec.task.numThreads; ++i)
    result.mutableData<int32_t>()[i] = i / perWarp;
  exec.out(0, std::move(result));
}

void clock64(Exec &exec) {
  const auto &clock = exec.cluster.launch().config.clock;
  exec.out(0, Value::integer(Store::I64, clock ? clock(exec.task.ref) : exec.task.steps));
}

std::string elementText(const Type &type, const Value &value, size_t i, bool hex, bool isSigned) {
  char text[64];
  if (value.store() == Store::F32 || value.store() == Store::F64) {
    std::snprintf(text, sizeof(text), "%f", value.asDouble(i));
  } else {
    unsigned bits = type.pointer ? 64 : bitWidth(type.elem);
    uint64_t mask = bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
    if (type.pointer || hex)
      std::snprintf(text, sizeof(text), "0x%0*llx", int(bits / 4),
                    (unsigned long long)(uint64_t(value.asInt(i)) & mask));
    else if (isSigned && value.store() != Store::B1)
      std::snprintf(text, sizeof(text), "%lld", (long long)value.asInt(i));
    else
      std::snprintf(text, sizeof(text), "%llu",
                    (unsigned long long)(uint64_t(value.asInt(i)) & mask));
  }
  return text;
}

/// A line for each element: "pid (x, y, z) idx (i, j) prefix value", as on the device.
void print(Exec &exec) {
  LaunchState &launch = exec.cluster.launch();
  if (!launch.config.print)
    return;
  const Attrs &attrs = exec.attrs();
  std::ostringstream pid;
  pid << "pid (" << exec.cta.ids[0] << ", " << exec.cta.ids[1] << ", " << exec.cta.ids[2] << ")";
  std::lock_guard<std::mutex> lock(launch.printMutex);
  if (exec.numOperands() == 0)
    return launch.config.print(pid.str() + attrs.text);
  for (unsigned a = 0; a < exec.numOperands(); ++a) {
    const Type &type = exec.type(a);
    const Value &value = exec.in(a);
    if (value.isUnknown())
      continue;
    bool isSigned = a >= attrs.ints.size() || attrs.ints[a] != 0;
    int64_t count = type.kind == TypeKind::Tensor ? type.numElements() : 1;
    for (int64_t i = 0; i < count; ++i) {
      std::ostringstream line;
      line << pid.str() << " idx (";
      int64_t stride = count;
      for (size_t d = 0; d < type.shape.size(); ++d) {
        stride /= type.shape[d];
        line << (d ? ", " : "") << i / stride % type.shape[d];
      }
      line << ")" << attrs.text;
      if (exec.numOperands() > 1)
        line << "(operand " << a << ") ";
      line << elementText(type, value, size_t(i), attrs.hex, isSigned);
      launch.config.print(line.str());
    }
  }
}

void assertOp(Exec &exec) {
  const Value &condition = exec.in(0);
  if (condition.isUnknown())
    return;
  for (size_t i = 0; i < condition.count(); ++i)
    if (!condition.asInt(i))
      return exec.fail(Finding::Kind::AssertFailed, "assertion failed: " + exec.attrs().text +
                                                        " (program " +
                                                        std::to_string(exec.cta.ids[0]) + ", " +
                                                        std::to_string(exec.cta.ids[1]) + ", " +
                                                        std::to_string(exec.cta.ids[2]) + ")");
}

void assume(Exec &exec) {
  const Value &condition = exec.in(0);
  if (condition.isUnknown())
    return;
  for (size_t i = 0; i < condition.count(); ++i)
    if (!condition.asInt(i))
      return exec.fail(Finding::Kind::AssertFailed, "an assumption of the compiler does not hold",
                       false);
}

/// A ballot over a warp: a thread votes for what any of its elements says, and all of its elements
/// receive the votes. Which those are is in the instruction (`slots`); threads with a scalar each
/// hold their own.
void voteBallot(Exec &exec) {
  if (skipUnknown(exec))
    return;
  const uint32_t mask = uint32_t(exec.in(0).asInt());
  const Value &predicate = exec.in(1);
  if (predicate.isUniform())
    return exec.out(0, Value::integer(Store::I32, predicate.asInt() ? int32_t(mask) : 0));
  const std::vector<int64_t> &slots = exec.attrs().ints;
  if (slots.empty() && exec.type(1).kind != TypeKind::Scalar)
    return exec.unsupported("a ballot depends on which elements the lanes of a warp hold, which is "
                            "settled in .ttgir");
  const size_t perThread = slots.empty() ? 1 : size_t(std::max(exec.attrs().axis, 1));
  const size_t held = slots.empty() ? predicate.count() : slots.size();
  const size_t perWarp = perThread * size_t(exec.program.facts.threadsPerWarp);
  auto element = [&](size_t slot) { return slots.empty() ? slot : size_t(slots[slot]); };
  Value result = Value::elements(Store::I32, predicate.count());
  for (size_t warp = 0; warp < held; warp += perWarp) {
    const size_t end = std::min(warp + perWarp, held);
    uint32_t votes = 0;
    for (size_t slot = warp; slot < end; ++slot)
      if (predicate.asInt(element(slot)))
        votes |= uint32_t(1) << (slot - warp) / perThread % 32;
    for (size_t slot = warp; slot < end; ++slot)
      result.mutableData<int32_t>()[element(slot)] = int32_t(votes & mask);
  }
  exec.out(0, std::move(result));
}

} // namespace

void registerProgramOps(HandlerTable &table) {
  table.set(Op::ProgramId, programId);
  table.set(Op::NumPrograms, numPrograms);
  table.set(Op::ThreadId, threadId);
  table.set(Op::WarpId, warpId);
  table.set(Op::Clock64, clock64);
  table.set(Op::Print, print);
  table.set(Op::Assert, assertOp);
  table.set(Op::Assume, assume);
  table.set(Op::VoteBallot, voteBallot);
}

} // namespace tlx::sim
