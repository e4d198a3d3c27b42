//===- Program.h - what the verifier proves things about ------------------===//
//
// A kernel, reduced to its synchronisation: sequential tasks over barriers and
// memory. Smallest example, a ring of one slot:
//
//   Program p;
//   auto full  = p.addBarrier("full", 1), empty = p.addBarrier("empty", 1);
//   ...
//   task producer: loop k < K { wait empty, (k & 1) ^ 1; expect full, 64;
//                               async write slot, complete full 64 }
//   task consumer: loop k < K { wait full, k & 1; read slot; arrive empty }
//
// Control is structured (sequence, loop, if) and flattened to a small
// instruction list (Code.h) for execution. Effects use the words of
// runtime/base/Sync.h. CTAs of a cluster are copies of the tasks with concrete
// ranks; barriers and shared memory then have one copy for each rank.
//
// Alternative not taken: one flat list of events per task with closed forms for
// slots and phases. It cannot say what happens in a branch or in a loop that
// runs zero times, and that is where the bugs are.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Sync.h"
#include "verify/model/Contracts.h"
#include "verify/model/Expr.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tlx::verify {

/// A place in a source file. `line` 0: unknown.
struct SourceLoc {
  std::string file;
  int line = 0, column = 0;
  bool known() const { return line > 0; }
  std::string str() const;
  bool operator==(const SourceLoc &) const = default;
};

enum class BarrierKind : uint8_t {
  Mbarrier, ///< phases tested by parity; initialised by an event
  Named,    ///< bar.sync / bar.arrive: the count comes with each use
  Cluster,  ///< barrier.cluster: all threads of the cluster, always initialised
};

/// An array of barriers of one kind, `slots` per CTA.
struct BarrierArray {
  std::string name;
  BarrierKind kind = BarrierKind::Mbarrier;
  int slots = 1;
  int ranks = 1;
  SourceLoc loc;
  /// Cluster: arrivals that complete a generation, in tasks.
  int64_t count = 0;
  /// Mbarrier: the physical space it lies in and the size of a slot, as in Buffer.
  int space = -1;
  int64_t base = 0, stride = 8;
};

/// A piece of a space. x: bytes (shared) or columns (tensor); y: lanes (tensor
/// only).
struct Rect {
  int64_t x0 = 0, x1 = 0;
  int64_t y0 = 0, y1 = 1;
  auto operator<=>(const Rect &) const = default;
};

/// A buffer: `slots` equal pieces in one physical space. Buffers that alias
/// share a space and overlap wherever their pieces do.
struct Buffer {
  std::string name;
  sync::Space where = sync::Space::Shared; ///< None: registers of a task
  int space = -1;                          ///< physical space; equal numbers may overlap
  int64_t base = 0, stride = 0;
  int64_t extent = 0; ///< of a slot; 0: up to the next
  int64_t group = 1;  ///< slots i and i + 1 of one group are `extent` further apart
  int slots = 1;
  int64_t lane = 0, lanes = 1;
  int ranks = 1; ///< copies, one for each CTA of the cluster
  SourceLoc loc;
  bool blank = false; ///< holds nothing until it is written

  bool operator==(const Buffer &) const = default;
  int64_t width() const { return extent ? extent : stride; }
  int64_t start(int64_t slot) const { return base + slot * stride + slot % group * width(); }
};

/// So many elements, each `stride` after the last.
struct Extent {
  int64_t size = 1, stride = 1;
  auto operator<=>(const Extent &) const = default;
};

/// Whether an element of `a` and one of `b` are the same when `a` begins `apart` behind `b`.
bool meet(const std::vector<Extent> &a, const std::vector<Extent> &b, int64_t apart);

/// What an access to global memory touches along one axis of the tensor: sums of one
/// element of each extent, from `origin` on.
struct Range {
  ExprId origin = NoExpr;
  std::vector<Extent> extents;
  /// Addresses, to which steps along the other ranges may add up: rows of an unknown stride.
  bool isMemory = false;
};

/// The object of an effect. `object` indexes Program::barriers or ::buffers as
/// the effect's kind says.
struct Target {
  int object = -1;
  ExprId slot = NoExpr; ///< NoExpr: slot 0
  /// Which parts of the slot, counted from its start; empty: all of it.
  std::vector<Rect> parts = {};
  /// Only something within these parts, not known what: no ground for a BUG.
  bool approximate = false;
  ExprId rank = NoExpr; ///< CTA of the cluster; NoExpr: the task's own
  /// Global memory: the part of the buffer, by axis; empty: all of it.
  std::vector<Range> tile = {};
};

/// Where an access to a slot lies in its space.
std::vector<Rect> placesOf(const Buffer &buffer, const Target &target, int64_t slot);

/// What a write stands for besides itself.
enum class Lifetime : uint8_t {
  Goes,   ///< nothing: the memory lives on
  Begins, ///< the memory is allocated
  Ends,   ///< and freed
};

/// One effect of one operation; see tlx::sync::Kind for what each kind means.
struct Effect {
  sync::Kind kind = sync::Kind::Hint;
  Target target;
  ExprId amount = NoExpr; ///< arrivals, bytes, pending groups or barrier count
  ExprId phase = NoExpr;  ///< BarrierWait: the parity
  ExprId pred = NoExpr;   ///< NoExpr: always
  sync::Proxy proxy = sync::Proxy::Generic;
  sync::Moment moment = sync::Moment::Issue;
  sync::Threads threads = sync::Threads::All;
  sync::Group group = sync::Group::None;
  /// A barrier over all threads of the task comes first.
  bool taskBarrierBefore = false;
  /// ClusterArrive: without release semantics.
  bool relaxed = false;
  Lifetime lifetime = Lifetime::Goes;
  bool paired = false;   ///< done together with the other CTA of the pair, which must have started
  bool diverged = false; ///< executed by a part of a warp
  ExprId value = NoExpr; ///< of a write to global memory, where it is known
  bool reduces = false;  ///< part of an atomic update: in any order with others
  ExprId matters = NoExpr; ///< Read: only then does it matter what is read; NoExpr: always
  /// Memory is changed in place: what it does not hold before it does not hold afterwards.
  bool inPlace = false;
  /// Asynchronous writes of one task to one place whose numbers are equal land in
  /// issue order; 0: no such order.
  uint32_t share = 0;
  /// The target is a buffer, not a barrier.
  bool onMemory() const {
    return kind == sync::Kind::Read || kind == sync::Kind::Write ||
           kind == sync::Kind::TensormapFence;
  }
};

/// Elements of a tensor in global memory that an operation touches, as each program of the
/// grid computes them (Programs.h): base + sum of (origin + i) * stride.
struct GridAccess {
  struct Axis {
    ExprId origin = NoExpr;
    ExprId stride = NoExpr; ///< NoExpr: a coordinate of a descriptor that the launch gives
    int64_t size = 1;
    ExprId from = NoExpr, to = NoExpr; ///< i is at least, and less than, this
  };
  int tensor = -1;      ///< -1: unclear
  ExprId base = NoExpr; ///< NoExpr: where it lies is not known
  std::vector<Axis> axes = {};
  bool write = false, reduces = false, async = false;
  bool partial = false; ///< leaves out elements, not known which
  ExprId pred = NoExpr, value = NoExpr;
  const void *layout = nullptr; ///< which threads hold which elements, where the IR says it
};

/// Whether the threads of a task meet in an operation.
enum class Joins : uint8_t { Never, Perhaps, Always };

struct Event {
  std::string op; ///< as the user knows it, e.g. "ttng.wait_barrier"
  SourceLoc loc;
  std::vector<Effect> effects;
  std::vector<GridAccess> grid = {};
  Joins joins = Joins::Never;
  /// The operation's number in a pre-order walk of the function; -1: it is not
  /// in the file, or not at that place.
  int64_t operation = -1;
  /// Not the beginning of its operation but what follows after it has blocked.
  bool continues = false;
};

struct Assign {
  VarId var;
  ExprId value;
};

/// How the iterations of a loop are numbered: first, first + stride, ... Two tasks
/// that share tiles in turn count them alike so: 0, 2, 4 and 1, 3, 5.
struct Pace {
  int first = 0, stride = 1;
  bool operator==(const Pace &) const = default;
  /// How often the loop had run its body before iteration `n`.
  int64_t trips(int64_t n) const { return (n - first) / stride; }
};

struct Stmt;
using Block = std::vector<Stmt>;

/// One statement. A loop runs: vars := inits; forever { before; if (!cond)
/// break; body; vars := nexts }. `before` is what a while loop does ahead of
/// its condition. An if runs `body` or `orElse`. A loop's variables may be read
/// after it only by the AssignStmt that follows it directly.
struct Stmt {
  enum Kind : uint8_t {
    EventStmt,
    LoopStmt,
    IfStmt,
    AssignStmt,
    ForkStmt, ///< starts the tasks of region `event`
    JoinStmt, ///< waits until they have ended
    UnsupportedStmt,
  } kind;
  int event = -1;                             ///< EventStmt: index into Program::events
  std::vector<Assign> inits = {}, nexts = {}; ///< AssignStmt uses `inits`
  ExprId cond = NoExpr;
  Block before = {}, body = {}, orElse = {};
  SourceLoc loc = {};
  std::string name = {}; ///< loops: what to call it; UnsupportedStmt: the reason
  Pace pace = {};        ///< loops: how iterations are numbered
  /// A loop that goes on where the one before it stopped (Split.h).
  bool resumes = false;
};

struct Task {
  std::string name;
  int rank = 0; ///< CTA of the cluster
  int warps = 4;
  int region = -1; ///< starts at the fork of this region; -1: with the kernel
  /// Some threads of a warp arrive where others do not, so that a single warp moves
  /// in two parts as well.
  bool lanesApart = false;
  Block body;
};

/// Something that the kernel asks for and the chip does not have.
struct Excess {
  std::string message;
  SourceLoc loc;
  std::vector<std::pair<std::string, SourceLoc>> parts; ///< what it is made up of
};

/// A condition without variables that the kernel states (`tl.assume`).
struct Assumption {
  ExprId holds = NoExpr;
  SourceLoc loc;
};

/// A whole kernel.
struct Program {
  std::string kernel;
  Exprs exprs;
  std::vector<std::string> varNames;
  std::vector<BarrierArray> barriers;
  std::vector<Buffer> buffers;
  std::vector<Event> events;
  std::vector<Task> tasks;
  int ranks = 1;
  std::vector<Excess> excesses;
  std::optional<Excess> betweenPrograms; ///< a race (Programs.h)
  /// Named barriers below this one are the compiler's own.
  int ownNamedBarriers = 0;
  /// What the kernel itself assumes of its launch; a launch that breaks it is nobody's concern.
  std::vector<Assumption> assumptions;
  Lowerings lowerings; ///< contracts in force

  VarId addVar(std::string name) {
    varNames.push_back(std::move(name));
    return static_cast<VarId>(varNames.size()) - 1;
  }
  int addEvent(Event event) {
    events.push_back(std::move(event));
    return static_cast<int>(events.size()) - 1;
  }
  int addBarrier(BarrierArray barrier) {
    barriers.push_back(std::move(barrier));
    return static_cast<int>(barriers.size()) - 1;
  }
  int addBuffer(Buffer buffer) {
    buffers.push_back(std::move(buffer));
    return static_cast<int>(buffers.size()) - 1;
  }
};

/// Statement constructors, so that models read like programs.
Stmt eventStmt(int event);
Stmt assignStmt(std::vector<Assign> assigns);
Stmt ifStmt(ExprId cond, Block then, Block orElse = {}, SourceLoc loc = {});
Stmt unsupportedStmt(std::string reason, SourceLoc loc);

} // namespace tlx::verify
