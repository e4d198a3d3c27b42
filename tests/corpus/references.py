"""What kernels of known kinds compute, in float64, for launches without recorded results.

`reference(launch)` tells a kernel's kind by the names of its arguments and gives
{storage: (wanted values, allowed error[, dtype to read it as])}, or None for a kind that is not known here. How far a
kernel may be off: the rounding of its output, single-precision sums, and the rounding of
intermediate tiles that the kind of algorithm stores in the width of its operands.
"""
import numpy as np

import launch_data
import smaller

STEP = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24, "f8E4M3FN": 2.0**-4, "f8E5M2": 2.0**-3}
LOG2E = 1.4426950408889634


class Inputs:
    """The arrays and scalars of a launch by name."""

    def __init__(self, launch):
        self.launch = launch
        self.arguments = {a["name"]: a for a in launch.arguments("tensordesc", "pointer")}
        self.scalars = dict(launch.manifest["constexprs"])
        self.scalars.update({a["name"]: a["value"] for a in launch.arguments("scalar")})
        self.storages = {}
        for argument in self.arguments.values():  # the view of a storage that reaches furthest fills it
            held = self.storages.get(argument["storage"])
            if held is None or np.prod(argument["shape"]) > np.prod(held["shape"]):
                self.storages[argument["storage"]] = argument

    def named(self, *names):
        return next((name for name in names if name in self.arguments), None)

    def array(self, name):
        """What the argument holds before the launch, in its own shape; another view of its storage fills that in
        the order of that view."""
        argument = self.arguments[name]
        main = self.storages[argument["storage"]]
        raw = self.launch.initial(main)
        if argument is not main:
            memory = np.zeros(raw.size, raw.dtype)
            self.view(memory, main)[...] = raw
            raw = self.view(memory, argument)
        return launch_data.toFloat(np.ascontiguousarray(raw), argument["dtype"])

    def factors(self, name):
        """Powers of two, stored as their exponents."""
        return 2.0 ** (self.launch.initial(self.arguments[name]).astype(np.float64) - 127)

    @staticmethod
    def view(memory, argument):
        return np.lib.stride_tricks.as_strided(memory[argument["offset"]:], argument["shape"], [memory.itemsize * s for s in argument["strides"]])

    def dtype(self, name):
        return self.arguments[name]["dtype"]

    def step(self, name):
        return STEP[self.dtype(name)]


def product(a, b):
    """a b, and how far sums in single precision may be off."""
    return a @ b, a.shape[-1] * 2.0**-23 * (np.abs(a) @ np.abs(b)) + 2.0**-25


def stored(x, name, wanted, allowed=0.0):
    """{storage: (values, allowed)} with the rounding of what is stored."""
    allowed = allowed + x.step(name) * np.abs(wanted) + 2.0**-24
    return {str(x.arguments[name]["storage"]): (wanted.ravel(), np.broadcast_to(allowed, wanted.shape).ravel())}


def gemm(x):
    a, b, c = (x.named(n + "_ptr", n + "_desc", n.upper()) for n in "abc")
    if not (a and b and c) or len({"f16", "bf16", "f32", "f8E5M2", "f8E4M3FN"} & {x.dtype(a), x.dtype(b)}) == 0:
        return None
    left, right = x.array(a), x.array(b)
    if left.ndim < 2 or right.ndim < 2:
        return None
    if "a_scale" in x.arguments:
        left, right = (scaledByBlocks(side, x.factors(name), axis) for side, name, axis in ((left, "a_scale", 1), (right, "b_scale", 0)))
    if left.ndim == 3 and x.scalars.get("sbk") == 1:
        right = right.transpose(0, 2, 1)
    if left.shape[-1] != right.shape[-2] and left.shape[-1] == right.shape[-1]:
        right = right.swapaxes(-1, -2)
    wanted, allowed = product(left, right)
    if x.arguments[a]["dtype"] == "f32":
        allowed = allowed + 2.0**-10 * (np.abs(left) @ np.abs(right))  # tf32
    if "bias_ptr" in x.arguments:  # (a b + bias) (1 + y)
        gate = 1 + x.array("y_ptr")
        wanted = (wanted + x.array("bias_ptr")) * gate
        allowed = allowed * np.abs(gate) + 2.0**-22 * np.abs(wanted)
    return stored(x, c, wanted, allowed)


def scaledByBlocks(operand, factors, axis):
    """Factors of 32 neighbours along the axis, stored as [rows / 128][4 rows of a group beside each other]."""
    rows, perRow = operand.shape[1 - axis], operand.shape[axis] // 32
    byRow = factors.reshape(rows // 128, perRow // 4, 32, 4, 4).transpose(0, 3, 2, 1, 4).reshape(rows, perRow)
    spread = np.repeat(byRow, 32, axis=1)
    return operand * (spread if axis == 1 else spread.T)


def heads(x, name):
    """[heads][rows][columns] of an argument of two or four dimensions."""
    array = x.array(name)
    rows = x.scalars.get("N_CTX") if array.ndim == 2 else array.shape[-2]
    return array.reshape(-1, int(rows), array.shape[-1])


def scaledHeads(x, name, axis):
    """The same; with factors, where the kernel takes such, for blocks along rows (0) or columns (1)."""
    operands = heads(x, name)
    if name + "_scale" not in x.arguments:
        return operands
    factors = x.factors(name + "_scale").reshape(len(operands), -1)
    return np.stack([scaledByBlocks(operand, factors[head], axis) for head, operand in enumerate(operands)])


def attentionForward(x):
    q, k, v = (x.named("desc_" + n, n.upper(), n) for n in "qkv")
    out = x.named("desc_o", "Out", "o")
    scale = x.scalars.get("sm_scale")
    if not (q and k and v and out and scale) or x.named("desc_do", "seq_offsets", "BlockTables"):
        return None
    causal = x.scalars.get("IS_CAUSAL", x.scalars.get("STAGE") == 3)
    queries, keys, values = scaledHeads(x, q, 1), scaledHeads(x, k, 1), scaledHeads(x, v, 0)
    if x.scalars.get("FP8_OUTPUT") or keys.shape[1] != values.shape[1]:
        return None
    group = len(queries) // len(keys)
    wanted, allowed, lse = np.empty_like(queries), np.empty_like(queries), np.empty(queries.shape[:2])
    for head in range(len(queries)):
        s = scale * (queries[head] @ keys[head // group].T)
        if causal:
            later = s.shape[1] - s.shape[0]
            s[np.triu_indices(s.shape[0], 1 + later, s.shape[1])] = -np.inf
        most = s.max(1, keepdims=True)
        p = np.exp(s - most)
        total = p.sum(1, keepdims=True)
        lse[head] = ((most + np.log(total)) * LOG2E)[:, 0]
        p /= total
        wanted[head] = p @ values[head // group]
        # Exponents lose what scores of this size lose; P is stored as narrow as V, the smallest eight-bit floats as 2^-9.
        rounding = 2 * x.step(v) + 2.0**-20 * (1 + np.abs(most))
        smallest = 2.0**-9 / total if x.dtype(v).startswith("f8") else 0
        allowed[head] = (rounding * p + smallest) @ np.abs(values[head // group])
    results = stored(x, out, wanted.reshape(x.arguments[out]["shape"]), allowed.reshape(x.arguments[out]["shape"]))
    statistics = x.named("M", "desc_m")
    if statistics:
        shape = x.arguments[statistics]["shape"]
        results.update(stored(x, statistics, lse.reshape(shape), 2.0**-18 * (1 + np.abs(lse)).reshape(shape)))
    return results


def attentionBackward(x):
    """K comes multiplied by scale and log2 e, M and delta from earlier kernels."""
    if not x.named("desc_do") or x.named("desc_q_scale"):
        return None
    causal, scale = x.scalars["STAGE"] == 3, x.scalars["sm_scale"]
    q, k, v, do = (heads(x, "desc_" + n) for n in ("q", "k", "v", "do"))
    m, delta = (x.array("desc_" + n).reshape(len(q), -1) for n in ("m", "delta"))
    parts = {"desc_dk": [], "desc_dv": [], "desc_dq": []}
    for head in range(len(q)):
        p = np.exp2(q[head] @ k[head].T - m[head][:, None])
        if causal:
            p = np.tril(p)
        ds = p * (do[head] @ v[head].T - delta[head][:, None])
        for name, factor, weights, other in (("desc_dv", 1, p.T, do[head]), ("desc_dk", scale, ds.T, q[head]), ("desc_dq", 1 / LOG2E, ds, k[head])):
            parts[name].append((factor * (weights @ other), factor * ((2 * x.step("desc_q") * np.abs(weights) + 2.0**-24) @ np.abs(other))))
    return storedHeads(x, parts)


def storedHeads(x, parts):
    results = {}
    for name, sides in parts.items():
        shape = x.arguments[name]["shape"]
        wanted, allowed = (np.stack(side) for side in zip(*sides))
        if shape[-1] != wanted.shape[-1]:  # halves of a tile's columns one after the other
            tile = (len(wanted), -1, x.scalars["BLOCK_M1"] // x.scalars["NUM_CTAS"], 2, shape[-1])
            wanted, allowed = (side.reshape(tile).transpose(0, 1, 3, 2, 4) for side in (wanted, allowed))
        results.update(stored(x, name, wanted.reshape(shape), allowed.reshape(shape)))
    return results


def scaledAttentionBackward(x):
    """Eight-bit operands with factors, each in the two quantisations that its products need; so are P and dS."""
    if not x.named("desc_q_dk_scale"):
        return None
    scale = x.scalars["sm_scale"]
    q, k, v, do = (scaledHeads(x, "desc_" + n, 1) for n in ("q", "k", "v", "do"))
    qDk, kDq, doDv = (scaledHeads(x, "desc_" + n, 0) for n in ("q_dk", "k_dq", "do_dv"))
    m, delta = (x.array("desc_" + n).reshape(len(q), -1) for n in ("m", "delta"))
    parts = {"desc_dk": [], "desc_dv": [], "desc_dq": []}
    for head in range(len(q)):
        p = np.exp2(np.minimum(scale * LOG2E * (q[head] @ k[head].T) - m[head][:, None], 20))
        if x.scalars["STAGE"] == 3:
            p = np.tril(p)
        ds = p * (do[head] @ v[head].T - delta[head][:, None])
        kept = np.minimum(p, 448 / 256)  # stored 256 times as large
        for name, factor, weights, other, smallest in (("desc_dv", 1, kept.T, doDv[head], 2.0**-18), ("desc_dk", scale, ds.T, qDk[head], 2.0**-17 * np.abs(ds).max()),
                                                       ("desc_dq", scale, ds, kDq[head], 2.0**-17 * np.abs(ds).max())):
            parts[name].append((factor * (weights @ other), factor * ((2.0**-4 * np.abs(weights) + smallest) @ np.abs(other))))
    return storedHeads(x, parts)


def attentionGradientOrder(x):
    """dQ as the backward kernel leaves it, in the order of Q."""
    if not {"DQ_ACCUM", "DQ_OUT"} <= set(x.arguments):
        return None
    accumulated, half = x.array("DQ_ACCUM"), x.scalars["HALF_HD"]
    ordered = accumulated.reshape(-1, 2, x.scalars["BLK"], half).transpose(0, 2, 1, 3).reshape(accumulated.shape)
    return {str(x.arguments["DQ_OUT"]["storage"]): (ordered.ravel(), np.zeros(ordered.size))}


def userAttention(x):
    """Each candidate's queries with the keys and values of its user."""
    if not {"Q", "K", "V", "output", "cand_to_user_index"} <= set(x.arguments):
        return None
    q, k, v = (x.array(name) for name in "QKV")
    users, length, queries = x.array("cand_to_user_index").astype(int), x.scalars["max_seq_len"], x.scalars["n_seed"]
    wanted, allowed = x.array("output").copy(), np.zeros(q.shape)
    for candidate in x.array("cand_grid").astype(int)[:x.launch.manifest["grid"][0]]:
        rows = slice(candidate * queries, (candidate + 1) * queries)
        user = users[candidate]
        for head in range(q.shape[1]):
            keys, values = (side[user * length:(user + 1) * length, head] for side in (k, v))
            s = q[rows, head] @ keys.T / np.sqrt(q.shape[2])
            p = np.exp(s - s.max(1, keepdims=True))
            p /= p.sum(1, keepdims=True)
            wanted[rows, head] = p @ values
            allowed[rows, head] = 2 * x.step("V") * (p @ np.abs(values))
    return stored(x, "output", wanted, allowed)


def userProduct(x):
    """a b of each candidate, plus a term of its user."""
    if not {"a_ptr", "b_ptr", "user_res_ptr", "out_ptr"} <= set(x.arguments):
        return None
    left, right = x.array("a_ptr"), x.array("b_ptr")
    users = x.array("cand_to_user_index_ptr").astype(int)
    wanted, allowed = product(left, right)
    allowed = allowed + x.step("out_ptr") * np.abs(wanted)  # rounded before the sum
    return stored(x, "out_ptr", wanted + x.array("user_res_ptr")[users], allowed)


def attentionDelta(x):
    if not ("Delta" in x.arguments and "DO" in x.arguments):
        return None
    o, do = x.array("O"), x.array("DO")
    return stored(x, "Delta", (o * do).sum(-1), 2.0**-18 * np.abs(o * do).sum(-1))


def layerNorm(x):
    if not {"X", "Y", "W", "B", "Mean", "Rstd"} <= set(x.arguments):
        return None
    rows = x.array("X")
    mean = rows.mean(1, keepdims=True)
    rstd = 1 / np.sqrt(rows.var(1, keepdims=True) + x.scalars["eps"])
    wanted = (rows - mean) * rstd * x.array("W") + x.array("B")
    results = stored(x, "Y", wanted, 2.0**-18 * (1 + np.abs(wanted)))
    results.update(stored(x, "Mean", mean[:, 0], 2.0**-20))
    results.update(stored(x, "Rstd", rstd[:, 0], 2.0**-18 * rstd[:, 0]))
    return results


def decodeReduce(x):
    """Partial results of a sequence's splits, each weighed by its sum of exponentials."""
    if not {"Mid", "Lse", "Out"} <= set(x.arguments) or "Kc" in x.arguments:
        return None
    mid, lse, out = x.array("Mid"), x.array("Lse"), x.arguments["Out"]
    tokens, group = x.scalars["QLEN"], x.scalars["QUERY_GROUP_SIZE"]
    weights = np.exp2(lse - lse.max(2, keepdims=True))
    weights /= weights.sum(2, keepdims=True)
    joined = (weights[..., None] * mid).sum(2)  # [sequence][head][token and group][column]
    power = x.scalars["GROUP_POW2"]
    rows = np.arange(tokens)[:, None] * power + np.arange(group) if tokens > 1 else np.arange(group)[None]
    wanted = joined[:, :, rows].transpose(0, 2, 1, 3, 4).reshape(out["shape"])
    return stored(x, "Out", wanted, 2.0**-18)


def pagedDecode(x):
    """Attention of each sequence's last tokens with keys and values in pages. Of several passes, which share the pages,
    each leaves its own result and how much its exponentials weigh."""
    if not {"Kc", "Vc", "BlockTables", "CtxLens"} <= set(x.arguments):
        return None
    q, keys, values = x.array("Q"), x.array("Kc"), x.array("Vc")
    table, lengths = x.array("BlockTables").astype(int), x.array("CtxLens").astype(int)
    tokens, group, page = x.scalars["QLEN"], x.scalars["QUERY_GROUP_SIZE"], x.scalars["PAGE_SIZE"]
    fused = x.scalars["FUSED"]
    splits = 1 if fused else x.scalars["num_splits"]
    wanted = np.zeros(q.shape if fused else x.arguments["Mid"]["shape"])
    allowed = np.zeros(wanted.shape)
    weights = np.full(wanted.shape[:-1], -np.inf)
    for sequence, length in enumerate(lengths):
        pages = table[sequence, :-(-length // page)]
        share = page * -(-pages.size // splits)
        for head in range(q.shape[1]):
            k, v = (cache[pages, head // group].reshape(-1, q.shape[2])[:length] for cache in (keys, values))
            for token, split in np.ndindex(tokens, splits):
                part = slice(split * share, min((split + 1) * share, length - tokens + 1 + token))
                row = sequence * tokens + token, head
                to = row if fused else (sequence, head // group, split, token * x.scalars["GROUP_POW2"] + head % group)
                if part.start >= part.stop:
                    continue
                s = x.scalars["sm_scale"] * (k[part] @ q[row])
                p = np.exp(s - s.max())
                weights[to] = (s.max() + np.log(p.sum())) * LOG2E
                p /= p.sum()
                wanted[to] = p @ v[part]
                # Queries and weights are stored as narrow as the operands.
                allowed[to] = (2 + np.abs(s).max()) * x.step("Q") * (p @ np.abs(v[part]))
    if fused:
        return stored(x, "Out", wanted, allowed)
    rows = x.scalars["GROUP_POW2"]
    used = np.arange(weights.shape[-1])
    # Rows beyond the queries hold what queries of zero give.
    idle = (used % rows >= group) | (used // rows >= tokens)
    allowed[..., idle, :] = weights[..., idle] = np.inf
    results = stored(x, "Mid", wanted, allowed)
    results.update(stored(x, "Lse", weights, np.where(idle, np.inf, 8 * x.step("Q"))))
    return results


def sequenceAttention(x):
    """Sequences one after the other; weights are x sigmoid(x) of the scores, over the longest sequence's length."""
    if not {"seq_offsets", "seq_offsets_q", "desc_q", "Out"} <= set(x.arguments):
        return None
    starts, startsQ = (x.array(name).astype(int) for name in ("seq_offsets", "seq_offsets_q"))
    heads_, columns = x.arguments["Out"]["shape"][1:]
    q, k, v = (x.array("desc_" + n).reshape(-1, heads_, columns) for n in "qkv")
    wanted, allowed = x.array("Out"), np.zeros(x.arguments["Out"]["shape"])
    for sequence in range(x.scalars["Z"]):
        rows, keys = slice(*startsQ[sequence:sequence + 2]), slice(*starts[sequence:sequence + 2])
        for head in range(heads_):
            s = x.scalars["alpha"] * (q[rows, head] @ k[keys, head].T)
            weights = s / (1 + np.exp(-s)) / x.scalars["max_seq_len"]
            wanted[rows, head] = weights @ v[keys, head]
            # Weights are stored as narrow as V; the chip's tanh is right to 2^-11.
            allowed[rows, head] = (2 * x.step("desc_v") * np.abs(weights) + 2.0**-11 * np.abs(s) / x.scalars["max_seq_len"]) @ np.abs(v[keys, head])
    return stored(x, "Out", wanted, allowed)


def groupedProducts(x):
    """Operands at the addresses of tables, in the allocation of the first table, which is the launch's first."""
    if not {"group_a_ptrs", "group_b_ptrs", "group_c_ptrs"} <= set(x.arguments):
        return None
    memory = x.launch.initial(x.arguments["group_a_ptrs"]).view(np.uint8)
    tables = [x.launch.initial(x.arguments["group_%s_ptrs" % side]) - smaller.FIRST_ADDRESS for side in "abc"]
    if any(offset < 0 or offset >= memory.size for table in tables for offset in table[:x.scalars["group_size"]]):
        return None  # addresses of another process
    wanted, allowed = memory.view(np.float16).astype(np.float64), np.zeros(memory.size // 2)
    for group, (m, n, k) in enumerate(x.array("group_gemm_sizes").astype(int).reshape(-1, 3)):
        a, b = (memory[table[group]:][:2 * r * c].view(np.float16).reshape(r, c).astype(np.float64) for table, r, c in zip(tables, (m, k), (k, n)))
        at = slice(tables[2][group] // 2, tables[2][group] // 2 + m * n)
        exact, rounding = product(a, b)
        wanted[at], allowed[at] = exact.ravel(), (rounding + STEP["f16"] * np.abs(exact)).ravel()
    return {str(x.arguments["group_a_ptrs"]["storage"]): (wanted, allowed, "f16")}


def copies(x):
    """A kernel that moves a tile from x to its output."""
    source, to = x.named("x_ptr", "a_ptr", "x"), x.named("output_ptr", "out_ptr", "y_ptr")
    kinds = ("load", "store", "copy")
    if not (source and to) or not any(kind in x.launch.manifest["kernel"] for kind in kinds) or len(x.storages) != 2:
        return None
    from_, shape = x.array(source), x.arguments[to]["shape"]
    if len(from_.shape) != len(shape) or any(a < b for a, b in zip(from_.shape, shape)):
        return None
    part = from_[tuple(slice(0, size) for size in shape)].copy()
    if "VALID_K" in x.scalars:
        part[:, x.scalars["VALID_K"]:] = 0
    return {str(x.arguments[to]["storage"]): (part.ravel(), np.zeros(part.size))}


def sums(x):
    shapes, to = {tuple(argument["shape"]) for argument in x.arguments.values()}, x.named("output_ptr", "z_ptr")
    if x.launch.manifest["kernel"] not in ("_async_load_kernel", "mul2_clc_multi_cta") or len(shapes) != 1 or len(x.arguments) != 3:
        return None
    return stored(x, to, x.array("x_ptr") + x.array("y_ptr"))


def gatheredColumns(x):
    """[b][o][d][i] as rows (b, o, i) of columns d."""
    if not {"V", "out_ptr"} <= set(x.arguments):
        return None
    rows = x.array("V").transpose(0, 1, 3, 2).reshape(x.arguments["out_ptr"]["shape"])
    return {str(x.arguments["out_ptr"]["storage"]): (rows.ravel(), np.zeros(rows.size))}


def stochasticRounding(x):
    """Either neighbour of what is rounded."""
    if "stoch_round" not in x.launch.manifest["kernel"]:
        return None
    values, smallest = x.array("x_ptr"), {"f8E4M3FN": 2.0**-9, "f8E5M2": 2.0**-16}.get(x.dtype("y_ptr"), 2.0**-24)
    return {str(x.arguments["y_ptr"]["storage"]): (values, 2 * x.step("y_ptr") * np.abs(values) + smallest)}


KINDS = (stochasticRounding, sums, gatheredColumns, pagedDecode, decodeReduce, scaledAttentionBackward, attentionBackward, attentionForward, attentionDelta, attentionGradientOrder,
         userAttention, userProduct, sequenceAttention, groupedProducts, layerNorm, copies, gemm)


def reference(launch):
    x = Inputs(launch)
    for kind in KINDS:
        found = kind(x)
        if found is not None:
            return found
    return None
