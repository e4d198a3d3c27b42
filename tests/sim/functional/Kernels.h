// Hand-written programs for the simulator's tests: effects in one line, and a runner.
#pragma once

#include "sim/functional/Launch.h"
#include "sim/program/Builder.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace tlx::sim::test {

inline Effect initEffect(Reg barrier, int64_t count) {
  Effect effect;
  effect.kind = sync::Kind::BarrierInit;
  effect.target = barrier;
  effect.amount = count;
  return effect;
}
inline Effect arriveEffect(Reg barrier, int64_t count = 1) {
  Effect effect;
  effect.kind = sync::Kind::BarrierArrive;
  effect.threads = sync::Threads::Elected;
  effect.taskBarrierBefore = true;
  effect.target = barrier;
  effect.amount = count;
  return effect;
}
inline Effect waitEffect(Reg barrier, Reg phase, Reg predicate = noReg) {
  Effect effect;
  effect.kind = sync::Kind::BarrierWait;
  effect.target = barrier;
  effect.phase = phase;
  effect.predicate = predicate;
  return effect;
}
/// An expect is two effects: bytes, then one arrival.
inline std::vector<Effect> expectEffects(Reg barrier, int64_t bytes) {
  Effect expect;
  expect.kind = sync::Kind::BarrierExpect;
  expect.target = barrier;
  expect.amount = bytes;
  return {expect, arriveEffect(barrier)};
}
inline Effect later(sync::Kind kind, Reg target, sync::Space space,
                    sync::Group group = sync::Group::None) {
  Effect effect;
  effect.kind = kind;
  effect.moment = sync::Moment::Completion;
  effect.proxy = sync::Proxy::Async;
  effect.space = space;
  effect.target = target;
  effect.group = group;
  return effect;
}
inline Effect completeEffect(Reg barrier, int64_t bytes) {
  Effect effect = later(sync::Kind::BarrierComplete, barrier, sync::Space::Shared);
  effect.amount = bytes;
  return effect;
}
inline Effect groupWait(sync::Group group, int64_t pending) {
  Effect effect;
  effect.kind = sync::Kind::GroupWait;
  effect.group = group;
  effect.amount = pending;
  return effect;
}
inline Effect namedEffect(sync::Kind kind, Reg id, int64_t threads) {
  Effect effect;
  effect.kind = kind;
  effect.target = id;
  effect.amount = threads;
  return effect;
}

/// A Builder with the shorthands that kernels here need.
class Kernel : public Builder {
public:
  explicit Kernel(std::string name) : Builder(std::move(name)) {
    facts().target = "cuda:90";
    facts().numWarps = 4;
  }
  void at(int line) { setLocation(location({"kernel.py", line, 1, -1})); }
  Reg i32(int64_t value) { return constantInt(DType::i32, value); }
  Reg pointerArg(const std::string &name, DType elem) {
    return parameter(name, pointer(elem), arguments++);
  }
  Reg intArg(const std::string &name) { return parameter(name, scalar(DType::i32), arguments++); }
  Reg descArg(const std::string &name, Shape block, DType elem) {
    return parameter(name, type(Type::tensorDesc(std::move(block), elem)), arguments++);
  }

  /// Shared memory for `count` buffers of `shape`; count 0: one, without the dimension.
  Reg shared(const std::string &name, Shape shape, DType elem, LayoutId layout, int64_t count = 0) {
    Allocation alloc;
    alloc.name = name;
    alloc.bytes = std::max<int64_t>(count, 1) * byteWidth(elem);
    for (int64_t dim : shape)
      alloc.bytes *= dim;
    alloc.alignment = 1024;
    Attrs attrs;
    attrs.allocation = allocation(alloc);
    if (count)
      shape.insert(shape.begin(), count);
    return emit1(Op::LocalAlloc, {noReg}, type(Type::memDesc(shape, elem, layout)), attrs);
  }
  LayoutId plain(const Shape &shape) { return layout(MemLayout::rowMajor(shape)); }
  /// An array of mbarriers, initialised.
  Reg barriers(const std::string &name, int64_t count, int64_t arrivals) {
    Reg all = shared(name, {count}, DType::i64, plain({count}));
    for (int64_t i = 0; i < count; ++i)
      emit(Op::Sync, {}, {}, {}, {initEffect(barrier(all, i32(i)), arrivals)});
    return all;
  }
  Reg barrier(Reg all, Reg index) {
    return emit1(Op::MemDescIndex, {all, index}, type(Type::memDesc({1}, DType::i64, plain({1}))));
  }
  Reg buffer(Reg all, Reg index) {
    Type view = typeOf(all);
    view.shape.erase(view.shape.begin());
    view.allocShape = view.shape;
    return emit1(Op::MemDescIndex, {all, index}, type(view));
  }
  void sync(std::vector<Effect> effects) { emit(Op::Sync, {}, {}, {}, std::move(effects)); }
  Reg add(Reg a, Reg b) { return binary(Op::AddI, a, b); }
  Reg mul(Reg a, Reg b) { return binary(Op::MulI, a, b); }
  void ret() { emit(Op::Return, {}); }
  Reg programId(int axis) {
    Attrs attrs;
    attrs.axis = axis;
    return emit1(Op::ProgramId, {}, scalar(DType::i32), attrs);
  }
  void tmaLoad(Reg desc, Reg bar, Reg to, const Regs &coords, int64_t bytes) {
    Regs operands{desc, bar, to, noReg, noReg};
    operands.insert(operands.end(), coords.begin(), coords.end());
    emit(Op::TmaLoad, operands, {}, {},
         {later(sync::Kind::Read, desc, sync::Space::Global),
          later(sync::Kind::Write, to, sync::Space::Shared), completeEffect(bar, bytes)});
  }
  /// Offsets 0 ... n-1 added to a base pointer.
  Reg pointers(Reg base, int64_t n) {
    Attrs attrs;
    attrs.ints = {0, n};
    Reg range = emit1(Op::MakeRange, {}, tensor({n}, DType::i32), attrs);
    return offset(base, range);
  }
  Reg offset(Reg base, Reg offsets) {
    Type t = Type::pointerTensor(typeOf(offsets).shape, typeOf(base).elem);
    Reg splat = emit1(Op::Splat, {base}, type(t));
    return emit1(Op::AddPtr, {splat, offsets}, type(t));
  }

private:
  int32_t arguments = 0;
};

inline RunReport run(const Program &program, GlobalMemory &memory, std::vector<Argument> arguments,
                     std::array<int32_t, 3> grid = {1, 1, 1}, Schedule schedule = {},
                     Observer *observer = nullptr) {
  std::vector<ProgramError> errors = validate(program);
  EXPECT_TRUE(errors.empty()) << errors[0].message << dump(program);
  LaunchConfig config;
  config.grid = grid;
  config.arguments = std::move(arguments);
  config.schedule = schedule;
  FunctionalMachine machine(program, config, memory, observer);
  return machine.run();
}

inline std::string text(const Program &program, const RunReport &report) {
  std::string all;
  for (const Finding &finding : report.findings)
    all += std::string(name(finding.kind)) + ": " + render(program, finding);
  return all;
}

/// Schedules that a correct kernel must survive.
inline std::vector<Schedule> schedules(int randoms = 5) {
  std::vector<Schedule> list{{Schedule::Kind::Fifo, 0}, {Schedule::Kind::Adversarial, 0}};
  for (int i = 0; i < randoms; ++i)
    list.push_back({Schedule::Kind::Random, uint64_t(i)});
  return list;
}

inline std::vector<uint16_t> randomHalves(size_t count, uint32_t seed,
                                          std::vector<double> &values) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<uint16_t> bits(count);
  values.resize(count);
  for (size_t i = 0; i < count; ++i) {
    bits[i] = floatToHalf(uniform(generator));
    values[i] = halfToFloat(bits[i]);
  }
  return bits;
}

} // namespace tlx::sim::test
