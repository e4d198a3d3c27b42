//===- Exec.h - what an operation's behaviour sees ------------------------===//
//
// The same handler runs an instruction at once or, for an asynchronous operation, at its
// completion, with the operand values of the time of issue.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "sim/functional/Cluster.h"
#include "sim/functional/Launch.h"

#include <string>

namespace tlx::sim {

struct Exec {
  Cluster &cluster;
  Task &task;
  Cta &cta;
  const Program &program;
  const Prepared &prepared;
  const Inst &inst;
  Pc pc;
  AsyncOp *async = nullptr;
  Pc next = -1; ///< set by control flow; -1: the next instruction
  bool blocked = false;

  const Attrs &attrs() const { return program.attrsOf(inst); }
  unsigned numOperands() const { return inst.numOperands; }
  bool has(unsigned i) const { return program.operand(inst, i) != noReg; }
  const Value &in(unsigned i) const {
    return async ? async->operands[i] : task.regs[program.operand(inst, i)];
  }
  /// The operand's value, moved out of its register when nobody reads it again.
  Value take(unsigned i) {
    if (async)
      return std::move(async->operands[i]);
    Value &value = task.regs[program.operand(inst, i)];
    // Threads that diverged go another way next, which may read what this one does not.
    if (i < 32 && prepared.insts[pc].dead >> i & 1 && task.divergences.empty())
      return std::move(value);
    return value;
  }
  const Type &type(unsigned i) const { return program.typeOf(program.operand(inst, i)); }
  TypeId typeId(unsigned i) const { return program.regTypes[program.operand(inst, i)]; }
  const Type &resultType(unsigned i = 0) const { return program.typeOf(program.result(inst, i)); }
  void out(unsigned i, Value value) {
    if (i < inst.numResults)
      task.regs[program.result(inst, i)] = std::move(value);
  }
  bool flag(unsigned i, bool absent = true) const { return has(i) ? in(i).asInt() != 0 : absent; }
  bool wantsValues() const;
  /// A tensor-core operation that the even CTA of a pair does for both.
  bool forPair() const;

  void fail(Finding::Kind kind, std::string message, bool fatal = true);
  void unsupported(std::string what) { fail(Finding::Kind::Unsupported, std::move(what)); }

  // Memory. Each reports what is out of bounds and returns false (reads give zeros).
  /// Raw elements of operand `i`'s tile, row-major.
  bool readTileRaw(unsigned i, std::vector<char> &raw, sync::Proxy proxy, int32_t rank = -1);
  /// The tile of operand `i` as a register tensor of type `as`.
  Value readTile(unsigned i, const Type &as, sync::Proxy proxy, int32_t rank = -1);
  /// `rank`: in the CTA of that rank instead of the one that the reference names.
  bool writeTile(unsigned i, const Value &value, const Type &as, sync::Proxy proxy,
                 int32_t rank = -1);
  bool writeTileRaw(unsigned i, const char *raw, sync::Proxy proxy, int32_t rank = -1);
  bool writeMemory(MemRef ref, TypeId type, const char *raw, sync::Proxy proxy);
  /// Storage that a memory reference points into: shared or tensor memory.
  std::vector<char> *storage(const MemRef &ref, sync::Space space, Cta **owner = nullptr);
  void noteAccess(const Cta &owner, const TileMap &map, const MemRef &ref, sync::Space space,
                  sync::Proxy proxy, bool write);
  void noteShared(const Cta &owner, sync::Space space, const std::vector<ByteRange> &ranges,
                  sync::Proxy proxy, bool write);
  void checkBytes(const Cta &owner, sync::Space space, const std::vector<ByteRange> &ranges,
                  bool write);
  void tellAccess(const Cta &owner, sync::Space space, const std::vector<ByteRange> &ranges,
                  sync::Proxy proxy, bool write, int32_t warps = -1);
  void noteGlobal(const ByteRange *ranges, size_t count, sync::Proxy proxy, bool write,
                  bool atomic = false);
  /// Bytes of device memory, or null and a finding.
  char *global(uint64_t address, uint64_t bytes, const char *what);
};

struct HandlerTable {
  Handler handlers[numOps] = {};
  void set(Op op, Handler handler) { handlers[unsigned(op)] = handler; }
};

// One function for each file of operations.
void registerControl(HandlerTable &table);
void registerIntegers(HandlerTable &table);
void registerFloats(HandlerTable &table);
void registerMath(HandlerTable &table);
void registerCasts(HandlerTable &table);
void registerShapes(HandlerTable &table);
void registerReductions(HandlerTable &table);
void registerGlobal(HandlerTable &table);
void registerProgramOps(HandlerTable &table);
void registerShared(HandlerTable &table);
void registerBarriers(HandlerTable &table);
void registerTma(HandlerTable &table);
void registerCopies(HandlerTable &table);
void registerDots(HandlerTable &table);
void registerTensorMemory(HandlerTable &table);
void registerClusters(HandlerTable &table);
void registerAmd(HandlerTable &table);
const HandlerTable &handlerTable();

/// Runs a region on whole tensors (or single elements): its results.
std::vector<Value> runBlock(Exec &exec, const Block &block, std::vector<Value> args);

} // namespace tlx::sim
