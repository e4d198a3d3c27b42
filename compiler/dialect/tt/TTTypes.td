// Types of dialect `tt` and the type constraints its ops use.
#ifndef TLX_TT_TYPES_TD
#define TLX_TT_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonTypeConstraints.td"
include "compiler/dialect/tt/TTDialect.td"

def TT_TensorDescTrait : NativeTypeTrait<"TensorDescTrait"> {
  let cppNamespace = "::tlx::tt";
}

class TT_TypeDef<string name, string mnemonicText, list<Trait> traits = []>
    : TypeDef<TT_Dialect, name, traits> {
  let mnemonic = mnemonicText;
}

def TT_Ptr : TT_TypeDef<"Pointer", "ptr"> {
  let summary = "pointer to a scalar in an address space";
  let parameters = (ins "::mlir::Type":$pointeeType, "int":$addressSpace);
  let builders = [TypeBuilderWithInferredContext<
    (ins "::mlir::Type":$pointeeType, CArg<"int", "1">:$addressSpace), [{
      return $_get(pointeeType.getContext(), pointeeType, addressSpace);
    }]>];
  let hasCustomAssemblyFormat = 1;
  let skipDefaultBuilders = 1;
  let genVerifyDecl = 1;
}

def TT_TensorDesc : TT_TypeDef<"TensorDesc", "tensordesc", [TT_TensorDescTrait]> {
  let summary = "descriptor of a tiled tensor in global memory";
  let description = [{
    The block that one TMA access moves, with the shared-memory encoding it is
    moved to once that is known. Printed as `tensordesc<tensor<64x64xf16>>`
    (fbtriton 3.7.4) or `tensordesc<64x64xf16>` (main); both are read.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$blockType);
  let builders = [TypeBuilderWithInferredContext<
    (ins "::mlir::RankedTensorType":$blockType), [{
      return $_get(blockType.getContext(), blockType);
    }]>];
  let hasCustomAssemblyFormat = 1;
  let skipDefaultBuilders = 1;
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

def TT_Float : AnyTypeOf<[F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, F16, BF16, F32, F64],
                         "floating-point">;
def TT_Tensor : RankedTensorOf<[AnyType]>;
def TT_FloatTensor : RankedTensorOf<[TT_Float]>;
def TT_FloatLike : AnyTypeOf<[TT_Float, TT_FloatTensor], "floating-point scalar or tensor">;
def TT_Int : AnyTypeOf<[AnyInteger, Index], "integer">;
def TT_IntTensor : RankedTensorOf<[AnyInteger]>;
def TT_IntLike : AnyTypeOf<[AnyInteger, TT_IntTensor], "integer scalar or tensor">;
def TT_I1Tensor : RankedTensorOf<[I1]>;
def TT_BoolLike : AnyTypeOf<[I1, TT_I1Tensor], "i1 scalar or tensor">;
def TT_I32Tensor : RankedTensorOf<[I32]>;
def TT_I32Like : AnyTypeOf<[I32, TT_I32Tensor], "i32 scalar or tensor">;
def TT_I64Tensor : RankedTensorOf<[I64]>;
def TT_I64Like : AnyTypeOf<[I64, TT_I64Tensor], "i64 scalar or tensor">;
def TT_PtrTensor : RankedTensorOf<[TT_Ptr]>;
def TT_PtrLike : AnyTypeOf<[TT_Ptr, TT_PtrTensor], "pointer or tensor of pointers">;
def TT_AnyDesc : Type<CPred<"::tlx::tt::isTensorDesc($_self)">, "tensor descriptor">;
def TT_Any : AnyTypeOf<[AnyFloat, AnyInteger, Index, TT_Ptr, TT_Tensor, TT_AnyDesc]>;

#endif
