"""The launches that predictions are judged with and that no number is fitted to.

Each is (family, size, configuration, function): launches of one family and size compete, a sweep would rank them. The
functions launch a kernel; under a recorder nothing runs. The kernels are those of fbtriton's Hopper tutorials, at sizes
and in configurations of our own, and the small ones of kernels.py.
"""
import importlib

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import kernels
import units

TUTORIALS = "triton.language.extra.tlx.tutorials."


def tutorial(name):
    return importlib.import_module(TUTORIALS + name)


def half(*shape):
    return torch.randn(shape, dtype=torch.float16)


def size_name(*sizes):
    return "x".join(map(str, sizes))


# --- GEMM, warp-specialised -----------------------------------------------------------------------------------------------
def gemm_ws(m, n, k, bm, bn, bk=64, stages=3, group=8, groups=2, subtile=False, ctas=1, warp_barrier=False, dtype=torch.float16):
    config = {"BM": bm, "BN": bn, "BK": bk, "GROUP_SIZE_M": group, "NUM_STAGES": stages, "NUM_MMA_WARPS": 4 * groups, "NUM_MMA_GROUPS": groups,
              "EPILOGUE_SUBTILE": subtile, "NUM_CTAS": ctas, "USE_WARP_BARRIER": warp_barrier}  # fmt: skip
    more = {"ctas_per_cga": (ctas, 1, 1)} if ctas > 1 else {}
    name = "%dx%dx%d-s%d-g%d-m%d%s%s%s" % (bm, bn, bk, stages, group, groups, "-sub" * subtile, "-c2" * (ctas > 1), "-wb" * warp_barrier)

    def launch():
        tutorial("hopper_gemm_ws").matmul(torch.randn((m, k), dtype=dtype), torch.randn((k, n), dtype=dtype), config={**config, **more})

    return "gemm_ws", size_name(m, n, k), name, launch


def gemm_pipelined(m, n, k, bm, bn, bk, stages, group=8, warps=8):
    config = {"BLOCK_SIZE_M": bm, "BLOCK_SIZE_N": bn, "BLOCK_SIZE_K": bk, "GROUP_SIZE_M": group, "NUM_STAGES": stages, "num_warps": warps}

    def launch():
        tutorial("hopper_gemm_pipelined").matmul(half(m, k), half(k, n), config=config)

    return "gemm_pipelined", size_name(m, n, k), "%dx%dx%d-s%d-g%d-w%d" % (bm, bn, bk, stages, group, warps), launch


def gemm_persistent(which, m, n, k, bm, bn, stages):
    def launch():
        module = tutorial("hopper-persistent-gemm-ws-" + which)
        kernel = module.matmul_kernel_tlx_ws_persistent
        kernel.configs = [c for c in module.matmul_get_configs() if (c.kwargs["BM"], c.kwargs["BN"], c.kwargs["NUM_STAGES"]) == (bm, bn, stages)][:1]
        module.matmul_tlx_ws_persistent(half(m, k), half(k, n))

    return "gemm_" + which, size_name(m, n, k), "%dx%d-s%d" % (bm, bn, stages), launch


def skinny(m, n, k, bm, bn, bk, stages, warps, bulk=True):
    def launch():
        module = tutorial("hopper_gemm_ws")
        kernel = module._skinny_tma_kernel if bulk else module._skinny_matmul_kernel
        wanted = (bm, bn, bk, stages, warps)
        keys = ("BLOCK_M", "BLOCK_N", "BLOCK_K", "NUM_STAGES")
        configs = module._get_skinny_tma_configs() if bulk else module._get_skinny_autotune_configs()
        kernel.configs = [c for c in configs if tuple(c.kwargs[key] for key in keys) + (c.num_warps,) == wanted][:1]
        (module._skinny_matmul_tma if bulk else module._skinny_matmul)(half(m, k), half(k, n), m, n, k)

    return "skinny_tma" if bulk else "skinny", size_name(m, n, k), "%dx%dx%d-s%d-w%d" % (bm, bn, bk, stages, warps), launch


GEMM = [
    gemm_ws(2048, 2048, 2048, 128, 256), gemm_ws(2048, 2048, 2048, 128, 128), gemm_ws(2048, 2048, 2048, 128, 128, stages=4),
    gemm_ws(2048, 2048, 2048, 256, 128), gemm_ws(2048, 2048, 2048, 128, 256, group=1), gemm_ws(2048, 2048, 2048, 128, 256, stages=2),
    gemm_ws(2048, 2048, 2048, 128, 256, stages=4, subtile=True), gemm_ws(2048, 2048, 2048, 128, 64, stages=4),
    gemm_ws(2048, 2048, 2048, 128, 256, ctas=2), gemm_ws(2048, 2048, 2048, 128, 128, bk=128, stages=2), gemm_ws(2048, 2048, 2048, 128, 128, bk=32, stages=6),
    gemm_ws(2048, 2048, 2048, 128, 256, warp_barrier=True),
    gemm_ws(768, 768, 768, 128, 128), gemm_ws(768, 768, 768, 128, 256), gemm_ws(768, 768, 768, 128, 64),
    gemm_ws(6144, 6144, 6144, 128, 256), gemm_ws(6144, 6144, 6144, 128, 128, stages=4), gemm_ws(6144, 6144, 6144, 256, 128),
    gemm_ws(1000, 1200, 1400, 128, 256), gemm_ws(1000, 1200, 1400, 128, 128), gemm_ws(3000, 1000, 520, 128, 128),
    gemm_ws(512, 512, 16384, 128, 128, stages=4), gemm_ws(512, 512, 16384, 128, 256),
    gemm_ws(8192, 512, 1024, 128, 128), gemm_ws(8192, 512, 1024, 128, 256, group=1), gemm_ws(8192, 512, 1024, 256, 128),
    gemm_ws(16384, 4096, 256, 128, 256), gemm_ws(16384, 4096, 256, 128, 128), gemm_ws(1536, 3072, 4096, 128, 256, dtype=torch.bfloat16),
    gemm_ws(1536, 3072, 4096, 128, 256, stages=4, subtile=True, ctas=2, dtype=torch.bfloat16),
    gemm_pipelined(2048, 2048, 2048, 128, 256, 64, 3), gemm_pipelined(2048, 2048, 2048, 128, 128, 64, 3), gemm_pipelined(2048, 2048, 2048, 128, 128, 64, 4, warps=4),
    gemm_pipelined(2048, 2048, 2048, 64, 128, 64, 4, warps=4), gemm_pipelined(2048, 2048, 2048, 128, 128, 32, 4), gemm_pipelined(2048, 2048, 2048, 64, 256, 64, 3, warps=4),
    gemm_pipelined(3072, 1536, 4096, 128, 256, 64, 3), gemm_pipelined(1000, 1024, 1024, 128, 128, 64, 3), gemm_pipelined(256, 256, 8192, 64, 64, 64, 4, warps=4),
    gemm_persistent("cooperative", 2048, 2048, 2048, 128, 256, 3), gemm_persistent("cooperative", 2048, 2048, 2048, 256, 128, 4),
    gemm_persistent("cooperative", 5120, 2560, 1280, 128, 256, 4), gemm_persistent("pingpong", 2048, 2048, 2048, 128, 128, 6),
    gemm_persistent("pingpong", 5120, 2560, 1280, 128, 128, 6),
    skinny(128, 4096, 4096, 128, 64, 64, 4, 4), skinny(128, 4096, 4096, 64, 128, 64, 4, 4), skinny(128, 4096, 4096, 64, 64, 128, 2, 4), skinny(64, 2048, 8192, 64, 64, 64, 4, 4),
    skinny(128, 4096, 16384, 128, 64, 64, 4, 4, bulk=False), skinny(128, 4096, 16384, 128, 128, 64, 3, 8, bulk=False),
]  # fmt: skip


# --- attention --------------------------------------------------------------------------------------------------------------
def attention(kind, z, h, n, d, bm=128, bn=128, buffers=2, groups=2, q_buffers=1, dtype=torch.float16):
    config = {"BLOCK_M": bm, "BLOCK_N": bn, "NUM_MMA_WARPS": 4 * groups, "NUM_MMA_GROUPS": groups}
    if kind == "pipelined_pingpong_persistent":
        config.update(NUM_BUFFERS_Q=q_buffers, NUM_BUFFERS_KV=buffers)
    else:
        config["NUM_BUFFERS"] = buffers

    def launch():
        q, k, v = (torch.randn((z, h, n, d), dtype=torch.float16).to(dtype) for _ in range(3))
        tutorial("hopper_fa_ws" + ("_" + kind if kind else "")).attention(q, k, v, 0.5, config=config)

    name = "%dx%d-b%d-m%d%s" % (bm, bn, buffers, groups, "-q%d" % q_buffers if q_buffers > 1 else "")
    return "attention" + ("_" + kind if kind else ""), size_name(z, h, n, d), name, launch


PINGPONG, PERSISTENT = "pipelined_pingpong", "pipelined_pingpong_persistent"
ATTENTION = [
    attention("", 2, 8, 1536, 128), attention("", 1, 4, 512, 128), attention("", 2, 8, 2048, 64, bn=64),
    attention("pipelined", 2, 8, 1536, 128), attention("pipelined", 2, 8, 2048, 64, bn=64),
    attention(PINGPONG, 2, 8, 1536, 128), attention(PINGPONG, 2, 8, 2048, 64, bn=64, buffers=3), attention(PINGPONG, 1, 8, 4096, 128),
    attention(PERSISTENT, 2, 8, 1536, 128), attention(PERSISTENT, 2, 8, 2048, 64), attention(PERSISTENT, 2, 8, 2048, 64, bn=64, buffers=3),
    attention(PERSISTENT, 2, 16, 3072, 128), attention(PERSISTENT, 8, 16, 512, 64), attention(PERSISTENT, 2, 8, 1536, 128, bn=64, buffers=3), attention(PERSISTENT, 1, 2, 8192, 128),
]  # fmt: skip


# --- layer norm over clusters; kernels that broadcast users ----------------------------------------------------------------------
def layer_norm_cluster(m, n, bm, ctas, warps):
    def launch():
        kernel = tutorial("blackwell-multi-cta-layernorm_test").kernel_layernorm_multi_cta.fn
        block = triton.next_power_of_2(n // ctas)
        kernel[(triton.cdiv(m, bm), ctas)](
            half(m, n), torch.empty(m, n, dtype=torch.float16), half(n), half(n), torch.empty(m), torch.empty(m), n, m, n, 1e-5,
            BLOCK_SIZE_M=bm, BLOCK_SIZE_N=block, num_reduction_ctas=ctas, SHOULD_MASK_ROW=m % bm != 0, SHOULD_MASK_COL=n % block != 0,
            num_warps=warps, ctas_per_cga=(1, ctas, 1),
        )  # fmt: skip

    return "layer_norm_cluster", size_name(m, n), "m%d-c%d-w%d" % (bm, ctas, warps), launch


def ikbo_attention(batch, seeds, heads, d, length, ratio, bm, bn, warps):
    def launch():
        module = tutorial("ikbo.ikbo_fa_triton")
        module._ikbo_fa_kernel.configs = [triton.Config({"BLOCK_M": bm, "BLOCK_N": bn}, num_stages=2, num_warps=warps)]
        inputs = module.create_inputs(batch, seeds, heads, d, length, ratio, device="cpu")
        module.ikbo_fa(*inputs, seeds, heads, d, length)

    return "ikbo_fa", size_name(batch, seeds, heads, d, length), "%dx%d-w%d" % (bm, bn, warps), launch


def ikbo_compress(batch, m, n, k_user, k, ratio, bm, bn, bk, stages, warps):
    def launch():
        module = tutorial("ikbo.ikbo_lce_triton")
        module._ikbo_lce_kernel.configs = [triton.Config({"BM": bm, "BN": bn, "BK": bk, "GROUP_SIZE_M": 8}, num_stages=stages, num_warps=warps)]
        module.ikbo_lce(*module.create_inputs(batch, m, n, k_user, k, ratio, device="cpu")[:5])

    return "ikbo_lce", size_name(batch, m, n, k), "%dx%dx%d-s%d-w%d" % (bm, bn, bk, stages, warps), launch


OTHER = [
    layer_norm_cluster(1024, 32768, 1, 4, 8), layer_norm_cluster(1024, 32768, 1, 2, 16), layer_norm_cluster(1024, 32768, 1, 8, 4), layer_norm_cluster(1024, 32768, 2, 8, 8),
    layer_norm_cluster(4, 16384, 1, 2, 8), layer_norm_cluster(4, 16384, 1, 8, 4), layer_norm_cluster(100, 20000, 1, 2, 16), layer_norm_cluster(4096, 8192, 1, 2, 4),
    ikbo_attention(256, 32, 4, 64, 512, 64, 64, 64, 4), ikbo_attention(256, 32, 4, 64, 512, 64, 32, 64, 4), ikbo_attention(128, 64, 6, 128, 1024, 32, 64, 32, 4),
    ikbo_attention(128, 128, 4, 128, 512, 32, 128, 64, 8), ikbo_attention(128, 128, 4, 128, 512, 32, 128, 128, 8), ikbo_attention(128, 128, 4, 128, 512, 32, 64, 32, 4),
    ikbo_compress(256, 256, 256, 512, 512, 32, 128, 128, 64, 3, 8), ikbo_compress(256, 256, 256, 512, 512, 32, 64, 128, 64, 4, 4), ikbo_compress(256, 256, 256, 512, 512, 32, 128, 64, 64, 4, 4),
    ikbo_compress(256, 256, 256, 512, 512, 32, 64, 64, 64, 5, 4), ikbo_compress(64, 128, 192, 256, 1024, 16, 64, 64, 128, 3, 4),
]  # fmt: skip


# --- small kernels ------------------------------------------------------------------------------------------------------------
def vector(name, kernel, n, block, inputs, out, *rest, warps=4, config="", **more):
    """A kernel over n elements in blocks; inputs and out are functions that make tensors."""

    def launch():
        kernel[(triton.cdiv(n, block),)](*[make(n) for make in inputs], out(n), *rest, BLOCK=block, num_warps=warps, **more)

    return name, str(n), config or "b%d-w%d" % (block, warps), launch


def f32(n):
    return torch.randn(n)


def f64(n):
    return torch.randn(n, dtype=torch.float64)


def f16(n):
    return torch.randn(n, dtype=torch.float16)


def whole(dtype, low=1, high=1000):
    def make(n):
        return torch.randint(low, high, (n,), dtype=dtype)

    make.__name__ = str(dtype).replace("torch.int", "i")
    return make


def fp8(n):
    return torch.randn(n).to(torch.float8_e5m2)


i8, i32, i64 = whole(torch.int8, 1, 100), whole(torch.int32), whole(torch.int64)


def rows(name, kernel, m, n, make, out, *rest, warps=4, block=None):
    """One CTA for each row."""
    block = block or triton.next_power_of_2(n)
    return name, size_name(m, n), "w%d" % warps, lambda: kernel[(m,)](make(m * n), out(m * n), n, *rest, BLOCK=block, num_warps=warps)


def tiles(name, kernel, m, n, bm, bn, *sizes, make=f32, warps=4, grid=None, out=f32):
    def launch():
        kernel[grid or (m // bm, n // bn)](make(m * n), out(m * n), *sizes, BM=bm, BN=bn, num_warps=warps)

    return name, size_name(m, n), "%dx%d-w%d" % (bm, bn, warps), launch


def dot(m, n, k, bm, bn, bk, stages, warps, dtype=torch.float16, acc=tl.float32, out=torch.float32):
    def launch():
        integer = not dtype.is_floating_point
        make = (lambda *s: torch.randint(-9, 9, s, dtype=dtype)) if integer else lambda *s: torch.randn(s).to(dtype)
        kernels.matmul[(m // bm, n // bn)](make(m, k), make(k, n), torch.empty(m, n, dtype=out), m, n, k, bm, bn, bk, acc, num_warps=warps, num_stages=stages)

    kind = str(dtype).split(".")[1]
    return "dot_" + kind, size_name(m, n, k), "%dx%dx%d-s%d-w%d" % (bm, bn, bk, stages, warps), launch


def layer_norm(m, n, warps):
    block = triton.next_power_of_2(n)
    return "layer_norm", size_name(m, n), "w%d" % warps, lambda: kernels.layer_norm[(m,)](f16(m * n), f32(n), f32(n), f16(m * n), n, 1e-5, BLOCK=block, num_warps=warps)


def gather(m, n, table):
    def launch():
        kernels.gather_rows[(m,)](f32(table * n), torch.randint(0, table, (m,), dtype=torch.int32), f32(m * n), n, BLOCK=triton.next_power_of_2(n))

    return "gather_rows", size_name(m, n, table), "w4", launch


def words(n, table, block=512):
    def launch():
        kernels.gather_words[(n // block,)](f32(table), torch.randint(0, table, (n,), dtype=torch.int32), f32(n), BLOCK=block)

    return "gather_words", size_name(n, table), "b%d" % block, launch


def atomics(n, targets, make=f32, block=512):
    def launch():
        kernels.add_atomic[(n // block,)](make(n), torch.randint(0, targets, (n,), dtype=torch.int32), make(targets), BLOCK=block)

    return "add_atomic_" + make.__name__, size_name(n, targets), "b%d" % block, launch


def bulk(m, n, bm, stages, ctas):
    def launch():
        a, b = half(m, n), half(m, n)
        kernels.copy_bulk[(ctas,)](TensorDescriptor(a, [m, n], [n, 1], [bm, n]), TensorDescriptor(b, [m, n], [n, 1], [bm, n]), m, bm, n, stages)

    return "copy_bulk", size_name(m, n), "b%d-s%d-c%d" % (bm, stages, ctas), launch


def live(n, block, warps, copies=8):
    return "many_live", str(n), "b%d-w%d" % (block, warps), lambda: kernels.many_live[(n // block,)](f32(6 * n), f32(n), n, COPIES=copies, BLOCK=block, num_warps=warps)


def loop(name, kernel, ctas, steps, block, make=f32, warps=4):
    return name, size_name(ctas, steps), "b%d-w%d" % (block, warps), lambda: kernel[(ctas,)](make(ctas * block), make(ctas * block), steps, BLOCK=block, num_warps=warps)


MIB = 1 << 20
SMALL = [
    vector("add_f32", kernels.add, 4096, 1024, [f32, f32], f32, 4096), vector("add_f32", kernels.add, MIB, 1024, [f32, f32], f32, MIB),
    vector("add_f32", kernels.add, MIB, 256, [f32, f32], f32, MIB), vector("add_f32", kernels.add, MIB, 4096, [f32, f32], f32, MIB, warps=8),
    vector("add_f32", kernels.add, 16 * MIB, 1024, [f32, f32], f32, 16 * MIB), vector("add_f32", kernels.add, 16 * MIB, 128, [f32, f32], f32, 16 * MIB, warps=1),
    vector("add_f16", kernels.add, 8 * MIB, 2048, [f16, f16], f16, 8 * MIB), vector("add_f64", kernels.add, 2 * MIB, 512, [f64, f64], f64, 2 * MIB),
    vector("add_i32", kernels.add, 100003, 1024, [i32, i32], i32, 100003), vector("add_i8", kernels.add, 4 * MIB, 4096, [i8, i8], i8, 4 * MIB),
    vector("stride_2", kernels.copy_strided, MIB, 1024, [lambda n: f32(2 * n)], f32, MIB, STRIDE=2), vector("stride_17", kernels.copy_strided, MIB, 1024, [lambda n: f32(17 * n)], f32, MIB, STRIDE=17),
    vector("stride_32", kernels.copy_strided, 262144, 512, [lambda n: f32(32 * n)], f32, 262144, STRIDE=32),
    ("grid_stride", str(4 * MIB), "c132", lambda: kernels.scale_grid_stride[(132,)](f32(4 * MIB), f32(4 * MIB), 4 * MIB, 2.0, BLOCK=1024)),
    ("grid_stride", str(4 * MIB), "c528", lambda: kernels.scale_grid_stride[(528,)](f32(4 * MIB), f32(4 * MIB), 4 * MIB, 2.0, BLOCK=1024)),
    ("grid_stride", str(4 * MIB), "c16", lambda: kernels.scale_grid_stride[(16,)](f32(4 * MIB), f32(4 * MIB), 4 * MIB, 2.0, BLOCK=4096, num_warps=8)),
    tiles("transpose", kernels.transpose, 2048, 2048, 64, 64, 2048, 2048), tiles("transpose", kernels.transpose, 2048, 2048, 32, 128, 2048, 2048),
    tiles("transpose_f16", kernels.transpose, 4096, 1024, 64, 64, 4096, 1024, make=f16, out=f16), tiles("transpose_scattered", kernels.transpose_scattered, 2048, 2048, 64, 64, 2048, 2048),
    rows("softmax", kernels.softmax, 1024, 1000, f32, f32), rows("softmax", kernels.softmax, 4096, 4096, f32, f32, warps=8), rows("softmax", kernels.softmax, 4096, 4096, f32, f32, warps=4),
    rows("softmax", kernels.softmax, 132, 16384, f32, f32, warps=16), rows("softmax", kernels.softmax, 8192, 256, f32, f32, warps=1), rows("softmax", kernels.softmax, 8192, 256, f32, f32, warps=4),
    layer_norm(2048, 1024, 4), layer_norm(8192, 4096, 8), layer_norm(16, 8192, 8),
    tiles("row_sum", kernels.row_sum, 4096, 4096, 16, 256, 4096, grid=(256,)), tiles("row_sum", kernels.row_sum, 4096, 4096, 64, 64, 4096, grid=(64,)), tiles("row_sum", kernels.row_sum, 64, 512, 16, 128, 512, grid=(4,)),
    tiles("column_sum", kernels.column_sum, 2048, 4096, 64, 64, 2048, 4096, grid=(64,)), tiles("column_sum", kernels.column_sum, 2048, 4096, 128, 32, 2048, 4096, grid=(128,)),
    vector("total_atomic", kernels.total_atomic, MIB, 1024, [f32], lambda n: f32(1), MIB), vector("total_atomic", kernels.total_atomic, MIB, 8192, [f32], lambda n: f32(1), MIB, warps=8),
    atomics(262144, 1), atomics(262144, 1024), atomics(262144, 262144), atomics(262144, 64, i32), atomics(65536, 4096, f16),
    rows("max_index", kernels.max_index, 1024, 2048, f32, i32), rows("prefix_sum", kernels.prefix_sum, 1024, 2048, f32, f32), rows("prefix_sum", kernels.prefix_sum, 64, 8192, f32, f32, warps=8),
    rows("sorted_rows", kernels.sorted_rows, 256, 256, f32, f32), rows("sorted_rows", kernels.sorted_rows, 512, 1024, i32, i32),
    ("histogram", "65536", "b1024", lambda: kernels.histogram[(64,)](whole(torch.int32, 0, 128)(65536), i32(64 * 128), BLOCK=1024, BINS=128)),
    gather(4096, 512, 100000), gather(16384, 128, 1000), words(MIB, 1 << 24), words(MIB, 1 << 16),
    *[vector("unary_" + what, kernels.unary, MIB, 1024, [f32], f32, MIB, WHAT=what) for what in ("gelu", "exp", "sin", "log", "sqrt", "erf", "pow")],
    *[vector("unary_f64_" + what, kernels.unary, 262144, 512, [f64], f64, 262144, WHAT=what) for what in ("exp", "log", "sqrt", "sin", "erf", "pow")],
    vector("div_f64", kernels.binary, 262144, 512, [f64, f64], f64, 262144, WHAT="div"), vector("div_f32", kernels.binary, MIB, 1024, [f32, f32], f32, MIB, WHAT="div"),
    vector("floordiv_i32", kernels.binary, MIB, 1024, [i32, i32], i32, MIB, WHAT="floordiv"), vector("mod_i64", kernels.binary, 262144, 512, [i64, i64], i64, 262144, WHAT="mod"),
    vector("mul_i64", kernels.binary, MIB, 1024, [i64, i64], i64, MIB, WHAT="mul"),
    loop("fma_loop_f32", kernels.multiply_add_loop, 528, 500, 1024), loop("fma_loop_f64", kernels.multiply_add_loop, 528, 200, 512, f64), loop("fma_loop_f16", kernels.multiply_add_loop, 528, 500, 2048, f16),
    loop("fma_loop_i32", kernels.multiply_add_loop, 528, 500, 1024, i32), loop("fma_loop_i64", kernels.multiply_add_loop, 264, 200, 512, i64), loop("fma_loop_f32", kernels.multiply_add_loop, 4, 2000, 256),
    loop("exp_loop", kernels.exp_loop, 264, 200, 1024),
    vector("cast_f32_f16", kernels.cast, 4 * MIB, 1024, [f32], f16, 4 * MIB), vector("cast_fp8_f16", kernels.cast, 4 * MIB, 2048, [fp8], f16, 4 * MIB), vector("cast_i8_f32", kernels.cast, MIB, 1024, [i8], f32, MIB),
    vector("cast_f16_fp8", kernels.cast, 4 * MIB, 2048, [f16], fp8, 4 * MIB),
    vector("random_normal", kernels.random_normal, MIB, 1024, [], f32, MIB, 7),
    tiles("stencil", kernels.stencil, 2048, 2048, 32, 128, 2048, 2048), tiles("stencil", kernels.stencil, 256, 256, 16, 64, 256, 256),
    dot(1024, 1024, 1024, 64, 64, 32, 3, 4), dot(1024, 1024, 1024, 128, 128, 64, 3, 4), dot(1024, 1024, 1024, 128, 128, 64, 3, 8), dot(1024, 1024, 1024, 64, 128, 64, 4, 4), dot(1024, 1024, 1024, 32, 64, 64, 2, 4),
    dot(1024, 1024, 1024, 128, 256, 64, 3, 4), dot(1024, 1024, 1024, 128, 64, 64, 1, 4),
    dot(1024, 1024, 512, 64, 64, 32, 3, 4, torch.float32), dot(1024, 1024, 1024, 64, 128, 64, 3, 4, torch.int8, tl.int32, torch.int32), dot(2048, 2048, 2048, 128, 128, 64, 3, 8, torch.bfloat16),
    dot(1024, 1024, 1024, 128, 128, 128, 3, 8, torch.float8_e5m2), dot(16, 16, 64, 16, 16, 32, 1, 1),
    live(MIB, 1024, 4), live(MIB, 4096, 4), live(MIB, 8192, 4), live(MIB, 16384, 8),
    bulk(65536, 64, 128, 4, 132), bulk(65536, 64, 64, 2, 264), bulk(1024, 64, 64, 3, 16),
    vector("copy_async", kernels.copy_async, MIB, 1024, [f32], f32, MIB, STAGES=3, config="s3"),
    ("hand_over", "132x64", "b512", lambda: kernels.hand_over[(132,)](f32(132 * 512), f32(132 * 512), 64, BLOCK=512)),
    ("hand_over", "1x256", "b128", lambda: kernels.hand_over[(1,)](f32(128), f32(128), 256, BLOCK=128)),
]  # fmt: skip


# --- the second set: measured after the first had been looked at --------------------------------------------------------------
def unit(name, kernel, config, *arguments, ctas=1, warps=4, **more):
    return name, config, "c%d-w%d" % (ctas, warps), lambda: kernel[(ctas,)](*[a() if callable(a) else a for a in arguments], **more, num_warps=warps)


def tile(kernel, what, bm, bn, make=f32, ctas=1, warps=4, **more):
    """A unit kernel over a tile: as many elements out as in."""
    values = lambda: make(ctas * bm * bn)  # noqa: E731
    name = "_".join([kernel.fn.__name__, *map(str, what.values())])
    return unit(name, kernel, size_name(bm, bn), values, values, ctas=ctas, warps=warps, BM=bm, BN=bn, **what, **more)


def small_dot(bm, bn, bk, dtype=torch.float16, precision="tf32", warps=4):
    make = lambda *s: (lambda: torch.randn(s).to(dtype))  # noqa: E731
    kind = str(dtype).split(".")[1] + ("_ieee" if precision == "ieee" else "")
    return unit("product_" + kind, units.product, size_name(bm, bn, bk), make(bm, bk), make(bk, bn), lambda: torch.empty(bm, bn),
                warps=warps, PRECISION=precision, BM=bm, BN=bn, BK=bk)  # fmt: skip


def n_of(make, n):
    return lambda: make(n)


def by_descriptor(m, n, bm, warps=4):
    def launch():
        a, b = half(m, n), half(m, n)
        units.moved_by_descriptor[(m // bm,)](TensorDescriptor(a, [m, n], [n, 1], [bm, n]), TensorDescriptor(b, [m, n], [n, 1], [bm, n]), bm, n, num_warps=warps)

    return "moved_by_descriptor", size_name(m, n), "b%d-w%d" % (bm, warps), launch


SECOND = [
    gemm_ws(1280, 1280, 1280, 128, 256), gemm_ws(1280, 1280, 1280, 128, 128, stages=4), gemm_ws(1280, 1280, 1280, 256, 128), gemm_ws(1280, 1280, 1280, 128, 64, stages=4),
    gemm_ws(1280, 1280, 1280, 128, 256, stages=4, subtile=True),
    gemm_ws(4096, 2048, 3072, 128, 256), gemm_ws(4096, 2048, 3072, 128, 128, stages=3), gemm_ws(4096, 2048, 3072, 256, 128), gemm_ws(4096, 2048, 3072, 128, 256, ctas=2),
    gemm_ws(4096, 2048, 3072, 128, 256, group=4, stages=2), gemm_ws(4096, 2048, 3072, 128, 64, stages=4), gemm_ws(4096, 2048, 3072, 128, 128, bk=32, stages=5),
    gemm_ws(384, 4096, 2048, 128, 128), gemm_ws(384, 4096, 2048, 128, 256), gemm_ws(384, 4096, 2048, 128, 64, stages=4),
    gemm_pipelined(4096, 2048, 3072, 128, 256, 64, 3), gemm_pipelined(4096, 2048, 3072, 128, 128, 64, 4), gemm_pipelined(4096, 2048, 3072, 64, 128, 64, 3, warps=4),
    gemm_pipelined(1280, 1280, 1280, 128, 128, 64, 3), gemm_pipelined(1280, 1280, 1280, 64, 128, 32, 4, warps=4), gemm_pipelined(1280, 1280, 1280, 64, 64, 64, 3, warps=4),
    gemm_persistent("cooperative", 3072, 3072, 3072, 128, 256, 3), gemm_persistent("pingpong", 3072, 3072, 3072, 128, 128, 6), gemm_persistent("cooperative", 3072, 3072, 3072, 256, 128, 3),
    attention("", 4, 16, 640, 128), attention("", 2, 4, 1280, 64, bn=64), attention("pipelined", 4, 16, 640, 128), attention("pipelined", 2, 4, 1280, 64, bn=64),
    attention(PINGPONG, 4, 16, 640, 128), attention(PINGPONG, 2, 4, 1280, 64, bn=64), attention(PINGPONG, 4, 16, 2560, 128),
    attention(PERSISTENT, 4, 16, 640, 128), attention(PERSISTENT, 2, 4, 1280, 64), attention(PERSISTENT, 4, 16, 2560, 128), attention(PERSISTENT, 4, 16, 2560, 64),
    attention(PERSISTENT, 4, 16, 640, 128, bn=64, buffers=3), attention(PERSISTENT, 2, 24, 1024, 128, q_buffers=1),
    layer_norm_cluster(2048, 16384, 1, 2, 8), layer_norm_cluster(2048, 16384, 1, 4, 4), layer_norm_cluster(2048, 16384, 1, 8, 4), layer_norm_cluster(2048, 16384, 2, 4, 8),
    layer_norm_cluster(32, 24576, 1, 4, 8), layer_norm_cluster(8, 65536, 1, 8, 8), layer_norm_cluster(500, 12288, 1, 2, 8), layer_norm_cluster(500, 12288, 1, 4, 4),
    ikbo_attention(192, 32, 4, 128, 768, 32, 64, 64, 4), ikbo_attention(192, 32, 4, 128, 768, 32, 32, 32, 4), ikbo_attention(192, 64, 2, 64, 384, 64, 64, 64, 4), ikbo_attention(192, 64, 2, 64, 384, 64, 64, 32, 4),
    ikbo_compress(192, 320, 128, 384, 512, 32, 128, 128, 64, 3, 8), ikbo_compress(192, 320, 128, 384, 512, 32, 64, 128, 64, 3, 4), ikbo_compress(192, 320, 128, 384, 512, 32, 64, 64, 64, 4, 4),
    tile(units.reduce, {"WHAT": "sum", "AXIS": 1}, 4, 512, ctas=8, warps=1), tile(units.reduce, {"WHAT": "sum", "AXIS": 1}, 64, 128), tile(units.reduce, {"WHAT": "sum", "AXIS": 0}, 64, 128),
    tile(units.reduce, {"WHAT": "max", "AXIS": 1}, 16, 512, ctas=32, warps=1), tile(units.reduce, {"WHAT": "max", "AXIS": 0}, 32, 32, f16), tile(units.reduce, {"WHAT": "argmax", "AXIS": 1}, 8, 256, ctas=16, warps=1),
    tile(units.reduce, {"WHAT": "argmax", "AXIS": 0}, 64, 64), tile(units.scan, {"AXIS": 0}, 32, 64), tile(units.scan, {"AXIS": 1}, 16, 256),
    tile(units.sort, {"FLIP": False}, 8, 128), tile(units.sort, {"FLIP": False}, 1, 512, i32, warps=8), tile(units.sort, {"FLIP": True}, 16, 128, i32),
    tile(units.shapes, {"WHAT": "trans"}, 64, 64), tile(units.shapes, {"WHAT": "trans"}, 128, 32, f16), tile(units.shapes, {"WHAT": "reshape"}, 32, 64), tile(units.shapes, {"WHAT": "join"}, 32, 128),
    small_dot(64, 64, 64), small_dot(128, 128, 32), small_dot(128, 64, 64, torch.float32), small_dot(64, 64, 32, torch.float32, "ieee"), small_dot(64, 64, 64, torch.int8), small_dot(128, 256, 32, warps=8), small_dot(32, 32, 32, torch.float64, "ieee"),
    small_dot(64, 128, 64, torch.bfloat16), small_dot(16, 16, 32, torch.float16, warps=1),
    *[unit("shared_elements_" + m.__name__, units.shared_elements, size_name(c, b), n_of(m, b), n_of(m, b), ctas=c, BLOCK=b) for m, c, b in ((f16, 64, 256), (f32, 256, 128), (f32, 512, 1024), (i8, 128, 128))],
    unit("scalar_loop", units.scalar_loop, "300", n_of(i32, 300), 300), unit("scalar_loop", units.scalar_loop, "40", n_of(i32, 40), 40),
    unit("scalar_chain", units.scalar_chain, "20", lambda: torch.zeros(32, dtype=torch.int32), n_of(i32, 1), 20),
    *[unit("add_shared_" + m.__name__, units.add_shared, size_name(c, b, t), n_of(m, c * b), n_of(m, t), ctas=c, BLOCK=b, TARGETS=t) for m, c, b, t in ((f32, 16, 128, 16), (f16, 1, 32, 8), (i32, 64, 256, 1024), (f32, 132, 256, 256))],
    unit("counts", units.counts, "1024x64", n_of(whole(torch.int32, 0, 64), 1024), n_of(i32, 64), BLOCK=1024, BINS=64), unit("counts", units.counts, "256x256", n_of(whole(torch.int32, 0, 256), 256), n_of(i32, 256), BLOCK=256, BINS=256),
    unit("pick", units.pick, "64x64x0", n_of(f32, 4096), n_of(whole(torch.int32, 0, 64), 4096), n_of(f32, 4096), AXIS=0, BM=64, BN=64),
    tile(units.through_shared, {"TURN": False}, 64, 64), tile(units.through_shared, {"TURN": True}, 64, 64),
    unit("copied_ahead", units.copied_ahead, "16384", n_of(f32, 16384), n_of(f32, 16384), n_of(f32, 16384), ctas=16, BLOCK=1024),
    unit("two_tasks", units.two_tasks, "65536", n_of(f32, 65536), n_of(f32, 65536), n_of(f32, 131072), 65536, ctas=64, BLOCK=1024), unit("two_tasks", units.two_tasks, "1000", n_of(f32, 1000), n_of(f32, 1000), n_of(f32, 2000), 1000, BLOCK=1024),
    by_descriptor(64, 64, 64), by_descriptor(4096, 64, 64), by_descriptor(1024, 32, 128, warps=8),
    vector("add_f32", kernels.add, 65536, 256, [f32, f32], f32, 65536), vector("add_f16", kernels.add, 98432, 1024, [f16, f16], f16, 98432), rows("softmax", kernels.softmax, 64, 768, f32, f32), rows("softmax", kernels.softmax, 2048, 2048, f32, f32, warps=8),
    layer_norm(512, 768, 4), layer_norm(4096, 2048, 8), tiles("row_sum", kernels.row_sum, 256, 1024, 16, 64, 1024, grid=(16,)), tiles("column_sum", kernels.column_sum, 1024, 1024, 32, 64, 1024, 1024, grid=(16,)),
    rows("prefix_sum", kernels.prefix_sum, 32, 1024, f32, f32), rows("max_index", kernels.max_index, 64, 512, f32, i32), loop("fma_loop_f32", kernels.multiply_add_loop, 132, 300, 512), loop("exp_loop", kernels.exp_loop, 32, 100, 256),
    dot(768, 768, 768, 64, 64, 64, 3, 4), dot(768, 768, 768, 128, 64, 32, 3, 4), dot(768, 768, 768, 64, 128, 64, 2, 8), dot(512, 512, 512, 32, 32, 32, 2, 2), live(MIB // 4, 2048, 8), bulk(16384, 64, 64, 3, 132),
    tiles("transpose", kernels.transpose, 1024, 1024, 32, 64, 1024, 1024), tiles("stencil", kernels.stencil, 1024, 512, 16, 128, 1024, 512),
]  # fmt: skip

ALL = GEMM + ATTENTION + OTHER + SMALL + SECOND
