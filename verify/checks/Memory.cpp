//===- Memory.cpp - races and proxy fences --------------------------------===//

#include "verify/checks/Machine.h"

#include <algorithm>

using namespace tlx::verify;
using tlx::sync::Kind;
using tlx::sync::Moment;

std::string Machine::accessText(const Access &access) const {
  std::string text = access.async ? "asynchronous " : "";
  text += access.write ? "write by " : "read by ";
  return text + program.events[access.event].op;
}

/// So many warps have the lanes of tensor memory between them.
static constexpr int WarpsOverLanes = 4;

/// Tells sets of cells apart; never 0.
static uint32_t hashOf(const std::vector<int> &cells, uint32_t share) {
  uint64_t hash = 1469598103934665603u + share;
  for (int cell : cells)
    hash = (hash ^ static_cast<uint64_t>(cell)) * 1099511628211u;
  return static_cast<uint32_t>(hash >> 32) | 1;
}

/// Accesses of one agent whose extents are equal, and not 0, are made by the same warps
/// byte for byte: of tensor memory in a task whose warps share lanes, and of copies with
/// a share (Effect).
uint32_t Machine::extentOf(int task, int event, const std::vector<int> &cells, bool async) const {
  if (!async)
    return program.tasks[task].warps > WarpsOverLanes ? hashOf(cells, 0) : 0;
  for (const Effect &effect : program.events[event].effects)
    if (effect.share && !isApproximate(event))
      return hashOf(cells, effect.share);
  return 0;
}

/// Whether an event may touch less than its targets say.
bool Machine::isApproximate(int event) const {
  const std::vector<Effect> &effects = program.events[event].effects;
  return std::any_of(effects.begin(), effects.end(),
                     [](const Effect &effect) { return effect.target.approximate; });
}

bool Machine::unknownPart(const State &state, int task, int event) {
  unmodelled(state, task, event, "which part of its buffer an access touches");
  return false;
}

/// The task that made or issued it.
int Machine::taskOf(const Access &access) const {
  return access.agent < 2 * numTasks ? access.agent / 2 : (access.agent - 2 * numTasks) / 8;
}

/// Does what one task issues there touch memory in issue order? Copies to shared
/// memory do not: PTX promises no order between two cp.async ("Data Movement and
/// Conversion Instructions: cp.async.commit_group"), and AMD's waves each issue a part,
/// in order only where they cut both copies alike (Effect::share).
bool Machine::onePipe(uint16_t agent) const {
  auto group = static_cast<sync::Group>((agent - 2 * numTasks) % 8);
  return group == sync::Group::Tcgen05 || group == sync::Group::Wgmma ||
         group == sync::Group::BulkStore;
}

bool Machine::accessByStrands(State &state, int task, int event, const Resolved &what, int strands,
                              bool write) {
  auto by = [&](int half) {
    Accessor one{strand(task, half),
                 static_cast<uint16_t>(strand(task, half)),
                 write,
                 false,
                 what.effect->proxy == sync::Proxy::Async,
                 false};
    one.reduces = what.effect->reduces;
    one.value = what.effect->value;
    return one;
  };
  // All of them first: what one strand may do does not excuse the other.
  for (int half = 0; half < strands; ++half)
    if (!mayAccess(state, task, event, what, by(half)))
      return false;
  for (int half = 0; half < strands; ++half)
    if (!addAccess(state, task, event, what, by(half), state.epoch[strand(task, half)]))
      return false;
  return true;
}

/// A piece of work, such as a product, that overwrites an operand while it reads it: parts of
/// it come in no order. What it updates is not meant: that is one operand. False: violation.
bool Machine::keepsOperands(const State &state, int task, int event) {
  for (const Resolved &r : scratch)
    for (const Resolved &w : scratch) {
      const Target &read = r.effect->target, &written = w.effect->target;
      if (r.effect->kind != Kind::Read || w.effect->kind != Kind::Write || !r.cells || !w.cells ||
          r.effect->moment != Moment::Completion || w.effect->moment != Moment::Completion ||
          read.approximate || written.approximate ||
          (read.object == written.object && read.slot == written.slot &&
           read.parts == written.parts))
        continue;
      if (std::find_first_of(r.cells->begin(), r.cells->end(), w.cells->begin(), w.cells->end()) ==
          r.cells->end())
        continue;
      const std::vector<Buffer> &buffers = program.buffers;
      violate({BugClass::Race,
               program.events[event].op + " writes " + buffers[written.object].name +
                   " where it reads " + buffers[read.object].name + ": they overlap",
               here(state, task, event),
               {}});
      return false;
    }
  return true;
}

/// Is an access ordered after all that conflict with it? False: violation.
bool Machine::mayAccess(State &state, int task, int event, const Resolved &what,
                        const Accessor &by) {
  if (!what.places.empty())
    return mayAccessTile(state, task, event, what, by);
  uint32_t extent = extentOf(task, event, *what.cells, by.async);
  for (int index : *what.cells)
    if (!isAlive(state, task, event, index, by.write) ||
        !isOrdered(state, task, event, state.cells[index],
                   static_cast<sync::Space>(map.spaceKind(index)), by, extent))
      return false;
  return true;
}

/// The same for one cell, or one tile of global memory.
bool Machine::isOrdered(State &state, int task, int event, const Cell &cell, sync::Space space,
                        const Accessor &by, uint32_t extent) {
  auto [row, agent, write, async, asyncProxy, ordered, reduces, value, tile] = by;
  bool registers = space == sync::Space::None, global = space == sync::Space::Global;
  bool shared = !registers && space != sync::Space::Tensor;
  for (const Access &other : cell.accesses) {
    if ((!write && !other.write) || other.serial == state.serial || (reduces && other.reduces))
      continue; // in any order, or another warp's part of the same operation
    if (tile && write && other.write && agree(state, task, event, value, other))
      continue;
    if (async && other.async && other.agent == agent &&
        (onePipe(agent) || (write && other.write && extent && extent == other.extent)))
      continue;
    int otherTask = other.agent < 2 * numTasks ? other.agent / 2 : -1; // of a strand
    if (((global && !async) || registers) && otherTask == task)
      continue; // in program order
    if (!shared && !async && otherTask == task) {
      // Lanes belong to warps, and so do the columns when there are more warps than
      // lanes: what has the same extent is the same warp's. No barrier is inserted.
      if (!extent || extent == other.extent)
        continue;
    } else if (!tile && !state.knowledge.knows(row, other.token) && otherTask == task &&
               keeps(Lowering::Membar)) {
      taskBarrier(state, task); // the barrier that the membar analysis inserts
    }
    if (row == scratchRow() && otherTask == task)
      state.knowledge.join(row, strand(task, 0));
    bool vague = isApproximate(event) || isApproximate(other.event);
    const char *what =
        write ? (async ? "asynchronous write" : "write") : (async ? "asynchronous read" : "read");
    if (!state.knowledge.knows(row, other.token)) {
      if (vague)
        return unknownPart(state, task, event);
      bool stray = state.tokens[other.token].signal;
      Violation v{stray ? BugClass::BarrierLifetime : BugClass::Race,
                  stray ? "memory of an invalidated barrier is used again though a signal of " +
                              program.events[other.event].op + " may still come"
                        : std::string(what) + " is not ordered after the " + accessText(other) +
                              " of the same " + (global ? "elements of global memory" : "memory"),
                  here(state, task, event),
                  {}};
      v.related.push_back(
          {taskOf(other), other.event, {}, "the other access: " + accessText(other), {}});
      violate(std::move(v));
      return false;
    }
    if (tile && other.write && other.agent == asyncAgent(taskOf(other), sync::Group::BulkStore))
      warnOfReadWait(state, task, event, other);
    if (!shared || !asyncProxy || other.asyncProxy)
      continue;
    if ((!global || tile) && state.knowledge.seesAsync(row, other.token))
      continue; // what tensor maps need is a fence of their own, see publish()
    bool readFirst = !other.write;
    if (readFirst && (tile || options.warProxy == WarProxy::Off))
      continue;
    Violation v{BugClass::ProxyFence,
                std::string(what) + " through the async proxy of what the " + accessText(other) +
                    " touched through the generic proxy, with no " +
                    (global && !tile ? "fence.proxy.tensormap" : "fence.proxy.async") +
                    " between them",
                here(state, task, event),
                {}};
    v.related.push_back({taskOf(other), other.event, {}, "the generic access", {}});
    if (readFirst && options.warProxy == WarProxy::Warn) {
      warn(std::move(v));
      continue;
    }
    if (vague)
      return unknownPart(state, task, event);
    violate(std::move(v));
    return false;
  }
  return true;
}

/// Remembers an access that later ones must be ordered against. False: violation.
bool Machine::addAccess(State &state, int task, int event, const Resolved &what, const Accessor &by,
                        Token token) {
  if (!what.places.empty()) {
    remember(state, event, tileOf(state, task, event, what).cell, by, token, 0);
    return true;
  }
  uint32_t extent = extentOf(task, event, *what.cells, by.async);
  for (int index : *what.cells) {
    if (int rank = map.cellRank(index);
        rank != program.tasks[task].rank &&
        !reachPeer(state, rank, by.row, {token, false, event, static_cast<int16_t>(task)}))
      return false;
    remember(state, event, state.cells[index], by, token, extent);
  }
  if (by.write && !what.effect->inPlace)
    fill(state, event, what);
  return true;
}

void Machine::remember(const State &state, int event, Cell &cell, const Accessor &by, Token token,
                       uint32_t extent) const {
  // Reads of one agent: the later stands for the earlier, because whoever is
  // ordered after the later is ordered after both. So do updates.
  if (by.write && !by.reduces) {
    cell.answer = -1;
    std::erase_if(cell.accesses, [&](const Access &other) { return other.serial != state.serial; });
  } else {
    std::erase_if(cell.accesses, [&](const Access &other) {
      return other.write == by.write && other.reduces == by.reduces && other.agent == by.agent &&
             other.asyncProxy == by.asyncProxy &&
             (!by.async || by.ordered || state.knowledge.knows(by.row, other.token));
    });
  }
  cell.accesses.push_back({token, by.agent, by.write, by.async, by.asyncProxy, by.ordered,
                           by.reduces, event, extent, by.value, state.serial});
}

/// Tasks that look at what launch control requests write.
void Machine::findAnswerReaders() {
  std::set<int> holders;
  for (const Event &event : program.events)
    for (const Effect &effect : event.effects)
      if (effect.kind == sync::Kind::ClcRequest)
        for (const Effect &other : event.effects)
          if (other.kind == sync::Kind::Write)
            holders.insert(other.target.object);
  readsAnswers.resize(numTasks);
  for (int task = 0; task < numTasks; ++task)
    for (const Instr &instr : codes[task].instrs)
      if (instr.kind == Instr::Event)
        for (const Effect &effect : program.events[instr.index].effects)
          if (effect.kind == sync::Kind::Read && holders.contains(effect.target.object))
            readsAnswers[task] = 1;
}

/// A task's n-th look at an answer of cluster launch control is taken for the n-th
/// answer (Encoder); here is where that is checked.
void Machine::readAnswer(State &state, int task, int event, const Cell &cell) {
  if (cell.answer < 0)
    return;
  if (cell.answer != state.tasks[task].answersRead && !doubt) {
    doubt.emplace();
    doubt->reason = "which answer of cluster launch control this reads";
    doubt->at = here(state, task, event);
  }
  ++state.tasks[task].answersRead;
}

void Machine::publish(State &state, int task, int event, const std::vector<int> &cells) {
  int leader = strand(task, 0);
  for (int cell : cells)
    for (Access &access : state.cells[cell].accesses)
      if (access.write && !access.asyncProxy && state.knowledge.knows(leader, access.token)) {
        // From here on it is the fence that one has to come after.
        access.token = state.epoch[leader];
        access.agent = static_cast<uint16_t>(leader);
        access.event = event;
        access.asyncProxy = true;
      }
}
