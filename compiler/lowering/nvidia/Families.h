//===- Families.h - the lowerings, by family of operations ------------------===//
#pragma once

namespace tlx::nvidia {

class LoweringTable;

void addArith(LoweringTable &table);   ///< arith, tt arithmetic
void addCasts(LoweringTable &table);   ///< conversions between element types
void addMath(LoweringTable &table);    ///< math, library functions
void addLibrary(LoweringTable &table); ///< the device library, inline assembly, mapped regions
void addShape(LoweringTable &table);   ///< splat, broadcast, reshape, …
void addConvert(LoweringTable &table); ///< ttg.convert_layout
void addReduce(LoweringTable &table);
void addGather(LoweringTable &table);    ///< gather, scatter, scan, histogram
void addControl(LoweringTable &table);   ///< scf, cf, return
void addGlobal(LoweringTable &table);    ///< loads and stores of global memory
void addAtomics(LoweringTable &table);   ///< atomics on global memory
void addShared(LoweringTable &table);    ///< buffers in shared memory and views of them
void addAsyncCopy(LoweringTable &table); ///< cp.async, bulk copies, remote stores
void addBarriers(LoweringTable &table);  ///< mbarriers, named barriers, fences
void addTma(LoweringTable &table);
void addTensormap(LoweringTable &table);    ///< descriptors made on the device
void addWarpGroupDot(LoweringTable &table); ///< wgmma
void addDot(LoweringTable &table);          ///< tt.dot: mma.sync, sums of products
void addCluster(LoweringTable &table);
void addProgram(LoweringTable &table); ///< program ids, clocks, assertions
void addPrint(LoweringTable &table);
void addSpecialize(LoweringTable &table);

} // namespace tlx::nvidia
