#!/usr/bin/env python3
"""Regenerates tests/compiler/layout/{facts,bank_facts,tmem_facts}.txt: what fbtriton itself says about layouts.

Each line of facts.txt is

    encoding | shape | bases | dump

with the encoding in MLIR syntax, the bases of every hardware dimension in the
form `register=[[0, 1], ...]`, and what tlx.dump_layout prints: CuTe notation,
`linear` where fbtriton falls back to the bases, or `-` where it was not asked.

Register and shared encodings go through the text of a module and fbtriton's
dump pass, whose CuTe output is taken apart into bases again; swizzled and tensor
memory encodings through fbtriton's to_linear_layout. A case that fbtriton
refuses becomes a line `! encoding | shape`: it must be an error for us as well.

Each line of bank_facts.txt is

    register encoding | shared encoding | shape | element bits | bank conflicts

and of tmem_facts.txt, the registers of a tensor memory access,

    encoding | shape | element bits | warps | atom | bases

    scripts/layout_facts.py [--python PYTHON] [--output FOLDER] [--check]

needs a Python with fbtriton 3.7.4; without it, says so and leaves the file.
"""
import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

OUTPUT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "compiler", "layout")


# --- the cases -------------------------------------------------------------

class Case:
    def __init__(self, text, shape, elt="f16", space="reg", warps=4, lanes=32, ctas=1, build=None):
        self.text, self.shape, self.elt, self.space = text, shape, elt, space
        self.warps, self.lanes, self.ctas, self.build = warps, lanes, ctas, build


def product(values):
    n = 1
    for v in values:
        n *= v
    return n


def cga_text(cga):
    return f", CGALayout = {cga}" if cga else ""


def blocked(spt, tpw, wpc, order, cga=()):
    cga = [list(b) for b in cga]
    return (f"#ttg.blocked<{{sizePerThread = {spt}, threadsPerWarp = {tpw}, warpsPerCTA = {wpc}, "
            f"order = {order}{cga_text(cga)}}}>")


def mma(version, wpc, instr, cga=()):
    cga = [list(b) for b in cga]
    return (f"#ttg.nvidia_mma<{{versionMajor = {version}, versionMinor = 0, warpsPerCTA = {wpc}"
            f"{cga_text(cga)}, instrShape = {instr}}}>")


def mfma(version, wpc, instr, transposed, tiles=None, width=None, cga=()):
    cga = [list(b) for b in cga]
    extra = f", tilesPerWarp = {tiles}" if tiles else ""
    extra += f", elementBitWidth = {width}" if width else ""
    return (f"#ttg.amd_mfma<{{version = {version}, warpsPerCTA = {wpc}, instrShape = {instr}, "
            f"isTransposed = {str(transposed).lower()}{cga_text(cga)}{extra}}}>")


def wmma(version, transposed, warp, register=(), instr=None):
    if version == 3 and instr is None:
        instr = [16, 16, 32]
    lists = []
    if register:
        lists.append(f"register = {[list(b) for b in register]}")
    if warp:
        lists.append(f"warp = {[list(b) for b in warp]}")
    extra = f", instrShape = {instr}" if instr else ""
    return (f"#ttg.amd_wmma<{{version = {version}, isTranspose = {str(transposed).lower()}, "
            f"ctaLayout = {{{', '.join(lists)}}}{extra}}}>")


def dot(idx, parent, width=0):
    extra = f", kWidth = {width}" if width else ""
    return f"#ttg.dot_op<{{opIdx = {idx}, parent = {parent}{extra}}}>"


def slice_of(dim, parent):
    return f"#ttg.slice<{{dim = {dim}, parent = {parent}}}>"


def register_cases():
    b = blocked
    for args, shapes in [
        (([1], [32], [4], [0]), ([128], [1024], [64], [16])),
        (([4], [32], [4], [0]), ([512], [128], [4096])),
        (([1, 8], [4, 8], [4, 1], [1, 0]), ([128, 64], [16, 64], [128, 16], [64, 256])),
        (([1, 4], [8, 4], [2, 2], [0, 1]), ([64, 64], [16, 32], [128, 8])),
        (([4, 1], [32, 1], [1, 4], [0, 1]), ([128, 128], [32, 4])),
        (([1, 2, 4], [2, 4, 4], [2, 1, 2], [2, 1, 0]), ([8, 16, 64], [4, 8, 32])),
        (([2, 1, 1], [1, 8, 4], [1, 4, 1], [1, 0, 2]), ([8, 64, 8],)),
        (([1, 1], [1, 32], [4, 1], [1, 0]), ([1, 128], [128, 1], [64, 64])),
    ]:
        for shape in shapes:
            yield Case(b(*args), shape)
    yield Case(b([1, 4], [8, 4], [2, 2], [0, 1], [[1, 0]]), [64, 64], ctas=2)
    yield Case(b([1, 4], [8, 4], [2, 2], [1, 0], [[0, 1], [1, 0]]), [128, 128], ctas=4)
    yield Case(b([1], [32], [4], [0], [[0]]), [128], ctas=2)
    yield Case(b([1], [32], [4], [0], [[1], [2]]), [1024], ctas=4)
    yield Case(b([1, 8], [8, 8], [4, 1], [1, 0]), [128, 64], lanes=64)
    yield Case(b([1, 8], [4, 8], [8, 1], [1, 0]), [128, 64], warps=8)
    yield Case("#ttg.linear<{register = [[0, 1], [0, 2], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4]], "
               "warp = [[32, 0], [0, 0]], block = []}>", [64, 8])
    yield Case("#ttg.linear<{register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], "
               "warp = [[32, 0], [64, 0]], block = []}>", [128, 2])

    for shape in ([128, 8], [64, 16], [128, 16], [32, 8], [64, 2]):
        yield Case("#ttg.linear<{register = [[0, 1], [0, 2], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], "
                   "[0, 4]], warp = [[32, 0], [0, 0]], block = []}>", shape)
    for dim, size in ((0, 8), (1, 64)):
        yield Case(slice_of(dim, "#ttg.linear<{register = [[0, 1], [0, 2], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], "
                            "[8, 0], [0, 4]], warp = [[32, 0], [0, 0]], block = []}>"), [size])
    for shape in ([64, 64], [128, 128], [64, 16], [32, 64], [256, 32]):
        for n in (8, 64, 128):
            yield Case(mma(3, [4, 1], [16, n, 16]), shape, "f32")
    yield Case(mma(3, [4, 2], [16, 64, 16]), [128, 256], "f32", warps=8)
    yield Case(mma(3, [8, 1], [16, 64, 16]), [128, 64], "f32", warps=8)
    yield Case(mma(3, [4, 1], [16, 64, 16], [[0, 1]]), [64, 128], "f32", ctas=2)
    for wpc in ([4, 1], [2, 2], [1, 4]):
        for shape in ([64, 64], [16, 16], [128, 32]):
            yield Case(mma(2, wpc, [16, 8]), shape, "f32")
            for width in (1, 2, 4):
                yield Case(dot(0, mma(2, wpc, [16, 8]), width), shape)
                yield Case(dot(1, mma(2, wpc, [16, 8]), width), shape)
    yield Case(mma(2, [2, 1, 2], [1, 16, 8]), [4, 32, 32], "f32")
    yield Case(dot(0, mma(2, [2, 1, 2], [1, 16, 8]), 2), [4, 32, 32])
    for width in (2, 4):
        for shape in ([64, 64], [128, 32], [64, 16]):
            yield Case(dot(0, mma(3, [4, 1], [16, 64, 16]), width), shape)
    fma = b([2, 2], [8, 4], [2, 2], [1, 0])
    for idx in (0, 1):
        for shape in ([32, 16], [16, 64]):
            yield Case(dot(idx, fma), shape, "f32")
    for dim in (0, 1):
        yield Case(slice_of(dim, b([1, 8], [4, 8], [4, 1], [1, 0])), [128])
        yield Case(slice_of(dim, b([1, 4], [8, 4], [2, 2], [0, 1])), [16])
        yield Case(slice_of(dim, mma(3, [4, 1], [16, 64, 16])), [128], "f32")
        yield Case(slice_of(dim, mma(2, [2, 2], [16, 8])), [64], "f32")
        yield Case(slice_of(dim, dot(0, mma(2, [2, 2], [16, 8]), 2)), [64])
        yield Case(slice_of(dim, slice_of(1, b([1, 2, 4], [2, 4, 4], [2, 1, 2], [2, 1, 0]))), [64])

    for instr in ([32, 32, 16], [16, 16, 32], [32, 32, 8]):
        for transposed in (False, True):
            for wpc in ([2, 2], [4, 1], [1, 4]):
                for shape in ([128, 128], [64, 64], [32, 256]):
                    yield Case(mfma(4, wpc, instr, transposed), shape, "f32", lanes=64)
    for instr in ([64, 4, 4], [4, 64, 4]):
        for transposed in (False, True):
            yield Case(mfma(3, [2, 2], instr, transposed), [128, 128], "f32", lanes=64)
    for transposed in (False, True):
        yield Case(mfma(4, [2, 2], [16, 16, 32], transposed, [2, 2]), [128, 128], "f32", lanes=64)
        yield Case(mfma(4, [2, 2], [16, 16, 32], transposed, [1, 2]), [64, 256], "f32", lanes=64)
        yield Case(mfma(4, [1, 4], [32, 32, 16], transposed, [2, 1]), [64, 128], "f32", lanes=64)
        yield Case(mfma(3, [2, 2], [16, 16, 4], transposed, None, 64), [64, 64], "f64", lanes=64)
        yield Case(mfma(4, [2, 2], [16, 16, 32], transposed, cga=[[1, 0]]), [128, 128], "f32", lanes=64, ctas=2)
    for idx, width, instr, wpc in itertools.product(
            (0, 1), (4, 8), ([32, 32, 16], [16, 16, 32]), ([2, 2], [4, 1])):
        for shape in ([128, 64], [64, 128], [64, 8]):
            yield Case(dot(idx, mfma(4, wpc, instr, True), width), shape, lanes=64)
    yield Case(dot(0, mfma(4, [2, 2], [16, 16, 32], True, [2, 2]), 8), [128, 64], lanes=64)
    yield Case(dot(1, mfma(4, [2, 2], [16, 16, 32], True, [2, 2]), 8), [64, 128], lanes=64)
    yield Case(slice_of(1, mfma(4, [2, 2], [32, 32, 16], True)), [128], "f32", lanes=64)

    for version in (1, 2, 3):
        for transposed in (False, True):
            for warp in ([[0, 1], [1, 0]], [[1, 0], [2, 0]]):
                for shape in ([64, 64], [128, 128], [16, 64]):
                    yield Case(wmma(version, transposed, warp), shape, "f32")
            yield Case(wmma(version, transposed, [[0, 1], [1, 0]], [[0, 2]]), [64, 128], "f32")
    for transposed in (False, True):
        yield Case(wmma(3, transposed, [[0, 1], [1, 0]], (), [16, 16, 128]), [128, 64], "f32")
    for version, idx in itertools.product((1, 2, 3), (0, 1)):
        for width in ((16,) if version == 1 else (8,) if version == 2 else (4, 8)):
            for shape in ([64, 64], [128, 32]):
                yield Case(dot(idx, wmma(version, True, [[0, 1], [1, 0]]), width), shape)
        yield Case(dot(idx, wmma(version, True, [[0, 1], [1, 0]], [[0, 2], [2, 0]]), 16 if version == 1 else 8),
                   [128, 128])
    for idx in (0, 1):
        yield Case(dot(idx, wmma(3, True, [[0, 1], [1, 0]], (), [16, 16, 32]), 8), [64, 128])
        yield Case(dot(idx, wmma(3, True, [[0, 1], [1, 0]], (), [16, 16, 128]), 16), [128, 128])
        yield Case(dot(idx, wmma(3, True, [[0, 1], [1, 0]], (), [16, 16, 4]), 2), [64, 64])


def shared_cases():
    for order, vec, per, phases in [
        ([1, 0], 1, 1, 1), ([0, 1], 1, 1, 1), ([1, 0], 8, 1, 8), ([1, 0], 8, 2, 4), ([1, 0], 8, 1, 4),
        ([0, 1], 4, 2, 2), ([0, 1], 8, 1, 8), ([1, 0], 2, 4, 4), ([1, 0], 4, 1, 16),
    ]:
        for shape in ([64, 64], [128, 32], [16, 128]):
            text = (f"#ttg.swizzled_shared<{{vec = {vec}, perPhase = {per}, maxPhase = {phases}, order = {order}}}>")
            yield Case(text, shape, space="smem",
                       build=lambda b, v=vec, p=per, m=phases, o=order: b.get_swizzled_shared_layout(v, p, m, o, []))
    for order, shape in (([0], [64]), ([2, 1, 0], [2, 64, 32]), ([1, 2, 0], [4, 32, 64])):
        yield Case(f"#ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = {order}}}>", shape, space="smem",
                   build=lambda b, o=order: b.get_swizzled_shared_layout(1, 1, 1, o, []))
    yield Case("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [2, 1, 0]}>", [2, 64, 32], space="smem",
               build=lambda b: b.get_swizzled_shared_layout(8, 1, 4, [2, 1, 0], []))
    yield Case("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], CGALayout = [[1, 0]]}>",
               [128, 64], space="smem", ctas=2,
               build=lambda b: b.get_swizzled_shared_layout(8, 1, 8, [1, 0], [[1, 0]]))
    for cga, shape in (([[0, 1]], [64, 128]), ([[1, 0]], [8, 64]), ([[0, 0]], [64, 64])):
        yield Case(f"#ttg.swizzled_shared<{{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], CGALayout = {cga}}}>",
                   shape, space="smem", ctas=2,
                   build=lambda b, c=cga: b.get_swizzled_shared_layout(8, 1, 8, [1, 0], c))
    for shape in ([4, 64], [8, 32]):
        yield Case("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>", shape, space="smem",
                   build=lambda b: b.get_swizzled_shared_layout(8, 1, 8, [1, 0], []))
    for vec, per, phases, order in ((8, 1, 8, [1, 0]), (4, 2, 8, [0, 1]), (4, 1, 16, [0, 1]), (8, 2, 4, [1, 0])):
        for shape in ([64, 64], [128, 32], [256, 128]):
            yield Case(f"#ttg.amd_rotating_shared<{{vec = {vec}, perPhase = {per}, maxPhase = {phases}, "
                       f"order = {order}}}>", shape, space="smem")
    for width, transposed, bits in itertools.product((0, 32, 64, 128), (False, True), (8, 16, 32)):
        for shape in ([64, 64], [128, 128], [8, 256], [4, 128], [512, 64], [64, 512], [512, 512], [4, 64, 64],
                      [64, 64, 4], [2, 512, 128], [64, 64, 64]):
            text = (f"#ttg.nvmma_shared<{{swizzlingByteWidth = {width}, transposed = {str(transposed).lower()}, "
                    f"elementBitWidth = {bits}{', rank = 3' if len(shape) == 3 else ''}}}>")
            yield Case(text, shape, {8: "i8", 16: "f16", 32: "f32"}[bits], "smem")
    for width, transposed in itertools.product((0, 32, 64, 128), (False, True)):
        for shape in ([64, 64], [128, 128], [64, 256]):
            text = (f"#ttg.nvmma_shared<{{swizzlingByteWidth = {width}, transposed = {str(transposed).lower()}, "
                    f"elementBitWidth = 8, fp4Padded = true}}>")
            yield Case(text, shape, "i8", "smem")
    for cga, shape in (([[1, 0]], [128, 64]), ([[0, 1]], [64, 128]), ([[0, 0]], [64, 64]), ([[0, 1]], [64, 256])):
        yield Case(f"#ttg.nvmma_shared<{{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, "
                   f"CGALayout = {cga}}}>", shape, "f16", "smem", ctas=2)
    yield Case("#ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16, rank = 1}>",
               [256], "f16", "smem")
    yield Case("#ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16, rank = 1}>",
               [1024], "f16", "smem")
    yield Case("#ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 2]]}, alignment = 16>", [4, 4], "f16", "smem")
    yield Case("#ttg.shared_linear<{offset = [[1, 0], [0, 1], [2, 0], [0, 2]]}, alignment = 64>", [4, 4], "f16", "smem")
    inner = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>"
    for parts, groups, dim, shape in ((2, 2, 0, [64, 64]), (4, 1, 1, [64, 128]), (2, 4, 1, [16, 256]), (1, 2, 0, [64, 64])):
        yield Case(f"#ttg.partitioned_shared<{{numPartitions = {parts}, numGroups = {groups}, partitionDim = {dim}, "
                   f"partitionLayout = {inner}}}>", shape, "f16", "smem")


    split = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], CGALayout = [[1, 0]]}>"
    yield Case(f"#ttg.partitioned_shared<{{numPartitions = 2, numGroups = 2, partitionDim = 0, "
               f"partitionLayout = {split}}}>", [128, 64], "f16", "smem", ctas=2)


def tensor_cases():
    for m, n, stride, shape in [
        (128, 128, 1, [128, 128]), (128, 64, 1, [128, 128]), (128, 64, 2, [256, 128]), (128, 256, 1, [256, 256]),
        (64, 64, 1, [64, 64]), (64, 64, 1, [64, 128]), (64, 64, 1, [128, 64]), (64, 64, 1, [128, 128]),
        (64, 32, 2, [64, 64]), (64, 128, 1, [64, 512]), (128, 32, 4, [128, 32]), (128, 128, 1, [128, 64]),
        (64, 64, 1, [256, 256]), (128, 128, 1, [128, 512]), (64, 256, 2, [64, 256]),
    ]:
        yield Case(f"#ttng.tensor_memory_encoding<blockM = {m}, blockN = {n}, colStride = {stride}>", shape,
                   "f32", "tmem", build=lambda b, m=m, n=n, s=stride: b.get_tensor_memory_layout([m, n], s, [], False))
    for shape in ([128, 4], [64, 4], [128, 8], [256, 16], [64, 16], [32, 4], [512, 32], [32, 16], [128, 2]):
        yield Case("#ttng.tensor_memory_scales_encoding<>", shape, "i8", "tmem",
                   build=lambda b: b.get_tensor_memory_scales_layout([]))


def cases():
    yield from register_cases()
    yield from shared_cases()
    yield from tensor_cases()


def bank_cases():
    """(register text, its builder, shared text, its builder, shape, bits)"""
    registers = []
    for spt, tpw, wpc, order in [
        ([1, 8], [4, 8], [4, 1], [1, 0]), ([1, 4], [2, 16], [4, 1], [1, 0]), ([8, 1], [8, 4], [1, 4], [0, 1]),
        ([1, 1], [1, 32], [4, 1], [1, 0]), ([1, 1], [32, 1], [4, 1], [1, 0]), ([1, 2], [8, 4], [2, 2], [1, 0]),
        ([4, 4], [8, 4], [2, 2], [0, 1]), ([1, 16], [32, 1], [4, 1], [1, 0]),
    ]:
        registers.append((blocked(spt, tpw, wpc, order),
                          lambda b, a=(spt, tpw, wpc, order): b.get_blocked_layout(*a, [])))
    for version, instr in ((3, [16, 64, 16]), (2, [16, 8])):
        registers.append((mma(version, [4, 1], instr),
                          lambda b, v=version, i=instr: b.get_mma_layout([v, 0], [4, 1], [], i)))
    registers.append((dot(0, mma(2, [4, 1], [16, 8]), 2),
                      lambda b: b.get_dot_operand_layout(0, b.get_mma_layout([2, 0], [4, 1], [], [16, 8]), 2)))
    registers.append((slice_of(1, blocked([1, 1, 8], [1, 4, 8], [4, 1, 1], [2, 1, 0])),
                      lambda b: b.get_slice_layout(1, b.get_blocked_layout([1, 1, 8], [1, 4, 8], [4, 1, 1], [2, 1, 0],
                                                                           []))))
    shared = []
    for vec, per, phases, order in ((1, 1, 1, [1, 0]), (1, 1, 1, [0, 1]), (8, 1, 8, [1, 0]), (4, 2, 4, [1, 0]),
                                    (8, 1, 8, [0, 1])):
        shared.append((f"#ttg.swizzled_shared<{{vec = {vec}, perPhase = {per}, maxPhase = {phases}, order = {order}}}>",
                       lambda b, bits, a=(vec, per, phases, order): b.get_swizzled_shared_layout(*a, [])))
    for width, transposed in itertools.product((32, 64, 128), (False, True)):
        shared.append((f"#ttg.nvmma_shared<{{swizzlingByteWidth = {width}, transposed = {str(transposed).lower()}, "
                       f"elementBitWidth = BITS}}>",
                       lambda b, bits, w=width, t=transposed: b.get_nvmma_shared_layout(w, bits, t, False, [], 2)))
    for (rt, rb), (st, sb) in itertools.product(registers, shared):
        for shape, bits in (([128, 128], 16), ([128, 128], 32), ([128, 128], 8)):
            yield rt, rb, st.replace("BITS", str(bits)), sb, shape, bits


# --- asking fbtriton, in a child process: a refusal ends it ------------------

def bases_of_index(index, shape):
    coords = []
    for size in reversed(shape):
        coords.insert(0, index % size)
        index //= size
    return coords


def modes(text):
    """[(size, stride)] of one side-by-side pair of CuTe tuples."""
    sizes, strides = text
    return list(zip([int(v) for v in re.findall(r"_(\d+)", sizes)], [int(v) for v in re.findall(r"_(\d+)", strides)]))


def expand(pairs):
    bits = []
    for size, stride in pairs:
        step = 1
        while step < size:
            bits.append(step * stride)
            step *= 2
    return bits


def split_top(text):
    """The top-level members of '(a,(b,c))'."""
    if not text.startswith("("):
        return [text]
    parts, depth, start = [], 0, 1
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if (c == "," and depth == 1) or (c == ")" and depth == 0):
            parts.append(text[start:i])
            start = i + 1
    return parts


def parse_dump(case, text):
    """(bases per dimension, dump column) from what the pass printed."""
    cute = re.search(r"cute: (.*)", text)
    dims = {}
    if not cute:
        for dim, rest in re.findall(r"(\w+)=\d+ -> \(([-\d, ]+)\)", text):
            dims.setdefault(dim, []).append([int(v) for v in rest.split(",")])
        for dim in re.findall(r"- (\w+) is a size 1 dimension", text):
            dims[dim] = []
        return dims, "linear"
    cute = cute.group(1).strip()
    if "Swizzle" in cute:
        return None, cute
    sizes, strides = cute.split(":") if cute.count(":") == 1 else (None, None)
    if case.space != "reg":
        bits = expand(modes((sizes, strides)))
        return {"offset": [bases_of_index(v, case.shape) for v in bits], "block": []}, cute
    thread, value = (expand(modes(p)) for p in zip(split_top(sizes), split_top(strides)))
    log = lambda v: v.bit_length() - 1
    lanes, warps, ctas = log(case.lanes), log(case.warps), log(case.ctas)
    assert len(thread) == lanes + warps + ctas, (case.text, cute)
    point = lambda bits: [bases_of_index(v, case.shape) for v in bits]
    return {"register": point(value), "lane": point(thread[:lanes]), "warp": point(thread[lanes:lanes + warps]),
            "block": point(thread[lanes + warps:])}, cute


def ask(case, directory):
    from triton._C.libtriton import amd, gluon_ir, ir, nvidia, tlx
    context = ir.context()
    ir.load_dialects(context)
    nvidia.load_dialects(context)
    amd.load_dialects(context)
    dims, dump = None, "-"
    if case.space != "tmem":
        kind = f"tensor<{'x'.join(map(str, case.shape))}x{case.elt}, #e>"
        if case.space == "smem":
            kind = f"!ttg.memdesc<{'x'.join(map(str, case.shape))}x{case.elt}, #e, #ttg.shared_memory, mutable>"
        target = "hip:gfx950" if case.lanes == 64 else "hip:gfx1250" if "wmma" in case.text else "cuda:90"
        path = os.path.join(directory, "case.mlir")
        with open(path, "w") as f:
            f.write(f'#e = {case.text}\nmodule attributes {{"ttg.num-warps" = {case.warps} : i32, "ttg.num-ctas" = '
                    f'{case.ctas} : i32, "ttg.threads-per-warp" = {case.lanes} : i32, ttg.target = "{target}"}} {{\n'
                    f"tt.func @f(%x: {kind}) {{\n  tlx.dump_layout %x : {kind}\n  tt.return\n}}\n}}\n")
        module = ir.parse_mlir_module(path, context)
        manager = ir.pass_manager(context)
        tlx.tlx_passes.add_tlx_dump_layout(manager)
        log = os.path.join(directory, "log")
        saved = os.dup(2)
        fd = os.open(log, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        os.dup2(fd, 2)
        manager.run(module, "dump")
        os.dup2(saved, 2)
        with open(log) as f:
            dims, dump = parse_dump(case, f.read())
    if dims is None:
        builder = gluon_ir.GluonOpBuilder(context)
        layout = builder.to_linear_layout(case.build(builder), case.shape)
        if case.space == "tmem":
            dims = {"row": layout.rows, "col": layout.cols, "block": []}
        else:
            dims = {"offset": layout.offset_bases, "block": layout.block_bases}
    return dims, dump


def ask_all(out):
    """One line per case on `out`."""
    for case in cases():
        with tempfile.TemporaryDirectory() as directory:
            answer = os.path.join(directory, "answer")
            child = os.fork()
            if child == 0:
                quiet = os.open(os.devnull, os.O_WRONLY)
                os.dup2(quiet, 2)
                try:
                    dims, dump = ask(case, directory)
                    with open(answer, "w") as f:
                        json.dump([dims, dump], f)
                except RuntimeError:
                    os._exit(1)
                os._exit(0)
            os.waitpid(child, 0)
            shape = "x".join(map(str, case.shape))
            if not os.path.exists(answer):
                out.write(f"! {case.text} | {shape}\n")
                continue
            with open(answer) as f:
                dims, dump = json.load(f)
            bases = " ".join(f"{dim}={json.dumps(value)}" for dim, value in dims.items())
            out.write(f"{case.text} | {shape} | {bases} | {dump}\n")


def ask_banks(out):
    from triton._C.libtriton import amd, gluon_ir, ir, nvidia
    context = ir.context()
    ir.load_dialects(context)
    nvidia.load_dialects(context)
    amd.load_dialects(context)
    builder = gluon_ir.GluonOpBuilder(context)
    for register_text, register, shared_text, shared, shape, bits in bank_cases():
        conflicts = builder.get_shared_bank_conflicts(register(builder), shared(builder, bits), shape, bits)
        out.write(f"{register_text} | {shared_text} | {'x'.join(map(str, shape))} | {bits} | {conflicts}\n")


def ask_tensor_memory(out):
    """What compute_tmem_reg_layout answers; nothing or a refusal is a line with `!`."""
    from triton._C.libtriton import gluon_ir
    from triton.experimental.gluon.language import _core as gluon
    from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout
    types = {8: gluon.int8, 16: gluon.float16, 32: gluon.float32}
    shapes = [([128, 64], 128, 64), ([256, 64], 128, 64), ([128, 256], 128, 128), ([64, 128], 64, 64),
              ([128, 64], 64, 64), ([64, 64], 64, 64), ([128, 4], 128, 4), ([128, 2], 128, 2), ([128, 1], 128, 1),
              ([64, 1], 64, 1), ([64, 4], 64, 4)]
    for (shape, m, n), bits, warps, atom in itertools.product(
            shapes, (32, 16, 8), (4, 8, 16), ("32x32b", "16x64b", "16x128b", "16x256b")):
        for stride in (1, 2) if bits == 16 and n == 64 else (1,):
            text = f"#ttng.tensor_memory_encoding<blockM = {m}, blockN = {n}, colStride = {stride}>"
            case = f"{text} | {'x'.join(map(str, shape))} | {bits} | {warps} | {atom}"
            read, write = os.pipe()
            child = os.fork()
            if child == 0:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                try:
                    layout = gluon_ir.compute_tmem_reg_layout(types[bits], shape, shape,
                                                              TensorMemoryLayout([m, n], stride), warps, atom)
                    if layout is not None:
                        os.write(write, f"register={layout.reg_bases} lane={layout.lane_bases} "
                                        f"warp={layout.warp_bases} block={layout.block_bases}".encode())
                except (RuntimeError, ValueError):
                    pass
                os._exit(0)
            os.close(write)
            with os.fdopen(read) as answer:
                bases = answer.read()
            os.waitpid(child, 0)
            out.write(f"{case} | {bases}\n" if bases else f"! {case}\n")


ASK = {"facts": ask_all, "bank_facts": ask_banks, "tmem_facts": ask_tensor_memory}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=os.environ.get("TLX_FBTRITON_PYTHON", sys.executable),
                        help="a Python with fbtriton 3.7.4 (default: $TLX_FBTRITON_PYTHON, else this one)")
    parser.add_argument("--output", default=OUTPUT)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the tables would change")
    parser.add_argument("--child", choices=list(ASK), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        ASK[options.child](sys.stdout)
        return 0
    probe = subprocess.run([options.python, "-c", "from triton._C.libtriton import tlx, gluon_ir"],
                           stderr=subprocess.DEVNULL)
    if probe.returncode != 0:
        print(f"layout_facts: {options.python} has no fbtriton; {options.output} is left as it is")
        return 77 if options.check else 0
    stale = 0
    for table, columns in (("facts", "encoding | shape | bases | dump_layout"),
                           ("bank_facts", "register encoding | shared encoding | shape | element bits | conflicts"),
                           ("tmem_facts", "encoding | shape | element bits | warps | atom | bases")):
        result = subprocess.run([options.python, os.path.abspath(__file__), "--child", table], stdout=subprocess.PIPE,
                                text=True, check=True)
        path = os.path.join(options.output, table + ".txt")
        text = f"# Written by scripts/layout_facts.py from fbtriton 3.7.4: {columns}\n{result.stdout}"
        if options.check:
            with open(path) as f:
                same = f.read() == text
            stale += not same
            print(f"layout_facts: {path} is {'up to date' if same else 'stale'}")
            continue
        with open(path, "w") as f:
            f.write(text)
        print(f"layout_facts: {len(result.stdout.splitlines())} facts in {path}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
