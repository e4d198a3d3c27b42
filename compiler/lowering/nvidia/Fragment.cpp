#include "compiler/lowering/nvidia/Fragment.h"

#include <set>

using namespace mlir;
namespace LL = mlir::LLVM;

namespace tlx::nvidia {

Fragment::Fragment(const layout::LinearLayout &layout) {
  unsigned rank = layout.outs().size();
  std::set<int64_t> seen[3];
  for (int64_t reg = 0; reg < layout.inSize(layout::kRegister); ++reg) {
    layout::Coords in = {{std::string(layout::kRegister), reg}};
    int64_t at[3] = {layout.apply(in, layout::dimName(rank - 2)),
                     layout.apply(in, layout::dimName(rank - 1)),
                     rank > 2 ? layout.apply(in, layout::dimName(0)) : 0};
    for (int dim = 0; dim < 3; ++dim)
      seen[dim].insert(at[dim]);
    held.try_emplace({at[0], at[1], at[2]}, reg);
  }
  rows.assign(seen[0].begin(), seen[0].end());
  columns.assign(seen[1].begin(), seen[1].end());
  batches.assign(seen[2].begin(), seen[2].end());
}

int64_t Fragment::at(int64_t row, int64_t column, int64_t batch) const {
  auto found = held.find({row, column, batch});
  assert(found != held.end() && "no register of this thread");
  return found->second;
}

Value packWord(Emitter &e, ArrayRef<Value> elements) {
  if (elements.size() == 1)
    return e.cast(elements.front(), e.b.getI32Type());
  Value all = e.undefined(VectorType::get({int64_t(elements.size())}, elements.front().getType()));
  for (auto [index, element] : llvm::enumerate(elements))
    all = LL::InsertElementOp::create(e.b, e.loc, all, element, e.i32(index));
  return e.cast(all, e.b.getI32Type());
}

SmallVector<Value> pairUp(Emitter &e, ArrayRef<Value> halves) {
  SmallVector<Value> words;
  for (size_t index = 0; index < halves.size(); index += 2)
    words.push_back(packWord(e, halves.slice(index, 2)));
  return words;
}

SmallVector<Value> takeApart(Emitter &e, ArrayRef<Value> words, Type half) {
  SmallVector<Value> halves;
  for (Value word : words) {
    Value both = e.cast(word, VectorType::get({2}, half));
    for (int64_t index : {0, 1})
      halves.push_back(LL::ExtractElementOp::create(e.b, e.loc, both, e.i32(index)));
  }
  return halves;
}

} // namespace tlx::nvidia
