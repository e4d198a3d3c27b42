// Types of dialect `ttg`.
#ifndef TLX_TTG_TYPES_TD
#define TLX_TTG_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "compiler/dialect/ttg/TTGDialect.td"

def TTG_MemDesc : TypeDef<TTG_Dialect, "MemDesc", [ShapedTypeInterface]> {
  let mnemonic = "memdesc";
  let summary = "a buffer, or a view of one, in shared or tensor memory";
  let description = [{
    `memdesc<2x64x64xf16, #shared, #smem, mutable>`; a view of a larger buffer
    also names the shape of the allocation it is cut from.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "::mlir::Attribute":$encoding, "::mlir::Attribute":$memorySpace,
                        "bool":$mutableMemory, ArrayRefParameter<"int64_t">:$allocShape);
  let extraClassDeclaration = [{
    MemDescType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape,
                          ::mlir::Type elementType) const {
      ::llvm::ArrayRef<int64_t> newShape = shape ? *shape : getShape();
      return MemDescType::get(getContext(), newShape, elementType, getEncoding(), getMemorySpace(),
                              getMutableMemory(), newShape);
    }
    bool hasRank() const { return true; }
    /// The view covers its allocation.
    bool isWhole() const { return getShape() == getAllocShape(); }
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TTG_AsyncToken : TypeDef<TTG_Dialect, "AsyncToken"> {
  let mnemonic = "async.token";
  let summary = "orders asynchronous ops in SSA form; no run-time value";
}

#endif
