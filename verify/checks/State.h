//===- State.h - the whole state of the canonical run ---------------------===//
//
// Plain data, copied at every fork. What is unusual is the memory of the past:
//
// - A *token* stands for an event that something may still have to be ordered
//   after: one for each stretch of a strand between two releases (an epoch, in
//   FastTrack's word), one for each asynchronous operation.
// - *Knowledge* is a set of tokens, one row of bits for each holder: strands,
//   and barriers (what their arrivals knew). Acquire and release are unions of
//   rows. "a happened before b" is "a's token is in b's row".
// - Each row has two halves: what is known to have happened, and of that what
//   is visible to the async proxy (a proxy fence stood on the way).
//
// A strand is what of a task moves on its own: the leader (the elected thread's
// warp) and the rest. They run in lock step here, but know different things
// until something joins them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "verify/model/Tiles.h"

#include <array>
#include <bit>
#include <cstring>

namespace tlx::verify {

using Token = uint16_t;

/// Rows of bits that grow together.
class Knowledge {
public:
  void init(int rows, int words) {
    numRows = rows;
    W = words;
    bits.assign(static_cast<size_t>(rows) * 2 * W, 0);
  }
  int capacity() const { return W * 64; }
  size_t words() const { return static_cast<size_t>(W); }
  int rows() const { return numRows; }
  bool knows(int row, Token t) const { return at(row)[t >> 6] >> (t & 63) & 1; }
  bool seesAsync(int row, Token t) const { return at(row)[W + (t >> 6)] >> (t & 63) & 1; }
  void set(int row, Token t, bool async) {
    at(row)[t >> 6] |= uint64_t(1) << (t & 63);
    if (async)
      at(row)[W + (t >> 6)] |= uint64_t(1) << (t & 63);
  }
  void join(int to, int from) {
    uint64_t *a = at(to);
    const uint64_t *b = at(from);
    for (int i = 0; i < 2 * W; ++i)
      a[i] |= b[i];
  }
  void copy(int to, int from) { std::memcpy(at(to), at(from), sizeof(uint64_t) * 2 * W); }
  void clear(int row) { std::memset(at(row), 0, sizeof(uint64_t) * 2 * W); }
  void fence(int row) {
    uint64_t *a = at(row);
    for (int i = 0; i < W; ++i)
      a[W + i] |= a[i];
  }
  /// All that a row knows; `visible`: of that what the async proxy sees.
  template <typename Visit> void each(int row, bool visible, Visit visit) const {
    const uint64_t *words = at(row) + (visible ? W : 0);
    for (int i = 0; i < W; ++i)
      for (uint64_t rest = words[i]; rest; rest &= rest - 1)
        visit(static_cast<Token>(i * 64 + std::countr_zero(rest)));
  }
  /// Of all that anybody knows, only these tokens are left: the others are about to be reused.
  void keep(const std::vector<uint64_t> &tokens) {
    for (size_t i = 0; i < bits.size(); ++i)
      bits[i] &= tokens[i % W];
  }
  void grow();

private:
  uint64_t *at(int row) { return bits.data() + static_cast<size_t>(row) * 2 * W; }
  const uint64_t *at(int row) const { return bits.data() + static_cast<size_t>(row) * 2 * W; }
  int numRows = 0, W = 0;
  std::vector<uint64_t> bits;
};

/// Where a token came from, for messages.
struct TokenInfo {
  int16_t task = -1;
  bool async = false;
  bool live = false;
  bool signal = false; ///< asynchronous, and touches nothing but barriers
  int32_t event = -1;  ///< signal: what issued it
};

/// An access that later ones must be ordered against.
struct Access {
  Token token;
  uint16_t agent; ///< strand, or async queue of a task; see Machine::asyncAgent
  bool write : 1;
  bool async : 1;      ///< performed by an engine, token of its own
  bool asyncProxy : 1; ///< went through the async proxy
  bool ordered : 1;    ///< its agent completes in issue order
  bool reduces : 1;    ///< a part of an atomic update
  int32_t event;
  uint32_t extent; ///< see Machine::extentOf
  ExprId value;    ///< Effect::value
  int32_t serial;  ///< when, for messages; not part of the state's identity
};

/// One elementary piece of memory: no two accesses of the program cut it.
struct Cell {
  std::vector<Access> accesses;
  int32_t freedBy = -1; ///< event that ended its life
  int64_t answer = -1;  ///< it holds this answer of cluster launch control
  static constexpr int16_t Nothing = -1, Anything = -2;
  int16_t holds = Anything; ///< the form of the buffer that wrote it (MemoryMap)
};

/// A tile of global memory that was accessed.
struct TileState {
  int buffer = -1;
  int task = -1;          ///< that accessed it first
  std::vector<int> loops; ///< ... inside these
  std::vector<Place> places;
  Cell cell;
};

/// A wait that returned because of the last completed generation.
struct WaitRecord {
  Token token;
  int32_t event;
  int16_t task;
  bool together; ///< looked at before the leader goes on (contract)
};

/// What counted towards a generation, for messages.
struct ArrivalRecord {
  int32_t event;
  int16_t task;
  int64_t arrivals, bytes;
};

struct BarrierState {
  bool inited = false;
  Token initToken = 0;
  int32_t initEvent = -1;
  int initTask = -1;
  int64_t count = 0;   ///< arrivals for each generation
  int64_t pending = 0; ///< arrivals still missing in this one
  int64_t tx = 0;      ///< bytes expected and not yet delivered
  int64_t generation = 0;
  /// Tokens of the arrivals of the current generation, of the last, and of the
  /// one before that.
  std::array<std::vector<Token>, 3> arrivals;
  std::vector<WaitRecord> waits;           ///< waits for the last completed generation
  std::vector<ArrivalRecord> log, lastLog; ///< of the current generation, of the last
};

/// An access to a CTA's shared memory or barriers from another CTA: it must be
/// over before that CTA ends.
struct Touch {
  Token token;
  bool harmless; ///< a completion nobody waits for: it changes nothing that is read
  int32_t event;
  int16_t task;
};

struct AsyncGroup {
  std::vector<Token> tokens;
};

struct TaskState {
  int pc = 0;
  bool started = false, done = false;
  std::vector<int64_t> n; ///< iteration numbers of the enclosing loops
  std::vector<int> loops; ///< which loops these are
  /// How many iterations the loops had that these resume, for messages.
  std::vector<int64_t> earlier;
  int64_t lastTrips = 0; ///< of the loop that was left last
  int namedWait = -1;    ///< flat barrier on which it has arrived and waits
  bool namedReleased = false;
  bool clusterArrived = false, clusterReleased = false;
  /// Its warps have left a barrier over the task, and the leader has released nothing since.
  bool together = false;
  /// Async queues by sync::Group: closed groups, oldest first; `open` is the
  /// group being filled.
  std::array<std::vector<AsyncGroup>, 8> groups;
  std::array<AsyncGroup, 8> open;
  std::vector<Token> tensor; ///< tcgen05 operations, in issue order
  int64_t answersRead = 0;   ///< of cluster launch control
};

struct Interval {
  int64_t lo = INT64_MIN, hi = INT64_MAX;
  bool operator==(const Interval &) const = default;
};

/// What has been decided: (class, iteration numbers it depends on) -> interval.
using DecisionKey = std::pair<int, std::vector<int64_t>>;

struct State {
  std::vector<TaskState> tasks;
  std::vector<int64_t> vars; ///< UnknownValue when not known
  std::vector<BarrierState> barriers;
  std::vector<Cell> cells;
  std::vector<TileState> tiles; ///< oldest first
  Knowledge knowledge;
  std::vector<TokenInfo> tokens;
  size_t firstFree = 0;                    ///< no token before this one is free
  size_t liveTokens = 0;                   ///< how many are not
  std::vector<Token> epoch;                ///< of each strand
  std::vector<Token> entry;                ///< by CTA of the cluster: it has started
  std::vector<std::vector<Touch>> touches; ///< by CTA that is touched
  std::map<DecisionKey, Interval> decisions;
  /// Launch-wide residues that were chosen: form without iteration numbers ->
  /// (modulus, residue).
  std::map<LinId, std::pair<int64_t, int64_t>> residues;
  std::vector<int64_t> answers; ///< that each CTA has been given
  int turn = 0;                 ///< whose turn it is
  int idle = 0;                 ///< tasks seen blocked since the last progress
  int32_t serial = 0;
};

constexpr int64_t UnknownValue = INT64_MIN;

} // namespace tlx::verify
