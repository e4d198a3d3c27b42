#include "sim/units/sm/SharedMemoryPort.h"
#include "sim/units/sm/SubPartition.h"
#include "sim/units/tensor_core/TensorCore.h"

#include <gtest/gtest.h>

using namespace tlx;
using namespace tlx::sim;

namespace {

Chip h200() { return *Chip::load("h200"); }

TEST(SubPartition, ThroughputOfEachPipe) {
  SubPartition part(SubPartition::Spec::of(h200()));
  // 64 FMA instructions of 32 threads on 32 lanes: one a cycle.
  SubPartition::Turn fma = part.commit(100, Pipe::Fma, 64);
  EXPECT_EQ(fma.start, 100);
  EXPECT_EQ(fma.issueDone, 164);
  EXPECT_EQ(fma.pipeDone, 164);
  EXPECT_EQ(fma.ready, 104);
  // MUFU has 4 lanes: 8 cycles an instruction, issued in one each.
  SubPartition::Turn mufu = part.commit(164, Pipe::Mufu, 16);
  EXPECT_EQ(mufu.issueDone, 180);
  EXPECT_EQ(mufu.pipeDone, 164 + 128);
  EXPECT_EQ(mufu.ready, 164 + 128 + 17 - 16);
  // Another pipe works beside it, the same one queues.
  EXPECT_EQ(part.query(180, Pipe::Fma, 1).start, 180);
  SubPartition::Turn queued = part.query(180, Pipe::Mufu, 1);
  EXPECT_EQ(queued.pipeStart, 292);
  EXPECT_EQ(queued.issueDone, 181);
  EXPECT_EQ(part.pipeBusy(Pipe::Mufu), 128); // queries changed nothing
}

TEST(SubPartition, TheIssueSlotIsShared) {
  SubPartition part(SubPartition::Spec::of(h200()));
  part.commit(0, Pipe::Fma, 50);
  SubPartition::Turn turn = part.query(10, Pipe::Alu, 1);
  EXPECT_EQ(turn.start, 50);
}

TEST(SubPartition, WaitingForAPipeLeavesTheIssueSlotToOthers) {
  SubPartition part(SubPartition::Spec::of(h200()));
  part.commit(0, Pipe::Mufu, 16);
  SubPartition::Turn second = part.commit(16, Pipe::Mufu, 16); // until 256
  EXPECT_EQ(second.pipeStart, 128);
  EXPECT_EQ(part.query(32, Pipe::Fma, 1).start, 32);
}

TensorCore::Product wgmma(int64_t m, int64_t n, int64_t k, bool aInSmem = true) {
  int instructions = int(m / 64 * (k / 16));
  int64_t bytes = (aInSmem ? m * k * 2 : 0) + m / 64 * n * k * 2;
  return {2 * m * n * k, bytes, instructions, MmaFormat::F16};
}

TEST(TensorCore, RateByShape) {
  TensorCore core(TensorCore::Spec::of(h200()));
  EXPECT_EQ(core.duration(wgmma(64, 256, 16)), 128); // N / 2
  EXPECT_EQ(core.duration(wgmma(64, 128, 16)), 64);
  EXPECT_EQ(core.duration(wgmma(64, 64, 16)), 32);
  // Narrow products wait for A: 2048 + 1024 bytes at 128 a cycle.
  EXPECT_EQ(core.duration(wgmma(64, 32, 16)), 24);
  EXPECT_EQ(core.duration(wgmma(64, 32, 16, false)), 16);
  TensorCore::Product fp8 = wgmma(64, 256, 16);
  fp8.format = MmaFormat::F8;
  fp8.smemBytes /= 2;
  EXPECT_EQ(core.duration(fp8), 64);
}

TEST(TensorCore, QueuesInOrderOfIssue) {
  TensorCore core(TensorCore::Spec::of(h200()));
  TensorCore::Turn first = core.commit(0, wgmma(64, 256, 64));
  EXPECT_EQ(first.start, 19);
  EXPECT_EQ(first.busyUntil, 19 + 512);
  EXPECT_EQ(first.done, 19 + 512 + 132);
  EXPECT_EQ(first.issueDone, 4 * 19);
  TensorCore::Turn second = core.query(20, wgmma(64, 256, 64));
  EXPECT_EQ(second.start, 531);
  EXPECT_EQ(core.busy(), 512);
}

TEST(TensorCore, ALongProductFillsTheQueue) {
  TensorCore core(TensorCore::Spec::of(h200()));
  // 16 instructions, 6 admitted at once: the last one is issued when 10 are over.
  TensorCore::Turn turn = core.commit(0, wgmma(128, 256, 128));
  EXPECT_EQ(turn.issueDone, 19 + 2048 * 10 / 16);
}

TEST(TensorCore, SaysWhatItDoesNotMultiply) {
  TensorCore core(TensorCore::Spec::of(h200()));
  EXPECT_TRUE(core.supports(MmaFormat::F16));
  EXPECT_FALSE(core.supports(MmaFormat::F4));
}

TEST(SharedMemoryPort, ProductsGoFirst) {
  SharedMemoryPort port(128);
  EXPECT_EQ(port.commit(0, 1280).done, 10);
  port.takeFirst(20, 120, 9600); // three quarters for 100 cycles
  EXPECT_EQ(port.commit(10, 1280).done, 20);
  // 10 cycles at a quarter; 5 before the product and 3 of 20 in it.
  EXPECT_EQ(port.commit(20, 1280).done, 60);
  EXPECT_EQ(port.commit(100, 1280).done, 125);
  EXPECT_EQ(port.busy(), 40 + 75);
}

TEST(SharedMemoryPort, FullOperandsLeaveALittle) {
  SharedMemoryPort port(128);
  port.takeFirst(0, 1000, 128000);
  EXPECT_EQ(port.commit(0, 128).done, 1024 / 25);
  port.takeFirst(1000, 1000, 0); // no operands of its own
  EXPECT_EQ(port.commit(1000, 128).done, 1001);
}

} // namespace
