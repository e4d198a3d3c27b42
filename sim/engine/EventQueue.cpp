#include "sim/engine/EventQueue.h"

#include <algorithm>

namespace tlx::sim {

void EventQueue::schedule(Cycles time, EventTarget &target, uint64_t payload) {
  Event event{std::max(time, current), nextSequence++, &target, payload};
  size_t hole = heap.size();
  heap.push_back(event);
  while (hole > 0) {
    size_t parent = (hole - 1) / 4;
    if (!event.before(heap[parent]))
      break;
    heap[hole] = heap[parent];
    hole = parent;
  }
  heap[hole] = event;
}

EventQueue::Event EventQueue::pop() {
  Event top = heap.front();
  Event last = heap.back();
  heap.pop_back();
  size_t size = heap.size();
  if (size == 0)
    return top;
  size_t hole = 0;
  for (;;) {
    size_t child = 4 * hole + 1;
    if (child >= size)
      break;
    size_t least = child;
    for (size_t other = child + 1; other < std::min(child + 4, size); ++other)
      if (heap[other].before(heap[least]))
        least = other;
    if (!heap[least].before(last))
      break;
    heap[hole] = heap[least];
    hole = least;
  }
  heap[hole] = last;
  return top;
}

uint64_t EventQueue::run(Cycles limit) {
  uint64_t handled = 0;
  while (!heap.empty() && heap.front().time <= limit) {
    Event event = pop();
    current = event.time;
    ++handled;
    event.target->onEvent(current, event.payload);
  }
  return handled;
}

} // namespace tlx::sim
