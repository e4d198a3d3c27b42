#!/usr/bin/env python3
"""Fills a folder with what bench/hw/measure.py needs on a machine with a GPU: packages compiled here,
fbtriton's recorded machine code in packages of the same form, launches, recorded values, tlx-run.

    prepare.py FOLDER [--jobs N] [--correctness] [--level L]...

With --correctness nothing that is timed; of several levels only those named. Packages of two levels with the same machine code are one file; same.json says
which. Variants of our own kernels are recorded here by scripts/record_kernel.py, which needs a Python with fbtriton
($TLX_FBTRITON_PYTHON). Nothing else has to be on the other machine but a driver and a Python with numpy; with PyTorch there,
cuBLAS and cuDNN are measured too."""
import argparse
import concurrent.futures
import itertools
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "tests", "corpus"), os.path.join(ROOT, "tests")]
import corpus  # noqa: E402

FOLDERS = ("hopper", "unit/hopper", "base")
LEVELS = ("ttir", "source", "ttgir")
SIZES = ((2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192), (8192, 1024, 4096), (512, 8192, 1024))
# The configurations that are fastest somewhere, by measured/h200-time.json.
GEMMS = ("tlx_ws-e12168", "tlx_ws-e0668e", "tlx_ws_persistent-0d9071", "tlx_ws_persistent-f995a5")
ATTENTION = {128: "attn_fwd_ws_pipelined_pingpong_persistent-67741c", 64: "attn_fwd_ws_pipelined_pingpong_persistent-757cdd"}
OWN = ("gemm/hopper_ws", "gemm/hopper_wide", "gemm/hopper_multicast", "gemm/hopper_fp8", "attention/hopper_fwd")
WIDE, OVERLAP = "gemm/hopper_wide", "attention/hopper_overlap"
# Of our own kernels: name, kernel, what is varied.
VARIANTS = [("wide-bf16", WIDE, {"element": "bf16", "result": "bf16"}), ("wide-f8", WIDE, {"element": "f8E4M3FN", "result": "bf16", "BK": 128})] + [
    ("overlap-%d%s" % (tile["D"], "-causal" * causal), OVERLAP, {**tile, "CAUSAL": causal})
    for causal in (False, True) for tile in (
        {"D": 64, "BN": 128, "STAGES": 4}, {"D": 128, "BN": 128, "STAGES": 2})]


def compileTo(tool, source, manifest, target):
    made = subprocess.run([tool, source, "--manifest", manifest, "-o", target], capture_output=True, text=True)
    return None if made.returncode == 0 else (made.stderr.strip().splitlines() or ["no message"])[0]


def recordVariant(kernel, changes, target):
    """Its IR and manifest beside each other, without their extensions."""
    if not os.path.exists(target + ".json"):
        command = [sys.executable, os.path.join(ROOT, "scripts", "record_kernel.py"), os.path.join(ROOT, "kernels", kernel + ".py"), "--out", target]
        for change in changes.items():
            command += ["--variant", "%s=%s" % change]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return target


def launchesOf(folder):
    return sorted(f for f in os.listdir(folder) if f.startswith("launch") and f.endswith(".json"))


def readPackage(path):
    """Its header and its code."""
    with open(path, "rb") as file:
        file.readline()
        return json.loads(file.read(int(file.readline()))), file.read()


def recordedPackage(package, manifest, cubin, target):
    """fbtriton's machine code under our package's parameters."""
    header = readPackage(package)[0]
    with open(manifest, encoding="utf-8") as file:
        metadata = json.load(file)["metadata"]
    with open(cubin, "rb") as file:
        code = file.read()
    header.update(warps=metadata["num_warps"], shared_bytes=metadata["shared"],
                  global_scratch_bytes=metadata.get("global_scratch_size") or 0, global_scratch_alignment=128,
                  codes=[{"arch": "sm_90a", "form": "cubin", "bytes": len(code)}])
    text = json.dumps(header).encode()
    with open(target, "wb") as file:
        file.write(b"TLXK1\n%d\n" % len(text) + text + code)


def addRecorded(folder, root, kernels):
    """fbtriton's machine code: what was recorded beside the kernel, else what fbtriton makes of its .ttgir now."""
    made, wanted = os.path.join(os.path.abspath(folder), "made"), []
    os.makedirs(made, exist_ok=True)
    levels = {}
    for place, name in kernels:
        source = os.path.join(root, place, name)
        target = os.path.join(made, "%s_%s.cubin" % (place.replace("/", "_"), name))
        levels[name] = "ttgir" if os.path.exists(os.path.join(source, "kernel.ttgir")) else "ttir"
        if not os.path.exists(os.path.join(source, "kernel.cubin")):
            wanted.append("%s %s" % (os.path.join(source, "kernel." + levels[name]), target))
        elif not os.path.exists(target):
            shutil.copyfile(os.path.join(source, "kernel.cubin"), target)
    python = os.environ.get("TLX_FBTRITON_PYTHON")
    if python and wanted:
        subprocess.run([python, os.path.join(HERE, "fbtriton_code.py")], input="\n".join(wanted), text=True, check=True)
    for place, name in kernels:
        key, source = "%s_%s" % (place.replace("/", "_"), name), os.path.join(root, place, name)
        package, cubin = os.path.join(folder, "packages", "%s_%s.tlxk" % (levels[name], key)), os.path.join(made, key + ".cubin")
        if os.path.exists(package) and os.path.exists(cubin):
            recordedPackage(package, os.path.join(source, launchesOf(source)[0]), cubin, os.path.join(folder, "recorded", key + ".tlxk"))


def otherElements(folder, root):
    """What fbtriton makes for other elements, laid out as the corpus is: (place, name) of its fastest kernels in bf16 and of ours."""
    out = []
    for kernel in GEMMS:
        name = "matmul_kernel_" + kernel
        source, target = os.path.join(root, "hopper", name), os.path.join(folder, "variants", "bf16", name)
        os.makedirs(target, exist_ok=True)
        for file, copy in (("kernel.ttir",) * 2, ("kernel.ttgir",) * 2, (launchesOf(source)[0], "launch.json")):
            with open(os.path.join(source, file), encoding="utf-8") as text, open(os.path.join(target, copy), "w", encoding="utf-8") as changed:
                changed.write(re.sub(r"(?<!b)fp?16\b", "bf16", text.read()))
        out.append(("bf16", name))
    for name, kernel, _ in VARIANTS:
        if kernel == WIDE:
            target = os.path.join(folder, "variants", "own", name)
            os.makedirs(target, exist_ok=True)
            for extension, copy in ((".mlir", "kernel.ttir"), (".json", "launch.json")):
                shutil.copyfile(os.path.join(folder, "variants", name + extension), os.path.join(target, copy))
            out.append(("own", name))
    return out


def resized(manifest, m, n, k, tile):
    """The launch of a GEMM for another size; persistent kernels take one CTA an SM at most."""
    shapes = {"a": [m, k], "b": [n, k] if manifest["args"][0]["dtype"].startswith("f8") else [k, n], "c": [m, n]}
    for argument in manifest["args"]:
        name = argument["name"]
        if name[0] in shapes and "shape" in argument:
            shape = shapes[name[0]]
            argument.update(shape=shape, strides=[shape[1], 1], base_shape=shape)
        elif name in ("M", "N", "K"):
            argument["value"] = {"M": m, "N": n, "K": k}[name]
    tiles = -(-m // tile[0]) * -(-n // tile[1])
    manifest["grid"] = [min(132, tiles), 1, 1]
    return manifest


def shareCode(packages, names):
    """Removes packages that differ from one of an earlier level in nothing but the text they were made of: {package: the
    one that is kept}."""
    same = {}
    for name in names:
        kept = {}
        for level in LEVELS:
            path = os.path.join(packages, "%s_%s.tlxk" % (level, name))
            if not os.path.exists(path):
                continue
            header, code = readPackage(path)
            header.pop("source_sha256")
            first = kept.setdefault((json.dumps(header), code), level)
            if first != level:
                same["%s_%s" % (level, name)] = "%s_%s" % (first, name)
                os.remove(path)
    return same


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)


class Folder:
    def __init__(self, path):
        self.path = path
        self.cases = []
        for name in ("packages", "recorded", "launches"):
            os.makedirs(os.path.join(path, name), exist_ok=True)

    def case(self, group, size, variant, package, manifest, name, flops=0, rounds=2):
        launch = "launches/%s.json" % name
        write(os.path.join(self.path, launch), manifest)
        self.cases.append({"group": group, "size": size, "variant": variant, "package": package, "manifest": launch,
                           "flops": flops, "rounds": rounds})


def ownJobs(folder):
    """What is to be compiled of our own kernels: name, IR, manifest."""
    jobs = [("own_" + own.replace("/", "_"), os.path.join(ROOT, "kernels", own + ".mlir"), os.path.join(ROOT, "kernels", own + ".json"))
            for own in OWN]
    os.makedirs(os.path.join(folder, "variants"), exist_ok=True)
    for name, kernel, changes in VARIANTS:
        recorded = recordVariant(kernel, changes, os.path.join(os.path.abspath(folder), "variants", name))
        jobs.append(("own_" + name, recorded + ".mlir", recorded + ".json"))
    return jobs


def addGemms(out, root):
    for kernel, (element, place) in itertools.product(GEMMS, (("f16", "hopper"), ("bf16", "bf16"))):
        name = "matmul_kernel_" + kernel
        source = os.path.join(root if element == "f16" else os.path.join(out.path, "variants"), place, name)
        for m, n, k in SIZES:
            manifest = load(os.path.join(source, launchesOf(source)[0]))
            constants = manifest["constexprs"]
            manifest = resized(manifest, m, n, k, (constants["BM"], constants["BN"]))
            size, file = "%dx%dx%d" % (m, n, k), "gemm-%s-%s-%dx%dx%d" % (element, kernel, m, n, k)
            for variant, package in (("compiled " + kernel, "packages/ttir_%s_%s.tlxk" % (place, name)),
                                     ("fbtriton " + kernel, "recorded/%s_%s.tlxk" % (place, name))):
                out.case("gemm " + element, size, variant, package, manifest, file, 2 * m * n * k)
    for own, tile in (("gemm/hopper_ws", (128, 128)), ("gemm/hopper_wide", (128, 256))):
        for m, n, k in SIZES:
            manifest = resized(load(os.path.join(ROOT, "kernels", own + ".json")), m, n, k, tile)
            out.case("gemm f16", "%dx%dx%d" % (m, n, k), "own " + own, "packages/own_%s.tlxk" % own.replace("/", "_"),
                     manifest, "own-%s-%dx%dx%d" % (own.replace("/", "_"), m, n, k), 2 * m * n * k)


def addVariants(out):
    for name, kernel, changes in VARIANTS:
        package, recorded = "packages/own_%s.tlxk" % name, os.path.join(out.path, "variants", name + ".json")
        if kernel == WIDE:
            for (m, n, k), (variant, code) in itertools.product(SIZES, (("own " + name, package), ("fbtriton " + name, "recorded/own_%s.tlxk" % name))):
                out.case("gemm " + changes["element"], "%dx%dx%d" % (m, n, k), variant, code,
                         resized(load(recorded), m, n, k, (128, 256)), "own-%s-%dx%dx%d" % (name, m, n, k), 2 * m * n * k)
            continue
        for context in (1024, 2048, 4096, 8192):
            manifest, width = load(recorded), changes["D"]
            for argument in manifest["args"]:
                if "shape" in argument:
                    argument.update(shape=[64 * context, width], base_shape=[64 * context, width], strides=[width, 1])
                elif argument["name"] in ("N", "HEADS"):
                    argument["value"] = {"N": context, "HEADS": 64}[argument["name"]]
            manifest["grid"] = [132, 1, 1]
            out.case("attention D %d%s" % (width, " causal" * changes["CAUSAL"]), str(context), "own " + name, package, manifest,
                     "own-%s-%d" % (name, context), 4 * 64 * context * context * width // (2 if changes["CAUSAL"] else 1))


def addAttention(out, root):
    for width, name in ATTENTION.items():
        source = os.path.join(root, "hopper", name)
        for context in (1024, 2048, 4096, 8192):
            manifest = load(os.path.join(source, launchesOf(source)[0]))
            for argument in manifest["args"]:
                if "shape" not in argument:
                    if argument["name"] == "N_CTX":
                        argument["value"] = context
                    continue
                shape = [4, 16, context] if len(argument["shape"]) == 3 else [4 * 16 * context, width]
                strides = [16 * context, context, 1] if len(shape) == 3 else [width, 1]
                argument.update(shape=shape, strides=strides)
                if "base_shape" in argument:
                    argument["base_shape"] = shape
            for level in ("ttir", "ttgir"):
                out.case("attention D %d" % width, str(context), "compiled " + level, "packages/%s_hopper_%s.tlxk" % (level, name),
                         manifest, "attention-%d-%d" % (width, context), 4 * 64 * context * context * width)
            out.case("attention D %d" % width, str(context), "fbtriton", "recorded/hopper_%s.tlxk" % name, manifest,
                     "attention-%d-%d" % (width, context), 4 * 64 * context * context * width)


def addAll(out, root):
    """Every Hopper kernel's largest launch of moderate size, against its recorded machine code."""
    for name in sorted(os.listdir(os.path.join(root, "hopper"))):
        source = os.path.join(root, "hopper", name)
        launch = [l for l in launchesOf(source) if "8192x8192" not in l and not l.endswith("x8192.json")][-1]
        for variant, package in (("compiled", "packages/ttir_hopper_%s.tlxk" % name), ("fbtriton", "recorded/hopper_%s.tlxk" % name)):
            out.cases.append({"group": "every kernel", "size": name, "variant": variant, "package": package, "flops": 0,
                              "manifest": "shared/corpus/hopper/%s/%s" % (name, launch), "rounds": 1})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--correctness", action="store_true")
    parser.add_argument("--level", action="append", choices=LEVELS)
    options = parser.parse_args()
    root, tool = corpus.root(), corpus.need("tlx-compile")
    out = Folder(options.folder)
    jobs = [] if options.correctness else ownJobs(options.folder)
    corpusOut = os.path.join(options.folder, "shared", "corpus")
    kernels = [(folder, name) for folder in FOLDERS for name in sorted(os.listdir(os.path.join(root, folder)))]
    for folder, name in kernels:
        source = os.path.join(root, folder, name)
        launches = launchesOf(source)
        target = os.path.join(corpusOut, folder, name)
        os.makedirs(target, exist_ok=True)
        for file in os.listdir(source):
            if file in launches or file.endswith(".npy"):
                shutil.copyfile(os.path.join(source, file), os.path.join(target, file))
        for level in options.level or LEVELS:
            key = "%s_%s_%s" % (level, folder.replace("/", "_"), name)
            jobs.append((key, os.path.join(source, "kernel." + level), os.path.join(source, launches[0])))
    others = [] if options.correctness else otherElements(options.folder, root)
    for place, name in others:
        source = os.path.join(options.folder, "variants", place, name)
        jobs += [("%s_%s_%s" % (file.split(".")[1], place, name), os.path.join(source, file), os.path.join(source, "launch.json"))
                 for file in sorted(os.listdir(source)) if file.startswith("kernel.")]
    os.makedirs(os.path.join(corpusOut, "measured"), exist_ok=True)
    values = load(os.path.join(root, "measured", "h200-values.json"))
    write(os.path.join(corpusOut, "measured", "h200-values.json"), values)

    def make(job):
        target = os.path.join(options.folder, "packages", job[0] + ".tlxk")
        return job[0], None if os.path.exists(target) else compileTo(tool, job[1], job[2], target)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for name, error in pool.map(make, jobs):
            if error:
                print("%s: %s" % (name, error))
    addRecorded(options.folder, root, kernels)
    addRecorded(options.folder, os.path.join(os.path.abspath(options.folder), "variants"), others)
    same = shareCode(os.path.join(options.folder, "packages"), ["%s_%s" % (f.replace("/", "_"), n) for f, n in kernels])
    write(os.path.join(options.folder, "same.json"), same)
    if not options.correctness:
        for add in (addGemms, addAttention, addAll):
            add(out, root)
        addVariants(out)
    write(os.path.join(options.folder, "cases.json"), out.cases)
    os.makedirs(os.path.join(options.folder, "bin"), exist_ok=True)
    shutil.copy(corpus.need("tlx-run"), os.path.join(options.folder, "bin"))
    for script in ("bench/hw/measure.py", "bench/hw/libraries.py", "bench/hw/accuracy.py", "scripts/launch_data.py", "tests/corpus/gpu_values.py", "tests/corpus/corpus.py", "tests/pytlx.py"):
        shutil.copy(os.path.join(ROOT, script), options.folder)
    print("%d cases, %d packages" % (len(out.cases), len(os.listdir(os.path.join(options.folder, "packages")))))


if __name__ == "__main__":
    main()
