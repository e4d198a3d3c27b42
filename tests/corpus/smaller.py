"""Launches of our own of kernels whose recorded launch is too large, or lacks data, to check their values.

`make(path, folder)` writes a manifest for the kernel of the manifest at `path` into `folder` and returns its path, or
None for a kernel that nothing is made for. The data is fresh; sizes end in the middle of tiles.
"""
import json
import os

import numpy as np

import launch_data

FIRST_ADDRESS = 1 << 40  # of the simulator's first allocation


def named(manifest):
    return {argument["name"]: argument for argument in manifest["args"]}


def rows(argument, count):
    """The argument with another extent of its first dimension."""
    argument["shape"] = [count, *argument["shape"][1:]]
    if "base_shape" in argument:
        argument["base_shape"] = list(argument["shape"])


def uniform(argument, seed, bound=1.0):
    argument["data"] = {"fill": "uniform", "seed": seed, "lo": -bound, "hi": bound}


def values(argument, numbers):
    argument["shape"], argument["data"] = [len(numbers)], {"fill": "values", "values": [int(n) for n in numbers]}


def sequences(manifest, _):
    """Attention over sequences of many lengths, one after the other in memory."""
    arguments = named(manifest)
    queries, keys = [5, 32, 0, 17, 25, 31], [70, 321, 64, 129, 200, 1]
    heads = arguments["H"]["value"]
    for name, argument in arguments.items():
        side = queries if name.startswith(("desc_q", "Out")) else keys
        if argument["kind"] in ("pointer", "tensordesc") and not name.startswith("seq_"):
            rows(argument, sum(side))
            if name != "Out":
                uniform(argument, 70 + argument["storage"], 2.0)
    arguments["Z"]["value"], arguments["max_seq_len"]["value"] = len(keys), max(keys)
    values(arguments["seq_offsets_q"], np.cumsum([0, *queries]))
    values(arguments["seq_offsets"], np.cumsum([0, *keys]))
    manifest["grid"][1] = heads * len(keys)


def candidates(manifest, _):
    """Attention of 8 candidates, not in order, and not the first ones."""
    arguments = named(manifest)
    count = arguments["cand_grid"]["shape"][0]
    users = arguments["total_kv_tokens"]["value"] // arguments["max_seq_len"]["value"]
    manifest["grid"][0] = 8
    values(arguments["cand_grid"], [(37 * i + 5) % count for i in range(count)])
    values(arguments["cand_to_user_index"], [(i * i + 1) % users for i in range(count)])
    for seed, name in enumerate("QKV"):
        uniform(arguments[name], 80 + seed, 2.0)


def products(manifest, _):
    """Products of 6 candidates, of users that are not in order."""
    arguments = named(manifest)
    batch, users = arguments["b_ptr"]["shape"][0], arguments["user_res_ptr"]["shape"][0]
    manifest["grid"][0] = manifest["grid"][0] // batch * 6
    for name in ("b_ptr", "out_ptr"):
        rows(arguments[name], 6)
    values(arguments["cand_to_user_index_ptr"], [(3 * i + 1) % users for i in range(6)])
    for seed, name in enumerate(("a_ptr", "b_ptr", "user_res_ptr")):
        uniform(arguments[name], 90 + seed)


def groups(manifest, folder):
    """Products whose operands' addresses stand in tables: the operands lie behind the first table, in its allocation."""
    arguments = named(manifest)
    sizes = [(200, 136, 72), (64, 128, 128), (129, 264, 64), (128, 48, 200)]
    tables, memory = ([], [], []), [np.zeros(512, np.uint8)]
    end = 512
    for seed, (m, n, k) in enumerate(sizes):
        for side, (height, width) in enumerate(((m, k), (k, n), (m, n))):
            tables[side].append(FIRST_ADDRESS + end)
            draws = launch_data.uniform(100 + 3 * seed + side, height * width) * 2 - 1
            held = launch_data.toStorage(draws if side < 2 else 0 * draws, "f16").view(np.uint8)
            memory.append(np.pad(held, (0, -held.size % 512)))
            end += memory[-1].size
    whole = np.concatenate(memory).view(np.int64)
    whole[:len(sizes)] = tables[0]
    np.save(os.path.join(folder, "smaller.npy"), whole)
    arguments["group_a_ptrs"].update(shape=[whole.size], data={"file": "smaller.npy"})
    values(arguments["group_b_ptrs"], tables[1])
    values(arguments["group_c_ptrs"], tables[2])
    values(arguments["group_gemm_sizes"], np.ravel(sizes))
    values(arguments["g_lds"], np.ravel([(k, n, n) for _, n, k in sizes]))
    arguments["group_size"]["value"] = len(sizes)


KINDS = ((sequences, {"seq_offsets", "seq_offsets_q", "desc_q"}), (candidates, {"cand_grid", "cand_to_user_index"}),
         (products, {"cand_to_user_index_ptr", "user_res_ptr"}), (groups, {"group_a_ptrs", "g_lds"}))


def kind(manifest):
    names = {argument.get("name") for argument in manifest["args"]}
    return next((make for make, needed in KINDS if needed <= names), None)


def make(path, folder):
    with open(path, encoding="utf-8") as file:
        manifest = json.load(file)
    change = kind(manifest)
    if change is None:
        return None
    change(manifest, folder)
    made = os.path.join(folder, "smaller.json")
    with open(made, "w", encoding="utf-8") as file:
        json.dump(manifest, file)
    return made
