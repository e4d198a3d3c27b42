#include "compiler/dialect/ttg/EncodingSyntax.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace tlx::ttg {

DictionaryAttr DictReader::parse(AsmParser &parser) {
  DictionaryAttr dict;
  SMLoc loc = parser.getCurrentLocation();
  Attribute attr;
  if (parser.parseAttribute(attr))
    return {};
  dict = dyn_cast<DictionaryAttr>(attr);
  if (!dict)
    parser.emitError(loc, "expected a dictionary {key = value, ...}");
  return dict;
}

DictReader DictReader::angled(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  DictionaryAttr dict;
  if (succeeded(parser.parseLess()))
    dict = parse(parser);
  if (dict && parser.parseGreater())
    dict = {};
  return DictReader(parser, loc, dict);
}

void DictReader::fail(const Twine &message) {
  if (ok)
    parser.emitError(loc, message);
  ok = false;
}

Attribute DictReader::take(StringRef key, bool required) {
  if (!dict)
    return {};
  known.insert(key);
  Attribute value = dict.get(key);
  if (!value && required)
    fail("missing key '" + key + "'");
  return value;
}

void DictReader::uint(StringRef key, unsigned &value, bool required) {
  Attribute attr = take(key, required);
  if (!attr)
    return;
  auto integer = dyn_cast<IntegerAttr>(attr);
  if (!integer || integer.getValue().isNegative() || integer.getValue().getActiveBits() > 31)
    return fail("'" + key + "' must be a non-negative integer");
  value = integer.getValue().getZExtValue();
}

void DictReader::boolean(StringRef key, bool &value, bool required) {
  Attribute attr = take(key, required);
  if (!attr)
    return;
  auto flag = dyn_cast<BoolAttr>(attr);
  if (!flag)
    return fail("'" + key + "' must be true or false");
  value = flag.getValue();
}

static bool toUints(Attribute attr, SmallVectorImpl<unsigned> &value) {
  auto array = dyn_cast<ArrayAttr>(attr);
  if (!array)
    return false;
  for (Attribute element : array) {
    auto integer = dyn_cast<IntegerAttr>(element);
    if (!integer || integer.getValue().isNegative() || integer.getValue().getActiveBits() > 31)
      return false;
    value.push_back(integer.getValue().getZExtValue());
  }
  return true;
}

void DictReader::uints(StringRef key, SmallVectorImpl<unsigned> &value, bool required) {
  Attribute attr = take(key, required);
  if (attr && !toUints(attr, value))
    fail("'" + key + "' must be a list of non-negative integers");
}

void DictReader::bases(StringRef key, ArrayAttr &value, bool required) {
  Builder builder(parser.getContext());
  SmallVector<Attribute> vectors;
  Attribute attr = take(key, required);
  auto list = dyn_cast_or_null<ArrayAttr>(attr);
  if (attr && !list)
    fail("'" + key + "' must be a list of basis vectors");
  if (list) {
    for (Attribute element : list) {
      SmallVector<unsigned> vector;
      if (!toUints(element, vector)) {
        fail("'" + key + "' must be a list of basis vectors");
        break;
      }
      vectors.push_back(
          builder.getDenseI32ArrayAttr(SmallVector<int32_t>(vector.begin(), vector.end())));
      if (cast<DenseI32ArrayAttr>(vectors.front()).size() != int64_t(vector.size()))
        fail("basis vectors of '" + key + "' must have one length");
    }
  }
  value = builder.getArrayAttr(vectors);
}

void DictReader::attribute(StringRef key, Attribute &value, bool required) {
  value = take(key, required);
}

DictReader DictReader::dictionary(StringRef key) {
  Attribute attr = take(key, /*required=*/true);
  auto inner = dyn_cast_or_null<DictionaryAttr>(attr);
  if (attr && !inner)
    fail("'" + key + "' must be a dictionary {key = value, ...}");
  return DictReader(parser, loc, inner);
}

bool DictReader::finish() {
  if (!dict)
    return false;
  for (NamedAttribute entry : dict)
    if (!known.contains(entry.getName()))
      fail("unexpected key '" + entry.getName().getValue() + "'");
  return ok;
}

void printBases(AsmPrinter &printer, ArrayAttr bases) {
  printer << "[";
  llvm::interleaveComma(bases, printer, [&](Attribute basis) {
    printer << "[";
    llvm::interleaveComma(cast<DenseI32ArrayAttr>(basis).asArrayRef(), printer);
    printer << "]";
  });
  printer << "]";
}

void printCga(AsmPrinter &printer, ArrayAttr cga) {
  if (!cga || cga.empty())
    return;
  printer << ", CGALayout = ";
  printBases(printer, cga);
}

AsmPrinter &DictPrinter::start(StringRef key) {
  if (!first)
    printer << ", ";
  first = false;
  return printer << key << " = ";
}

void DictPrinter::uints(StringRef key, ArrayRef<unsigned> values) {
  start(key) << "[";
  llvm::interleaveComma(values, printer);
  printer << "]";
}

void DictPrinter::cga(ArrayAttr value) {
  if (value && !value.empty())
    bases("CGALayout", value);
}

} // namespace tlx::ttg
