#include "tests/sim/timing/GemmProgram.h"

#include "sim/program/Builder.h"

#include <algorithm>

namespace tlx::sim::test {

using sync::Kind;

namespace {

struct Gemm {
  const GemmConfig &config;
  Builder b{"gemm"};
  TypeId i32 = b.scalar(DType::i32);
  LayoutId plain1 = b.layout(MemLayout::rowMajor({1}));
  TypeId oneBarrier = b.type(Type::memDesc({1}, DType::i64, plain1));

  explicit Gemm(const GemmConfig &config) : config(config) {}

  Reg integer(int64_t value) { return b.constantInt(DType::i32, value); }

  /// An array of `count` buffers of `shape`.
  Reg buffers(const char *name, int64_t count, Shape shape, DType elem) {
    Type type = Type::memDesc(shape, elem, b.layout(MemLayout::rowMajor(shape)));
    type.shape.insert(type.shape.begin(), count);
    type.allocShape = type.shape;
    Allocation allocation;
    allocation.name = name;
    allocation.bytes = type.numElements() * int64_t(byteWidth(elem));
    allocation.alignment = elem == DType::i64 ? 8 : 1024;
    Attrs attrs;
    attrs.allocation = b.allocation(allocation);
    return b.emit1(Op::LocalAlloc, {}, b.type(type), attrs);
  }

  Reg at(Reg array, Reg index) {
    Type type = b.typeOf(array);
    if (type.elem == DType::i64)
      return b.emit1(Op::MemDescIndex, {array, index}, oneBarrier);
    type.shape.erase(type.shape.begin());
    type.allocShape = type.shape;
    return b.emit1(Op::MemDescIndex, {array, index}, b.type(type));
  }

  void init(Reg array, int64_t count, int64_t arrivals) {
    for (int64_t i = 0; i < count; ++i) {
      Effect e;
      e.kind = Kind::BarrierInit;
      e.target = at(array, integer(i));
      e.amount = arrivals;
      e.threads = sync::Threads::Elected;
      b.emit(Op::Sync, {e.target}, {}, {}, {e});
    }
  }

  void wait(Reg barrier, Reg phase) {
    Effect e;
    e.kind = Kind::BarrierWait;
    e.target = barrier;
    e.phase = phase;
    b.emit(Op::Sync, {barrier, phase}, {}, {}, {e});
  }

  void arrive(Reg barrier) {
    Effect e;
    e.kind = Kind::BarrierArrive;
    e.target = barrier;
    e.amount = 1;
    e.threads = sync::Threads::Elected;
    e.taskBarrierBefore = true;
    b.emit(Op::Sync, {barrier}, {}, {}, {e});
  }

  void expect(Reg barrier, int64_t bytes) {
    Effect e;
    e.kind = Kind::BarrierExpect;
    e.target = barrier;
    e.amount = bytes;
    e.threads = sync::Threads::Elected;
    e.taskBarrierBefore = true;
    Effect arrival = e;
    arrival.kind = Kind::BarrierArrive;
    arrival.amount = 1;
    b.emit(Op::Sync, {barrier}, {}, {}, {e, arrival});
  }

  void load(Reg desc, Reg row, Reg column, Reg to, Reg barrier) {
    Effect write;
    write.kind = Kind::Write;
    write.space = sync::Space::Shared;
    write.proxy = sync::Proxy::Async;
    write.moment = sync::Moment::Completion;
    write.target = to;
    write.barrier = barrier;
    Effect complete;
    complete.kind = Kind::BarrierComplete;
    complete.moment = sync::Moment::Completion;
    complete.target = barrier;
    const Type &tile = b.typeOf(to);
    complete.amount = tile.numElements() * int64_t(byteWidth(tile.elem));
    b.emit(Op::TmaLoad, {desc, barrier, to, noReg, noReg, row, column}, {}, {}, {write, complete});
  }

  struct Tile {
    Reg row, column;
  };
  Tile tileOf(Reg tile, Reg tilesM, Reg inGroup) {
    Reg groupM = integer(config.groupM);
    Reg group = b.binary(Op::DivSI, tile, inGroup);
    Reg first = b.binary(Op::MulI, group, groupM);
    Reg size = b.binary(Op::MinSI, b.binary(Op::SubI, tilesM, first), groupM);
    Reg m = b.binary(Op::AddI, first, b.binary(Op::RemSI, tile, size));
    Reg n = b.binary(Op::DivSI, b.binary(Op::RemSI, tile, inGroup), size);
    return {b.binary(Op::MulI, m, integer(config.blockM)),
            b.binary(Op::MulI, n, integer(config.blockN))};
  }

  Reg ceilDiv(Reg value, int64_t by) {
    return b.binary(Op::DivSI, b.binary(Op::AddI, value, integer(by - 1)), integer(by));
  }

  /// Persistent loop over tiles; `body` gets the tile's place and the number of
  /// ring slots used so far, and returns the new number.
  void forTiles(Reg m, Reg n, const std::function<Reg(Tile, Reg)> &body) {
    Attrs axis;
    Reg pid = b.emit1(Op::ProgramId, {}, i32, axis);
    Reg tilesM = ceilDiv(m, config.blockM), tilesN = ceilDiv(n, config.blockN);
    Reg inGroup = b.binary(Op::MulI, tilesN, integer(config.groupM));
    Reg tiles = b.binary(Op::MulI, tilesM, tilesN);
    b.forLoop(pid, tiles, integer(config.sms), {integer(0)}, [&](Reg tile, const Regs &count) {
      return Regs{body(tileOf(tile, tilesM, inGroup), count[0])};
    });
  }

  Reg kLoop(Reg k, const Regs &inits, const std::function<Regs(Reg, Reg, Reg, const Regs &)> &body,
            size_t result) {
    Reg steps = ceilDiv(k, config.blockK), stages = integer(config.stages), one = integer(1);
    last = b.forLoop(integer(0), steps, one, inits, [&](Reg step, const Regs &args) {
      Reg slot = b.binary(Op::RemSI, args[0], stages);
      Reg phase = b.binary(Op::AndI, b.binary(Op::DivSI, args[0], stages), one);
      Regs next = body(step, slot, phase, args);
      next.insert(next.begin(), b.binary(Op::AddI, args[0], one));
      return next;
    });
    return last[result];
  }
  Regs last;

  void store(Reg tile, Reg desc, Reg row, Reg column) {
    const Type &type = b.typeOf(tile);
    Type half = type;
    half.elem = DType::f16;
    Reg narrow = b.emit1(Op::TruncF, {tile}, b.type(half));
    Allocation allocation;
    allocation.name = "c";
    allocation.bytes = half.numElements() * 2;
    Attrs attrs;
    attrs.allocation = b.allocation(allocation);
    Type memory = Type::memDesc(half.shape, DType::f16, b.layout(MemLayout::rowMajor(half.shape)));
    Effect write;
    write.kind = Kind::Write;
    write.space = sync::Space::Shared;
    Reg staged = b.emit1(Op::LocalAlloc, {narrow}, b.type(memory), attrs, {write});
    Effect fence;
    fence.kind = Kind::ProxyFence;
    b.emit(Op::Sync, {}, {}, {}, {fence});
    Effect read;
    read.kind = Kind::Read;
    read.space = sync::Space::Shared;
    read.moment = sync::Moment::Completion;
    read.group = sync::Group::BulkStore;
    read.target = staged;
    Effect commit;
    commit.kind = Kind::GroupCommit;
    commit.group = sync::Group::BulkStore;
    Reg token = b.emit1(Op::TmaStore, {desc, staged, row, column}, b.type(Type::token()), {},
                        {read, commit});
    Effect done;
    done.kind = Kind::GroupWait;
    done.group = sync::Group::BulkStore;
    done.readOnly = true;
    done.target = token;
    b.emit(Op::Sync, {token}, {}, {}, {done});
  }

  Program build() {
    int64_t rows = config.blockM / config.groups;
    b.facts().target = "cuda:90";
    b.facts().numWarps = 4;
    auto desc = [&](const char *name, int argument, Shape block) {
      return b.parameter(name, b.type(Type::tensorDesc(block, DType::f16)), argument);
    };
    int64_t storeN = config.splitEpilogue ? config.blockN / 2 : config.blockN;
    Reg descA = desc("a", 0, {rows, config.blockK});
    Reg descB = desc("b", 1, {config.blockK, config.blockN});
    Reg descC = desc("c", 2, {rows, storeN});
    Reg m = b.parameter("M", i32, 3), n = b.parameter("N", i32, 4), k = b.parameter("K", i32, 5);
    int64_t slots = int64_t(config.stages) * config.groups;
    Reg a = buffers("a", slots, {rows, config.blockK}, DType::f16);
    Reg bm = buffers("b", config.stages, {config.blockK, config.blockN}, DType::f16);
    Reg emptyA = buffers("empty a", slots, {1}, DType::i64),
        fullA = buffers("full a", slots, {1}, DType::i64);
    Reg emptyB = buffers("empty b", config.stages, {1}, DType::i64),
        fullB = buffers("full b", config.stages, {1}, DType::i64);
    init(emptyA, slots, 1);
    init(fullA, slots, 1);
    init(emptyB, config.stages, config.groups);
    init(fullB, config.stages, 1);
    Regs captures{m, n, k, a, bm, emptyA, fullA, emptyB, fullB, descC};

    auto produce = [&]() -> Regs {
      forTiles(m, n, [&](Tile tile, Reg count) {
        return kLoop(
            k, {count},
            [&](Reg step, Reg slot, Reg phase, const Regs &) -> Regs {
              Reg column = b.binary(Op::MulI, step, integer(config.blockK));
              Reg flipped = b.binary(Op::XorI, phase, integer(1));
              for (int g = 0; g < config.groups; ++g) {
                Reg index = b.binary(Op::AddI, slot, integer(int64_t(g) * config.stages));
                Reg full = at(fullA, index);
                wait(at(emptyA, index), flipped);
                expect(full, rows * config.blockK * 2);
                load(descA, b.binary(Op::AddI, tile.row, integer(g * rows)), column, at(a, index),
                     full);
                if (g > 0)
                  continue;
                Reg fullSlot = at(fullB, slot);
                wait(at(emptyB, slot), flipped);
                expect(fullSlot, config.blockK * config.blockN * 2);
                load(descB, column, tile.column, at(bm, slot), fullSlot);
              }
              return {};
            },
            0);
      });
      return {};
    };

    std::vector<Builder::PartitionSpec> consumers;
    for (int g = 0; g < config.groups; ++g) {
      Builder::PartitionSpec spec;
      spec.numWarps = 4;
      spec.requestedRegisters = 232;
      spec.body = [this, g, rows, storeN](const Regs &args) {
        TypeId accType = b.tensor({rows, config.blockN}, DType::f32);
        Reg zero = b.constant(accType, {0});
        forTiles(args[0], args[1], [&](Tile tile, Reg count) {
          kLoop(
              args[2], {count, zero},
              [&](Reg, Reg slot, Reg phase, const Regs &loop) -> Regs {
                Reg index = b.binary(Op::AddI, slot, integer(int64_t(g) * config.stages));
                wait(at(args[6], index), phase);
                wait(at(args[8], slot), phase);
                Effect commit;
                commit.kind = Kind::GroupCommit;
                commit.group = sync::Group::Wgmma;
                Reg acc =
                    b.emit1(Op::WarpGroupDot, {at(args[3], index), at(args[4], slot), loop[1]},
                            accType, {}, {commit});
                Effect done;
                done.kind = Kind::GroupWait;
                done.group = sync::Group::Wgmma;
                acc = b.emit1(Op::WarpGroupDotWait, {acc}, accType, {}, {done});
                if (!(config.dropEmptyArrive && g == 0))
                  arrive(at(args[5], index));
                arrive(at(args[7], slot));
                return {acc};
              },
              1);
          Reg used = last[0], acc = last[1];
          Reg row = b.binary(Op::AddI, tile.row, integer(g * rows));
          if (!config.splitEpilogue) {
            store(acc, args[9], row, tile.column);
            return used;
          }
          TypeId halfTile = b.tensor({rows, storeN}, DType::f32);
          Regs halves = b.emit(Op::Split, {acc}, {halfTile, halfTile});
          store(halves[0], args[9], row, tile.column);
          store(halves[1], args[9], row, b.binary(Op::AddI, tile.column, integer(storeN)));
          return used;
        });
      };
      consumers.push_back(spec);
    }
    b.warpSpecialize(captures, {}, produce, consumers);
    b.emit(Op::Return, {});
    return b.finish();
  }
};

} // namespace

Program gemmProgram(const GemmConfig &config) {
  Gemm gemm(config);
  return gemm.build();
}

TimingLaunch gemmLaunch(const GemmConfig &config) {
  TimingLaunch launch;
  int64_t tiles = ((config.m + config.blockM - 1) / config.blockM) *
                  ((config.n + config.blockN - 1) / config.blockN);
  launch.grid = {std::min(tiles, config.sms), 1, 1};
  auto descriptor = [&](int64_t address, int64_t rows, int64_t columns) {
    TimingArgument argument;
    argument.kind = TimingArgument::Kind::Descriptor;
    argument.bits = address;
    argument.shape = {rows, columns};
    argument.strides = {columns, 1};
    return argument;
  };
  auto scalar = [](int64_t value) {
    TimingArgument argument;
    argument.kind = TimingArgument::Kind::Scalar;
    argument.bits = value;
    return argument;
  };
  const auto &c = config;
  launch.arguments = {descriptor(int64_t(1) << 40, c.m, c.k),
                      descriptor(int64_t(2) << 40, c.k, c.n),
                      descriptor(int64_t(3) << 40, c.m, c.n),
                      scalar(c.m),
                      scalar(c.n),
                      scalar(c.k)};
  launch.footprintBytes = 2 * (c.m * c.k + c.k * c.n + c.m * c.n);
  return launch;
}

} // namespace tlx::sim::test
