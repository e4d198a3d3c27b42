// Layout encodings of registers and shared memory. What they mean as linear
// maps is compiler/layout's business; here they are read, printed and checked.
#ifndef TLX_TTG_ATTRS_TD
#define TLX_TTG_ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "compiler/dialect/ttg/TTGDialect.td"
include "compiler/dialect/ttg/TTGTraits.td"

class TTG_Attr<string name, string mnemonicText, list<Trait> traits = []>
    : AttrDef<TTG_Dialect, name, traits> {
  let mnemonic = mnemonicText;
  let hasCustomAssemblyFormat = 1;
}

// Bases of the `block` dimension (CTAs of a cluster): an array of
// DenseI32ArrayAttr, empty for a single CTA.
defvar CGA = "::mlir::ArrayAttr";

def TTG_BlockedEncoding : TTG_Attr<"BlockedEncoding", "blocked", [TTG_RegisterEncoding]> {
  let summary = "contiguous elements per thread, threads per warp, warps per CTA";
  let parameters = (ins ArrayRefParameter<"unsigned">:$sizePerThread,
                        ArrayRefParameter<"unsigned">:$threadsPerWarp,
                        ArrayRefParameter<"unsigned">:$warpsPerCTA,
                        ArrayRefParameter<"unsigned">:$order, CGA:$cga);
  let genVerifyDecl = 1;
}

class TTG_BasesAttr<string name, string mnemonicText>
    : TTG_Attr<name, mnemonicText, [TTG_RegisterEncoding]> {
  let parameters = (ins "::mlir::ArrayAttr":$registerBases, "::mlir::ArrayAttr":$laneBases,
                        "::mlir::ArrayAttr":$warpBases, "::mlir::ArrayAttr":$blockBases);
}
def TTG_LinearEncoding : TTG_BasesAttr<"LinearEncoding", "linear"> {
  let summary = "explicit bases over GF(2) that permute the elements";
}
def TTG_GenericLinearEncoding : TTG_BasesAttr<"GenericLinearEncoding", "generic_linear"> {
  let summary = "explicit bases over GF(2) that cover the elements";
}

def TTG_SliceEncoding : TTG_Attr<"SliceEncoding", "slice", [TTG_RegisterEncoding]> {
  let summary = "a parent layout with one dimension removed";
  let parameters = (ins "unsigned":$dim, "::mlir::Attribute":$parent);
  let genVerifyDecl = 1;
}

def TTG_DotOperandEncoding : TTG_Attr<"DotOperandEncoding", "dot_op", [TTG_RegisterEncoding]> {
  let summary = "registers of operand A (0) or B (1) of a matrix instruction";
  let parameters = (ins "unsigned":$opIdx, "::mlir::Attribute":$parent, "unsigned":$kWidth);
  let genVerifyDecl = 1;
}

def TTG_NvidiaMmaEncoding
    : TTG_Attr<"NvidiaMmaEncoding", "nvidia_mma", [TTG_RegisterEncoding, TTG_MmaEncoding]> {
  let summary = "accumulator of mma.sync (version 2) or wgmma (version 3)";
  let parameters = (ins "unsigned":$versionMajor, "unsigned":$versionMinor,
                        ArrayRefParameter<"unsigned">:$warpsPerCTA, CGA:$cga,
                        ArrayRefParameter<"unsigned">:$instrShape);
  let genVerifyDecl = 1;
}

def TTG_AMDMfmaEncoding
    : TTG_Attr<"AMDMfmaEncoding", "amd_mfma", [TTG_RegisterEncoding, TTG_MmaEncoding]> {
  let summary = "accumulator of CDNA MFMA; versions 1-4 are gfx908, 90a, 942, 950";
  let parameters = (ins "unsigned":$version, ArrayRefParameter<"unsigned">:$warpsPerCTA,
                        ArrayRefParameter<"unsigned">:$instrShape, "bool":$isTransposed, CGA:$cga,
                        ArrayRefParameter<"unsigned">:$tilesPerWarp, "unsigned":$elementBitWidth);
  let genVerifyDecl = 1;
}

def TTG_AMDWmmaEncoding
    : TTG_Attr<"AMDWmmaEncoding", "amd_wmma", [TTG_RegisterEncoding, TTG_MmaEncoding]> {
  let summary = "accumulator of RDNA and gfx12 WMMA";
  let parameters = (ins "unsigned":$version, "bool":$isTranspose,
                        "::mlir::ArrayAttr":$ctaRegisterBases, "::mlir::ArrayAttr":$ctaWarpBases,
                        CGA:$cga, ArrayRefParameter<"unsigned">:$instrShape);
  let genVerifyDecl = 1;
}

class TTG_SwizzledAttr<string name, string mnemonicText>
    : TTG_Attr<name, mnemonicText, [TTG_SharedEncoding]> {
  let parameters = (ins "unsigned":$vec, "unsigned":$perPhase, "unsigned":$maxPhase,
                        ArrayRefParameter<"unsigned">:$order, CGA:$cga);
  let genVerifyDecl = 1;
}
def TTG_SwizzledSharedEncoding : TTG_SwizzledAttr<"SwizzledSharedEncoding", "swizzled_shared"> {
  let summary = "columns XOR-swizzled in groups of `vec` elements";
}
def TTG_AMDRotatingSharedEncoding
    : TTG_SwizzledAttr<"AMDRotatingSharedEncoding", "amd_rotating_shared"> {
  let summary = "swizzle whose phase rotates with each block of rows";
}

def TTG_NVMMASharedEncoding
    : TTG_Attr<"NVMMASharedEncoding", "nvmma_shared", [TTG_SharedEncoding]> {
  let summary = "the hardware swizzle of TMA, wgmma and tcgen05";
  let parameters = (ins "unsigned":$swizzlingByteWidth, "bool":$transposed,
                        "unsigned":$elementBitWidth, "bool":$fp4Padded, "unsigned":$rank, CGA:$cga);
  let genVerifyDecl = 1;
}

def TTG_PaddedSharedEncoding
    : TTG_Attr<"PaddedSharedEncoding", "padded_shared", [TTG_SharedEncoding]> {
  let summary = "`padding` elements inserted after every `interval` elements";
  let description = [{
    The linear part is either the identity of `order` over `shape`, or explicit
    `offset` and `block` bases; exactly one of the two forms is present.
  }];
  let parameters = (ins ArrayRefParameter<"unsigned">:$intervals,
                        ArrayRefParameter<"unsigned">:$paddings,
                        ArrayRefParameter<"unsigned">:$order, ArrayRefParameter<"unsigned">:$shape,
                        "::mlir::ArrayAttr":$offsetBases, "::mlir::ArrayAttr":$blockBases, CGA:$cga);
}

def TTG_SharedLinearEncoding
    : TTG_Attr<"SharedLinearEncoding", "shared_linear", [TTG_SharedEncoding]> {
  let summary = "explicit bases over GF(2) from offset to coordinates";
  let parameters = (ins "::mlir::ArrayAttr":$offsetBases, "::mlir::ArrayAttr":$blockBases,
                        "unsigned":$alignment);
}

def TTG_PartitionedSharedEncoding
    : TTG_Attr<"PartitionedSharedEncoding", "partitioned_shared", [TTG_SharedEncoding]> {
  let summary = "pieces spread over the LDS partitions of gfx1250";
  let parameters = (ins "unsigned":$numPartitions, "unsigned":$numGroups, "unsigned":$partitionDim,
                        "::mlir::Attribute":$partitionLayout);
}

def TTG_CGAEncoding : TTG_Attr<"CGAEncoding", "cga_encoding"> {
  let summary = "bases of the CTAs of a cluster";
  let parameters = (ins "::mlir::ArrayAttr":$bases);
}

def TTG_SharedMemorySpace : AttrDef<TTG_Dialect, "SharedMemorySpace"> {
  let mnemonic = "shared_memory";
  let summary = "shared memory of a CTA (LDS on AMD)";
}

// Address spaces a barrier orders: a bit mask, printed joined with `|`.
def TTG_AddrNone : I32BitEnumAttrCaseNone<"None", "none">;
def TTG_AddrLocal : I32BitEnumAttrCaseBit<"Local", 0, "local">;
def TTG_AddrGlobalRead : I32BitEnumAttrCaseBit<"GlobalRead", 1, "global_read">;
def TTG_AddrGlobalWrite : I32BitEnumAttrCaseBit<"GlobalWrite", 2, "global_write">;
def TTG_AddrTensorRead : I32BitEnumAttrCaseBit<"TensorRead", 3, "tensor_read">;
def TTG_AddrTensorWrite : I32BitEnumAttrCaseBit<"TensorWrite", 4, "tensor_write">;
def TTG_AddrAll : I32BitEnumAttrCaseGroup<"All",
    [TTG_AddrLocal, TTG_AddrGlobalRead, TTG_AddrGlobalWrite, TTG_AddrTensorRead,
     TTG_AddrTensorWrite], "all">;
def TTG_AddrSpace : I32BitEnumAttr<"AddrSpace", "address spaces that a barrier orders",
    [TTG_AddrNone, TTG_AddrLocal, TTG_AddrGlobalRead, TTG_AddrGlobalWrite, TTG_AddrTensorRead,
     TTG_AddrTensorWrite, TTG_AddrAll]> {
  let cppNamespace = "::tlx::ttg";
  let separator = "|";
}

#endif
