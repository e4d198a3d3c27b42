#include "sim/timing/Strides.h"
#include "sim/timing/Scalar.h"

#include <algorithm>

namespace tlx::sim {

using Form = Strides::Form;

bool Form::uniform() const {
  return known && !scattered &&
         std::all_of(steps.begin(), steps.end(), [](int64_t s) { return s == 0; });
}

static Form scatteredForm() {
  Form form;
  form.known = form.scattered = true;
  return form;
}

static Form uniformForm(size_t rank, std::optional<int64_t> value) {
  Form form;
  form.known = true;
  form.value = value;
  form.steps.assign(rank, 0);
  return form;
}

static size_t rankOf(const Type &type) {
  return type.kind == TypeKind::Tensor ? type.shape.size() : 0;
}

Strides::Strides(const Program &program, const TimingLaunch &launch)
    : program(program), forms(program.numRegs()) {
  for (const Parameter &parameter : program.parameters) {
    std::optional<int64_t> value;
    if (parameter.argument >= 0 && parameter.field == Parameter::Field::Value)
      value = launch.arguments[parameter.argument].bits;
    meet(parameter.reg, uniformForm(0, value));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Inst &inst : program.code)
      changed |= visit(inst);
    for (const Edge &edge : program.edges)
      for (auto [to, from] : edge.moves)
        changed |= meet(to, forms[from]);
    for (const Specialize &special : program.specializes)
      for (const Partition &partition : special.partitions)
        for (auto [argument, captured] : partition.captures)
          changed |= meet(argument, forms[captured]);
  }
}

bool Strides::meet(Reg reg, const Form &form) {
  if (!form.known)
    return false;
  Form &held = forms[reg];
  Form met = form;
  if (held.known) {
    met = held;
    if (held.value != form.value)
      met.value.reset();
    if (held.scattered || form.scattered || held.steps != form.steps)
      met = held.scattered ? held : scatteredForm();
    if (met.scattered && rankOf(program.typeOf(reg)) == 0)
      met = uniformForm(0, std::nullopt);
  }
  if (met == held)
    return false;
  held = std::move(met);
  return true;
}

bool Strides::visit(const Inst &inst) {
  bool changed = false;
  if (inst.numResults == 1 && inst.op != Op::Call)
    return meet(program.result(inst, 0), transfer(inst));
  for (unsigned i = 0; i < inst.numResults; ++i) {
    Reg reg = program.result(inst, i);
    size_t rank = rankOf(program.typeOf(reg));
    changed |= meet(reg, rank ? scatteredForm() : uniformForm(0, std::nullopt));
  }
  return changed;
}

/// Rows that follow each other without a gap are one long row.
Form Strides::reshaped(const Form &form, const Type &from, const Type &to) const {
  if (form.scattered || from.shape.empty())
    return scatteredForm();
  int64_t step = form.steps.back();
  for (size_t d = from.shape.size() - 1; d > 0; --d)
    if (form.steps[d - 1] != form.steps[d] * from.shape[d])
      return scatteredForm();
  Form result = form;
  result.steps.assign(to.shape.size(), 0);
  for (size_t d = to.shape.size(); d-- > 0; step *= to.shape[d])
    result.steps[d] = step;
  return result;
}

Form Strides::transfer(const Inst &inst) const {
  const Type &type = program.typeOf(program.result(inst, 0));
  const Attrs &attrs = program.attrsOf(inst);
  size_t rank = rankOf(type);
  for (unsigned i = 0; i < inst.numOperands; ++i)
    if (Reg reg = program.operand(inst, i); reg != noReg && !forms[reg].known)
      return {};
  Form form = inst.numOperands && program.operand(inst, 0) != noReg
                  ? forms[program.operand(inst, 0)]
                  : Form();
  switch (inst.op) {
  case Op::Constant: {
    const Constant &constant = program.constants[attrs.constant];
    if (constant.bits.size() != 1)
      return rank ? scatteredForm() : uniformForm(0, std::nullopt);
    return uniformForm(rank, scalarFromBits(type.elem, constant.bits[0]));
  }
  case Op::MakeRange: {
    Form range = uniformForm(1, std::nullopt);
    range.steps[0] = 1;
    return range;
  }
  case Op::Splat: return uniformForm(rank, form.value);
  case Op::Unsplat: return uniformForm(0, form.value);
  case Op::ExpandDims:
    if (!form.scattered)
      form.steps.insert(form.steps.begin() + attrs.axis, 0);
    return form;
  case Op::Broadcast: {
    const Type &from = program.typeOf(program.operand(inst, 0));
    for (size_t d = 0; d < form.steps.size() && d < from.shape.size(); ++d)
      if (from.shape[d] == 1)
        form.steps[d] = 0;
    return form;
  }
  case Op::Trans: {
    if (form.scattered || attrs.ints.size() != form.steps.size())
      return form;
    Form turned = form;
    for (size_t d = 0; d < turned.steps.size(); ++d)
      turned.steps[d] = form.steps[attrs.ints[d]];
    return turned;
  }
  case Op::Reshape:
    if (form.uniform())
      return uniformForm(rank, form.value);
    return attrs.ints.empty() ? reshaped(form, program.typeOf(program.operand(inst, 0)), type)
                              : scatteredForm();
  case Op::Copy:
  case Op::ExtSI:
  case Op::ExtUI:
  case Op::TruncI:
  case Op::Bitcast:
  case Op::IndexCast:
  case Op::IndexCastUI:
  case Op::IntToPtr:
  case Op::PtrToInt: return form;
  default:
    return rank ? arithmetic(inst) : [&] {
      std::optional<int64_t> value;
      int64_t in[3] = {0, 0, 0};
      bool all = isScalarOp(inst.op) && inst.numOperands > 0 && inst.numOperands <= 3;
      for (unsigned i = 0; all && i < inst.numOperands; ++i) {
        all = forms[program.operand(inst, i)].value.has_value();
        in[i] = all ? *forms[program.operand(inst, i)].value : 0;
      }
      if (all)
        value = evalScalar({inst.op, program.typeOf(program.operand(inst, 0)).elem, type.elem,
                            attrs.cmpi, attrs.cmpf},
                           in[0], in[1], in[2]);
      return uniformForm(0, value);
    }();
  }
}

/// Elementwise, on tiles of one shape.
Form Strides::arithmetic(const Inst &inst) const {
  size_t rank = rankOf(program.typeOf(program.result(inst, 0)));
  bool uniform = true;
  for (unsigned i = 0; i < inst.numOperands; ++i)
    if (Reg reg = program.operand(inst, i); reg != noReg)
      uniform &= forms[reg].uniform();
  if (inst.numOperands == 0 || (familyOf(inst.op) == Family::Global && inst.op != Op::AddPtr))
    return uniform && inst.numOperands ? uniformForm(rank, std::nullopt) : scatteredForm();
  const Form &a = forms[program.operand(inst, 0)];
  if (inst.numOperands == 1)
    return uniform ? uniformForm(rank, std::nullopt) : scatteredForm();
  const Form &b = forms[program.operand(inst, 1)];
  auto combined = [&](int64_t times) {
    if (a.scattered || b.scattered || a.steps.size() != b.steps.size())
      return scatteredForm();
    Form sum = uniformForm(rank, std::nullopt);
    for (size_t d = 0; d < rank; ++d)
      sum.steps[d] = a.steps[d] + times * b.steps[d];
    return sum;
  };
  auto scaled = [&](Form form, auto by) {
    form.value.reset();
    for (int64_t &step : form.steps)
      step = by(step);
    return form;
  };
  switch (inst.op) {
  case Op::AddPtr:
    return combined(std::max<int64_t>(1, byteWidth(program.typeOf(program.result(inst, 0)).elem)));
  case Op::AddI:
  case Op::OrI: return combined(1);
  case Op::SubI: return combined(-1);
  case Op::MulI:
    if (b.value)
      return scaled(a, [&](int64_t step) { return step * *b.value; });
    if (a.value)
      return scaled(b, [&](int64_t step) { return step * *a.value; });
    break;
  case Op::ShlI:
    if (b.value && *b.value >= 0 && *b.value < 63)
      return scaled(a, [&](int64_t step) { return step * (int64_t(1) << *b.value); });
    break;
  case Op::DivSI:
  case Op::DivUI:
    if (b.value && *b.value > 0)
      return scaled(a, [&](int64_t step) { return step / *b.value; });
    break;
  // A remainder wraps once in a while, a bound holds at the edge: neither matters to most rows.
  case Op::RemSI:
  case Op::RemUI:
  case Op::MinSI:
  case Op::MaxSI:
    if (b.uniform())
      return scaled(a, [](int64_t step) { return step; });
    break;
  case Op::AndI:
    if (b.value && (*b.value & (*b.value + 1)) == 0)
      return scaled(a, [](int64_t step) { return step; });
    break;
  case Op::Select:
    if (const Form &other = forms[program.operand(inst, 2)]; b.known && other.uniform())
      return scaled(b, [](int64_t step) { return step; });
    break;
  default: break;
  }
  return uniform ? uniformForm(rank, std::nullopt) : scatteredForm();
}

namespace {

/// Byte offsets that a set of layout bits selects, by number.
std::vector<int64_t> offsetsOf(const TileLayout::Bits &bits, const Form &form) {
  std::vector<int64_t> all{0};
  for (const std::vector<int32_t> &bit : bits) {
    int64_t step = 0;
    for (size_t d = 0; d < bit.size() && d < form.steps.size(); ++d)
      step += bit[d] * form.steps[d];
    for (size_t i = 0, count = all.size(); i < count; ++i)
      all.push_back(all[i] + step);
  }
  return all;
}

int64_t countDistinct(std::vector<int64_t> &values) {
  std::sort(values.begin(), values.end());
  return std::unique(values.begin(), values.end()) - values.begin();
}

/// Without the bits that select copies of the same elements.
TileLayout::Bits distinctBits(const TileLayout::Bits &bits) {
  TileLayout::Bits kept;
  for (const std::vector<int32_t> &bit : bits)
    if (std::any_of(bit.begin(), bit.end(), [](int32_t x) { return x != 0; }))
      kept.push_back(bit);
  return kept;
}

TileLayout withoutCopies(const TileLayout &layout) {
  return {distinctBits(layout.registers), distinctBits(layout.lanes), distinctBits(layout.warps)};
}

} // namespace

AccessWork accessWork(const TileLayout &layout, const Form &form, int64_t bytes) {
  constexpr int64_t widest = 16; // bytes of one instruction of a thread
  AccessWork work;
  std::vector<int64_t> warps = offsetsOf(layout.warps, form);
  std::vector<int64_t> lanes = offsetsOf(distinctBits(layout.lanes), form);
  // Registers whose elements follow each other share an instruction.
  int64_t vector = 1;
  TileLayout::Bits others;
  for (const std::vector<int32_t> &bit : layout.registers) {
    bool next = !form.scattered && offsetsOf({bit}, form)[1] == vector * bytes &&
                2 * vector * bytes <= widest;
    if (next)
      vector *= 2;
    else
      others.push_back(bit);
  }
  std::vector<int64_t> registers = offsetsOf(others, form);
  work.instructions = int64_t(registers.size() * warps.size());
  if (form.scattered) {
    work.lines = work.sectors = work.distinct = work.instructions * int64_t(lanes.size());
    return work;
  }
  int64_t parts = std::max<int64_t>(1, vector * bytes / SectorBytes);
  std::vector<int64_t> linesOfOne, sectorsOfOne, sectorsOfAll;
  for (int64_t at : lanes)
    for (int64_t part = 0; part < parts; ++part) {
      linesOfOne.push_back((at + part * SectorBytes) / LineBytes);
      sectorsOfOne.push_back((at + part * SectorBytes) / SectorBytes);
    }
  work.lines = work.instructions * countDistinct(linesOfOne);
  work.sectors = work.instructions * countDistinct(sectorsOfOne);
  for (int64_t warp : warps)
    for (int64_t reg : registers)
      for (int64_t at : lanes)
        sectorsOfAll.push_back((warp + reg + at) / SectorBytes);
  work.distinct = countDistinct(sectorsOfAll);
  return work;
}

void countAccesses(const Program &program, const TimingLaunch &launch, std::vector<Work> &work) {
  std::optional<Strides> strides; // most kernels of bulk copies need none
  for (size_t pc = 0; pc < work.size(); ++pc) {
    const Inst &inst = program.code[pc];
    Work &w = work[pc];
    if (inst.cost < 0 || !program.costs[inst.cost].layout.known() || w.numPipes != 1)
      continue;
    if (!strides)
      strides.emplace(program, launch);
    Reg pointer = program.operand(inst, w.memOperand);
    const Form &form = strides->of(pointer);
    if (!form.known)
      continue;
    const Type &tile = program.typeOf(pointer);
    int64_t bytes = std::max<int64_t>(1, byteWidth(tile.elem));
    // Every thread loads its copy; one of them stores.
    bool loads = w.route == Route::GlobalLoad || w.route == Route::AsyncCopy;
    const TileLayout &layout = program.costs[inst.cost].layout;
    AccessWork access = accessWork(loads ? layout : withoutCopies(layout), form, bytes);
    // A table that is looked into is read at most as a whole.
    if (form.scattered && launch.footprintBytes > 0)
      access.distinct = std::min(access.distinct, launch.footprintBytes / SectorBytes + 1);
    w.pipes[0].lanes = access.instructions * program.facts.threadsPerWarp;
    w.lines = access.lines;
    w.scattered = form.scattered;
    bool partial = w.route == Route::GlobalStore && access.sectors * SectorBytes > w.bytes;
    // What a load leaves in the first-level cache serves the tile's other instructions. Stores
    // go on by instruction; one that writes parts of sectors sends each of its lines by itself.
    if (loads)
      w.sectorBytes = SectorBytes * access.distinct;
    else
      w.sectorBytes = SectorBytes * (access.sectors + (partial ? access.lines : 0));
    if (w.route == Route::Atomic && form.uniform() && w.swaps == 0)
      w.sameWord = tile.numElements();
  }
}

} // namespace tlx::sim
