#include "sim/engine/CreditWindow.h"

#include <algorithm>

namespace tlx::sim {

Cycles CreditWindow::query(Cycles now, int64_t amount) const {
  int64_t used = 0;
  for (size_t i = first; i < entries.size(); ++i)
    if (entries[i].release > now)
      used += entries[i].amount;
  Cycles start = now;
  for (size_t i = first; i < entries.size() && used > 0 && used + amount > capacity; ++i) {
    if (entries[i].release <= now)
      continue;
    used -= entries[i].amount;
    start = entries[i].release;
  }
  return start;
}

void CreditWindow::commit(Cycles start, int64_t amount, Cycles release) {
  while (first < entries.size() && entries[first].release <= start)
    ++first;
  if (first > 32 && first * 2 > entries.size()) {
    entries.erase(entries.begin(), entries.begin() + first);
    first = 0;
  }
  Entry entry{release, amount};
  auto place =
      std::upper_bound(entries.begin() + first, entries.end(), entry,
                       [](const Entry &a, const Entry &b) { return a.release < b.release; });
  entries.insert(place, entry);
}

int64_t CreditWindow::inFlight(Cycles now) const {
  int64_t used = 0;
  for (size_t i = first; i < entries.size(); ++i)
    if (entries[i].release > now)
      used += entries[i].amount;
  return used;
}

} // namespace tlx::sim
