// Shared memory views and layouts, device memory, TMA modes, atomics, tensor memory.
#include "Kernels.h"

#include <cmath>
#include <functional>
#include <numeric>

using namespace tlx;
using namespace tlx::sim;
using namespace tlx::sim::test;

namespace {

/// Loads a [rows, columns] i32 tile, lets `body` make a tile of it, stores that.
std::vector<int32_t> through(int64_t rows, int64_t columns, int64_t outRows, int64_t outColumns,
                             const std::function<Reg(Kernel &, Reg)> &body,
                             std::string *findings = nullptr) {
  Kernel b("memory");
  Reg in = b.pointerArg("in", DType::i32), out = b.pointerArg("out", DType::i32);
  int64_t n = rows * columns, m = outRows * outColumns;
  Reg flat = b.emit1(Op::Load, {b.pointers(in, n)}, b.tensor({n}, DType::i32));
  Reg y = body(b, b.emit1(Op::Reshape, {flat}, b.tensor({rows, columns}, DType::i32)));
  b.emit(Op::Store, {b.pointers(out, m), b.emit1(Op::Reshape, {y}, b.tensor({m}, DType::i32))});
  b.ret();
  Program program = b.finish();
  std::vector<int32_t> data(n), result(m, -1);
  std::iota(data.begin(), data.end(), 0);
  GlobalMemory memory;
  uint64_t at = memory.add("in", data.data(), n * 4);
  RunReport report =
      run(program, memory,
          {Argument::pointer(at), Argument::pointer(memory.add("out", result.data(), m * 4))});
  if (findings)
    *findings = text(program, report);
  else
    EXPECT_TRUE(report.clean()) << text(program, report);
  return result;
}

Reg loadAs(Kernel &b, Reg memory, Shape shape, DType elem = DType::i32) {
  return b.emit1(Op::LocalLoad, {memory}, b.tensor(std::move(shape), elem));
}

} // namespace

TEST(Shared, EveryLayoutGivesBackWhatWasStored) {
  std::vector<MemLayout> layouts{MemLayout::rowMajor({16, 32}),
                                 MemLayout::swizzled(16, 32, 4, 1, 8),
                                 MemLayout::swizzled(16, 32, 1, 2, 4)};
  MemLayout padded = MemLayout::rowMajor({16, 32});
  padded.paddings = {{32, 4}};
  layouts.push_back(padded);
  MemLayout columns; // column-major
  columns.bases = {{1, 2, 4, 8}, {16, 32, 64, 128, 256}};
  layouts.push_back(columns);
  for (const MemLayout &layout : layouts) {
    std::vector<int32_t> got = through(16, 32, 16, 32, [&](Kernel &b, Reg x) {
      Reg memory = b.shared("tile", {16, 40}, DType::i32, b.plain({16, 64}));
      Type type = Type::memDesc({16, 32}, DType::i32, b.layout(layout));
      Reg view = b.emit1(Op::MemDescReinterpret, {memory}, b.type(type));
      b.emit(Op::LocalStore, {x, view});
      return loadAs(b, view, {16, 32});
    });
    std::vector<int32_t> want(16 * 32);
    std::iota(want.begin(), want.end(), 0);
    EXPECT_EQ(got, want);
  }
}

TEST(Shared, ReinterpretShowsTheSwizzle) {
  // What is stored through a swizzle and read as plain rows is permuted by it.
  std::vector<int32_t> got = through(8, 8, 8, 8, [&](Kernel &b, Reg x) {
    Reg memory = b.shared("tile", {8, 8}, DType::i32, b.layout(MemLayout::swizzled(8, 8, 1, 1, 8)));
    b.emit(Op::LocalStore, {x, memory});
    Reg plain = b.emit1(Op::MemDescReinterpret, {memory},
                        b.type(Type::memDesc({8, 8}, DType::i32, b.plain({8, 8}))));
    return loadAs(b, plain, {8, 8});
  });
  for (int32_t r = 0; r < 8; ++r)
    for (int32_t c = 0; c < 8; ++c)
      EXPECT_EQ(got[r * 8 + c], r * 8 + (c ^ r));
}

TEST(Shared, SubslicesTransposesAndBuffersPointIntoOneTile) {
  std::vector<int32_t> got = through(16, 32, 16, 4, [&](Kernel &b, Reg x) {
    LayoutId layout = b.layout(MemLayout::swizzled(16, 32, 4, 1, 4));
    Reg ring = b.shared("ring", {16, 32}, DType::i32, layout, 3);
    Reg tile = b.buffer(ring, b.i32(2));
    b.emit(Op::LocalStore, {x, tile});
    // Rows 8..15 and columns 8..23 of the tile, turned around, then rows 4..11 of that.
    Type part = Type::memDesc({8, 16}, DType::i32, layout);
    part.allocShape = {16, 32};
    Attrs at;
    at.ints = {8, 16};
    Reg slice = b.emit1(Op::MemDescSubslice, {tile}, b.type(part), at);
    MemLayout turned = MemLayout::swizzled(16, 32, 4, 1, 4);
    std::swap(turned.bases[0], turned.bases[1]);
    Type turnedType = Type::memDesc({16, 8}, DType::i32, b.layout(turned));
    turnedType.allocShape = {32, 16};
    Attrs order;
    order.ints = {1, 0};
    Reg flipped = b.emit1(Op::MemDescTrans, {slice}, b.type(turnedType), order);
    turnedType.shape = {16, 4};
    Attrs columns;
    columns.ints = {0, 4};
    Reg narrow = b.emit1(Op::MemDescSubslice, {flipped}, b.type(turnedType), columns);
    return loadAs(b, narrow, {16, 4});
  });
  for (int32_t r = 0; r < 16; ++r)
    for (int32_t c = 0; c < 4; ++c)
      EXPECT_EQ(got[r * 4 + c], (8 + 4 + c) * 32 + 16 + r);
}

TEST(Shared, GatherAndScatterAlongAnAxis) {
  std::vector<int32_t> got = through(4, 8, 4, 8, [&](Kernel &b, Reg x) {
    Reg memory = b.shared("tile", {4, 8}, DType::i32, b.layout(MemLayout::swizzled(4, 8, 2, 1, 4)));
    Attrs range;
    range.ints = {0, 8};
    Reg up = b.emit1(Op::MakeRange, {}, b.tensor({8}, DType::i32), range);
    Reg seven = b.emit1(Op::Splat, {b.i32(7)}, b.tensor({8}, DType::i32));
    Reg down =
        b.emit1(Op::ExpandDims, {b.binary(Op::SubI, seven, up)}, b.tensor({1, 8}, DType::i32));
    Reg index = b.emit1(Op::Broadcast, {down}, b.tensor({4, 8}, DType::i32));
    Attrs axis;
    axis.axis = 1;
    b.emit(Op::LocalScatter, {memory, x, index}, {}, axis); // reversed
    Reg back = b.emit1(Op::LocalGather, {memory, index}, b.tensor({4, 8}, DType::i32), axis);
    return b.binary(Op::SubI, loadAs(b, memory, {4, 8}), back);
  });
  for (int32_t r = 0; r < 4; ++r)
    for (int32_t c = 0; c < 8; ++c)
      EXPECT_EQ(got[r * 8 + c], (7 - c) - c);
}

TEST(Shared, UninitialisedBytesAreFoundOnce) {
  std::string findings;
  through(
      4, 8, 4, 8,
      [&](Kernel &b, Reg x) {
        Reg memory = b.shared("tile", {8, 8}, DType::i32, b.plain({8, 8}));
        Type half = Type::memDesc({4, 8}, DType::i32, b.plain({8, 8}));
        half.allocShape = {8, 8};
        Attrs at;
        at.ints = {0, 0};
        b.emit(Op::LocalStore, {x, b.emit1(Op::MemDescSubslice, {memory}, b.type(half), at)});
        b.at(5);
        at.ints = {4, 0};
        return loadAs(b, b.emit1(Op::MemDescSubslice, {memory}, b.type(half), at), {4, 8});
      },
      &findings);
  EXPECT_NE(findings.find("uninitialized: kernel.py:5:1: error: reads bytes of shared memory that "
                          "nobody has written, from byte 0x80"),
            std::string::npos)
      << findings;
}

TEST(Shared, IndexOutsideTheRingIsLocated) {
  std::string findings;
  through(
      4, 8, 4, 8,
      [&](Kernel &b, Reg x) {
        Reg ring = b.shared("ring", {4, 8}, DType::i32, b.plain({4, 8}), 2);
        b.at(9);
        return loadAs(b, b.buffer(ring, b.i32(2)), {4, 8});
      },
      &findings);
  EXPECT_NE(findings.find("kernel.py:9:1: error: index 2 into 2 buffers"), std::string::npos)
      << findings;
}

TEST(Global, MaskedLoadsTakeOther) {
  std::vector<int32_t> got = through(1, 8, 1, 8, [&](Kernel &b, Reg x) {
    Reg flat = b.emit1(Op::Reshape, {x}, b.tensor({8}, DType::i32));
    Reg three = b.emit1(Op::Splat, {b.i32(3)}, b.tensor({8}, DType::i32));
    Reg mask = b.compare(CmpI::Sgt, flat, three);
    Reg other = b.emit1(Op::Splat, {b.i32(-9)}, b.tensor({8}, DType::i32));
    // Parameter 0 is register 0: load again under the mask.
    return b.emit1(Op::Load, {b.pointers(0, 8), mask, other}, b.tensor({8}, DType::i32));
  });
  EXPECT_EQ(got, (std::vector<int32_t>{-9, -9, -9, -9, 4, 5, 6, 7}));
}

TEST(Global, AccessesOutsideAreFindings) {
  std::string findings;
  through(
      1, 8, 1, 8,
      [&](Kernel &b, Reg x) {
        b.at(3);
        Reg far = b.emit1(Op::AddPtr, {b.parameter("unused", b.pointer(DType::i32), 0), b.i32(6)},
                          b.pointer(DType::i32));
        return b.emit1(Op::Load, {b.pointers(far, 8)}, b.tensor({8}, DType::i32));
      },
      &findings);
  EXPECT_NE(findings.find("out-of-bounds: kernel.py:3:1: error: a load of 32 bytes at"),
            std::string::npos)
      << findings;
  EXPECT_NE(findings.find("'in' has 32 bytes and ends 24 bytes before"), std::string::npos)
      << findings;
}

TEST(Global, AtomicsReturnTheOldValueInOrder) {
  Kernel b("atomics");
  Reg counter = b.pointerArg("counter", DType::i32), out = b.pointerArg("out", DType::i32);
  Attrs add;
  add.rmw = Rmw::Add;
  Type pointers = Type::pointerTensor({4}, DType::i32);
  Reg same = b.emit1(Op::Splat, {counter}, b.type(pointers));
  Reg values = b.constant(b.tensor({4}, DType::i32), {1, 10, 100, 1000});
  Reg old = b.emit1(Op::AtomicRmw, {same, values}, b.tensor({4}, DType::i32), add);
  b.emit(Op::Store, {b.offset(out, b.emit1(Op::Splat, {b.mul(b.programId(0), b.i32(4))},
                                           b.tensor({4}, DType::i32))),
                     old});
  b.ret();
  Program program = b.finish();
  int32_t total = 5;
  std::vector<int32_t> result(64, -1);
  GlobalMemory memory;
  uint64_t at = memory.add("counter", &total, 4);
  RunReport report = run(
      program, memory,
      {Argument::pointer(at), Argument::pointer(memory.add("out", result.data(), 256))}, {8, 1, 1});
  EXPECT_TRUE(report.clean()) << text(program, report);
  EXPECT_EQ(total, 5 + 8 * 1111);
}

TEST(Global, CompareAndSwapStoresOnEquality) {
  Kernel b("cas");
  Reg word = b.pointerArg("word", DType::i32), out = b.pointerArg("out", DType::i32);
  TypeId i32 = b.scalar(DType::i32);
  Reg first = b.emit1(Op::AtomicCas, {word, b.i32(7), b.i32(8)}, i32);
  Reg second = b.emit1(Op::AtomicCas, {word, b.i32(7), b.i32(9)}, i32);
  b.emit(Op::Store, {out, b.add(b.mul(first, b.i32(100)), second)});
  b.ret();
  Program program = b.finish();
  int32_t value = 7, result = 0;
  GlobalMemory memory;
  uint64_t at = memory.add("word", &value, 4);
  run(program, memory, {Argument::pointer(at), Argument::pointer(memory.add("out", &result, 4))});
  EXPECT_EQ(value, 8);
  EXPECT_EQ(result, 708);
}

TEST(Tma, StoreReduceAddsInTheElementType) {
  Kernel b("reduce");
  Reg desc = b.descArg("c", {8, 16}, DType::f16);
  Reg tile = b.shared("tile", {8, 16}, DType::f16, b.plain({8, 16}));
  b.emit(Op::LocalStore, {b.constantFloat(b.tensor({8, 16}, DType::f16), 0.5), tile});
  Attrs add;
  add.reduceKind = ReduceKind::Add;
  b.emit(Op::TmaReduce, {desc, tile, b.i32(4), b.i32(0)}, {}, add,
         {later(sync::Kind::Read, tile, sync::Space::Shared, sync::Group::BulkStore),
          later(sync::Kind::Write, desc, sync::Space::Global, sync::Group::BulkStore)});
  b.sync({groupWait(sync::Group::BulkStore, 0)});
  b.ret();
  Program program = b.finish();
  std::vector<uint16_t> c(8 * 16, floatToHalf(1.25f));
  GlobalMemory memory;
  RunReport report =
      run(program, memory,
          {Argument::desc(memory.add("c", c.data(), 256), DType::f16, {8, 16}, {16, 1})});
  EXPECT_TRUE(report.clean()) << text(program, report);
  for (int64_t i = 0; i < 8 * 16; ++i)
    EXPECT_EQ(halfToFloat(c[i]), i / 16 >= 4 ? 1.75f : 1.25f);
}

TEST(Tma, NanFillAndDescriptorsMadeOnTheDevice) {
  Kernel b("fill");
  Reg in = b.pointerArg("in", DType::f32), out = b.pointerArg("out", DType::f32);
  Attrs scratchAttrs;
  scratchAttrs.count = 128;
  scratchAttrs.alignment = 128;
  Reg scratch = b.emit1(Op::GlobalScratchAlloc, {}, b.pointer(DType::i8), scratchAttrs);
  Attrs make;
  make.count = 2;
  make.padNan = true;
  TypeId descType = b.type(Type::tensorDesc({4, 8}, DType::f32));
  b.emit1(
      Op::MakeTensorDescriptor,
      {in, scratch, b.i32(3), b.i32(6), b.constantInt(DType::i64, 8), b.constantInt(DType::i64, 1)},
      descType, make);
  Reg desc = b.emit1(Op::ReinterpretTensorDescriptor, {scratch}, descType);
  Reg bar = b.barrier(b.barriers("full", 1, 1), b.i32(0));
  Reg tile = b.shared("tile", {4, 8}, DType::f32, b.plain({4, 8}));
  b.sync(expectEffects(bar, 128));
  b.tmaLoad(desc, bar, tile, {b.i32(0), b.i32(-1)}, 128);
  b.sync({waitEffect(bar, b.i32(0))});
  Reg x = b.emit1(Op::LocalLoad, {tile}, b.tensor({4, 8}, DType::f32));
  b.emit(Op::Store, {b.pointers(out, 32), b.emit1(Op::Reshape, {x}, b.tensor({32}, DType::f32))});
  b.ret();
  Program program = b.finish();
  std::vector<float> data(24), result(32);
  std::iota(data.begin(), data.end(), 0.0f);
  GlobalMemory memory;
  uint64_t at = memory.add("in", data.data(), 96);
  RunReport report =
      run(program, memory,
          {Argument::pointer(at), Argument::pointer(memory.add("out", result.data(), 128))});
  EXPECT_TRUE(report.clean()) << text(program, report);
  for (int64_t r = 0; r < 4; ++r)
    for (int64_t c = 0; c < 8; ++c) {
      bool inside = r < 3 && c >= 1 && c - 1 < 6;
      EXPECT_TRUE(inside ? result[r * 8 + c] == float(r * 8 + c - 1)
                         : std::isnan(result[r * 8 + c]))
          << r << ' ' << c;
    }
}

TEST(Tma, MisalignedDescriptorIsOneLocatedError) {
  Kernel b("misaligned");
  Reg desc = b.descArg("a", {4, 8}, DType::f16);
  Reg bar = b.barrier(b.barriers("full", 1, 1), b.i32(0));
  Reg tile = b.shared("tile", {4, 8}, DType::f16, b.plain({4, 8}));
  b.sync(expectEffects(bar, 64));
  b.at(8);
  b.tmaLoad(desc, bar, tile, {b.i32(0), b.i32(0)}, 64);
  b.sync({waitEffect(bar, b.i32(0))});
  b.ret();
  Program program = b.finish();
  std::vector<uint16_t> data(100);
  GlobalMemory memory;
  RunReport report =
      run(program, memory,
          {Argument::desc(memory.add("a", data.data(), 200), DType::f16, {4, 9}, {9, 1})});
  ASSERT_EQ(report.findings.size(), 1u) << text(program, report);
  EXPECT_EQ(render(program, report.findings[0]),
            "kernel.py:8:1: error: a TMA descriptor's strides must be multiples of 16 bytes; got "
            "18 along dimension 0\n");
}

namespace {

/// Tensor memory: 128 lanes, columns of f32.
LayoutId tensorLayout(Kernel &b, int64_t rows, int64_t columns) {
  MemLayout layout;
  layout.bases.resize(2);
  for (int64_t r = 1; r < rows; r *= 2)
    layout.bases[0].push_back(uint32_t(r * tmemLaneBytes / 4));
  for (int64_t c = 1; c < columns; c *= 2)
    layout.bases[1].push_back(uint32_t(c));
  return b.layout(layout);
}

} // namespace

TEST(TensorMemory, PairedProductUsesBothHalvesOfB) {
  // Two CTAs: each loads its rows of A and half of the columns of B; the even one issues.
  Kernel b("pair");
  b.facts().target = "cuda:100";
  b.facts().clusterDims[0] = 2;
  const int64_t M = 128, N = 64, K = 32;
  Reg pa = b.descArg("a", {M, K}, DType::f16), pb = b.descArg("b", {K, N / 2}, DType::f16);
  Reg out = b.pointerArg("c", DType::f32);
  Reg rank = b.emit1(Op::ClusterId, {}, b.scalar(DType::i32));
  Reg ta = b.shared("a", {M, K}, DType::f16, b.plain({M, K})),
      tb = b.shared("b", {K, N / 2}, DType::f16, b.plain({K, N / 2}));
  Reg full = b.barrier(b.barriers("full", 1, 1), b.i32(0)),
      ready = b.barrier(b.barriers("ready", 1, 2), b.i32(0));
  Reg done = b.barrier(b.barriers("done", 1, 1), b.i32(0));
  Effect clusterArrive, clusterWait;
  clusterArrive.kind = sync::Kind::ClusterArrive;
  clusterWait.kind = sync::Kind::ClusterWait;
  b.sync({clusterArrive, clusterWait});
  Allocation alloc;
  alloc.space = sync::Space::Tensor;
  alloc.bytes = N * 4;
  Attrs allocAttrs;
  allocAttrs.allocation = b.allocation(alloc);
  Type acc = Type::memDesc({M, N}, DType::f32, tensorLayout(b, M, N), sync::Space::Tensor);
  Reg d = b.emit1(Op::TmemAlloc, {noReg}, b.type(acc), allocAttrs);
  b.sync(expectEffects(full, (M * K + K * N / 2) * 2));
  b.tmaLoad(pa, full, ta, {b.mul(rank, b.i32(M)), b.i32(0)}, M * K * 2);
  b.tmaLoad(pb, full, tb, {b.i32(0), b.mul(rank, b.i32(N / 2))}, K * N);
  Reg zero = b.i32(0), no = b.constantInt(DType::i1, 0);
  b.sync({waitEffect(full, zero)});
  Reg leaderReady =
      b.emit1(Op::MapToRemoteBuffer, {ready, zero},
              b.type(Type::memDesc({1}, DType::i64, b.plain({1}), sync::Space::SharedCluster)));
  b.sync({arriveEffect(leaderReady)});
  Reg leads = b.compare(CmpI::Eq, rank, zero);
  b.sync({waitEffect(ready, zero, leads)});
  Attrs mma;
  mma.twoCtas = true;
  Effect signal = later(sync::Kind::BarrierArrive, done, sync::Space::Shared, sync::Group::Tcgen05);
  signal.amount = 1;
  signal.threads = sync::Threads::Elected;
  signal.pairLeader = true;
  b.emit(Op::Tcgen05Mma, {ta, tb, d, no}, {}, mma,
         {later(sync::Kind::Write, d, sync::Space::Tensor, sync::Group::Tcgen05), signal});
  b.sync({waitEffect(done, zero)});
  Reg tile = b.emit1(Op::TmemLoad, {d}, b.tensor({M, N}, DType::f32));
  Reg flat = b.emit1(Op::Reshape, {tile}, b.tensor({M * N}, DType::f32));
  Reg base = b.emit1(Op::AddPtr, {out, b.mul(rank, b.i32(M * N))}, b.pointer(DType::f32));
  b.emit(Op::Store, {b.pointers(base, M * N), flat});
  b.sync({clusterArrive, clusterWait});
  b.ret();
  Program program = b.finish();
  std::vector<double> va, vb;
  std::vector<uint16_t> a = randomHalves(2 * M * K, 3, va), bb = randomHalves(K * N, 4, vb);
  for (const Schedule &schedule : schedules(3)) {
    std::vector<float> c(2 * M * N);
    GlobalMemory memory;
    uint64_t aa = memory.add("a", a.data(), a.size() * 2),
             ab = memory.add("b", bb.data(), bb.size() * 2);
    RunReport report = run(program, memory,
                           {Argument::desc(aa, DType::f16, {2 * M, K}, {K, 1}),
                            Argument::desc(ab, DType::f16, {K, N}, {N, 1}),
                            Argument::pointer(memory.add("c", c.data(), c.size() * 4))},
                           {2, 1, 1}, schedule);
    EXPECT_TRUE(report.clean()) << schedule.text() << text(program, report);
    double worst = 0;
    for (int64_t i = 0; i < 2 * M; ++i)
      for (int64_t j = 0; j < N; ++j) {
        double want = 0;
        for (int64_t k = 0; k < K; ++k)
          want += va[i * K + k] * vb[k * N + j];
        worst = std::max(worst, std::abs(want - c[i * N + j]));
      }
    EXPECT_LT(worst, 1e-5) << schedule.text();
  }
}

TEST(Dot, ScaledFourBitOperands) {
  // A: e2m1 packed along K with a scale for each 32; B: e4m3 without scales.
  Kernel b("scaled");
  const int64_t M = 16, N = 8, K = 64;
  Reg pa = b.pointerArg("a", DType::i8), ps = b.pointerArg("s", DType::i8),
      pb = b.pointerArg("b", DType::f8E4M3FN), out = b.pointerArg("c", DType::f32);
  auto load = [&](Reg pointer, Shape shape, DType elem) {
    int64_t n = shape[0] * shape[1];
    Reg flat = b.emit1(Op::Load, {b.pointers(pointer, n)}, b.tensor({n}, elem));
    return b.emit1(Op::Reshape, {flat}, b.tensor(shape, elem));
  };
  Attrs attrs;
  attrs.aType = ScaleElem::E2M1;
  attrs.bType = ScaleElem::E4M3;
  Reg zero = b.constantFloat(b.tensor({M, N}, DType::f32), 1);
  Reg c = b.emit1(Op::DotScaled,
                  {load(pa, {M, K / 2}, DType::i8), load(pb, {K, N}, DType::f8E4M3FN), zero,
                   load(ps, {M, K / 32}, DType::i8), noReg},
                  b.tensor({M, N}, DType::f32), attrs);
  b.emit(Op::Store,
         {b.pointers(out, M * N), b.emit1(Op::Reshape, {c}, b.tensor({M * N}, DType::f32))});
  b.ret();
  Program program = b.finish();
  std::mt19937 random(5);
  std::vector<uint8_t> a(M * K / 2), s(M * K / 32), bb(K * N);
  for (uint8_t &x : a)
    x = uint8_t(random());
  for (uint8_t &x : s)
    x = uint8_t(125 + random() % 5);
  for (uint8_t &x : bb)
    x = uint8_t(fromDouble(DType::f8E4M3FN, double(int(random() % 17)) / 4 - 2));
  std::vector<float> result(M * N);
  GlobalMemory memory;
  uint64_t aa = memory.add("a", a.data(), a.size()), as = memory.add("s", s.data(), s.size()),
           ab = memory.add("b", bb.data(), bb.size());
  RunReport report = run(program, memory,
                         {Argument::pointer(aa), Argument::pointer(as), Argument::pointer(ab),
                          Argument::pointer(memory.add("c", result.data(), result.size() * 4))});
  EXPECT_TRUE(report.clean()) << text(program, report);
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < N; ++j) {
      double want = 1;
      for (int64_t k = 0; k < K; ++k) {
        double x = toDouble(DType::f4E2M1, a[i * K / 2 + k / 2] >> (k % 2 * 4) & 15) *
                   std::ldexp(1.0, int(s[i * 2 + k / 32]) - 127);
        want += x * toDouble(DType::f8E4M3FN, bb[k * N + j]);
      }
      EXPECT_NEAR(result[i * N + j], want, 1e-4 * (1 + std::abs(want)));
    }
}
