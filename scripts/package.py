#!/usr/bin/env python3
"""Makes packages of a finished build: a Debian package, or a wheel that carries the programs.

    scripts/package.py deb|wheel [--build FOLDER] [--out FOLDER]

The wheel holds the programs, the libraries of LLVM, MLIR and Z3 that they link, and tlx-record; `pip install` puts `tlx` and
the other commands on PATH. It needs no packages of the system beyond libc and libstdc++.
"""
import argparse
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Part of every system that the wheel's platform tag admits.
OF_THE_SYSTEM = re.compile(r"^(linux-vdso|ld-linux|libc\.|libm\.|libdl\.|libpthread\.|librt\.|libstdc\+\+|libgcc_s)")
SHIM = '''"""Starts the programs that this package carries."""
import os
import sys


def run():
    name = os.path.basename(sys.argv[0])
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin")
    os.environ.setdefault("TLX_PYTHON", sys.executable)
    os.execv(os.path.join(folder, name), [name, *sys.argv[1:]])
'''


def version():
    with open(os.path.join(ROOT, "CMakeLists.txt")) as file:
        return re.search(r"VERSION (\d+\.\d+\.\d+)\)", file.read()).group(1)


def deb(build, out):
    subprocess.run(["cpack", "-G", "DEB", "-B", out], cwd=build, check=True, stdout=subprocess.DEVNULL)
    return next(os.path.join(out, name) for name in os.listdir(out) if name.endswith(".deb"))


def linked(path):
    """The shared libraries that a program loads, without those of every system: name -> path."""
    text = subprocess.run(["ldd", path], check=True, capture_output=True, text=True).stdout
    found = dict(re.findall(r"^\s*(\S+) => (\S+)", text, re.M))
    return {name: place for name, place in found.items() if not OF_THE_SYSTEM.match(name)}


def stage(build, folder):
    """Lays the wheel's files out; returns the programs' names."""
    prefix = os.path.join(folder, "prefix")
    subprocess.run(["cmake", "--install", build, "--prefix", prefix, "--strip"], check=True, stdout=subprocess.DEVNULL)
    package = os.path.join(folder, "tlx_toolchain")
    for part in ("bin", "lib"):
        shutil.copytree(os.path.join(prefix, part), os.path.join(package, part))
    libraries = os.path.join(package, "lib", "tlx")
    # Beside the programs, which hand it to whatever interpreter TLX_PYTHON names; the environment's own imports it from there too.
    recorder = os.path.join("share", "tlx", "python")
    shutil.copytree(os.path.join(prefix, recorder), os.path.join(package, recorder))
    with open(os.path.join(folder, "tlx_toolchain.pth"), "w") as file:
        file.write(os.path.join("tlx_toolchain", recorder) + "\n")
    os.remove(os.path.join(package, "bin", "tlx-record"))  # pip makes one for the environment's interpreter
    # pip puts these into the environment, where man and shells find them.
    data = os.path.join(folder, "tlx_toolchain-%s.data" % version(), "data", "share")
    shutil.copytree(os.path.join(prefix, "share"), data, ignore=shutil.ignore_patterns("python", "copyright", "changelog.gz", "lintian"))
    programs = sorted(os.listdir(os.path.join(package, "bin")))
    carried = [os.path.join(package, "bin", name) for name in programs]
    carried += [os.path.join(libraries, name) for name in ("libTlxCompiler.so", "libTlxSimDevice.so")]
    for path in carried:
        for name, place in linked(path).items():
            target = os.path.join(libraries, name)
            if not os.path.exists(target):
                shutil.copy(os.path.realpath(place), target)
                # A library's own dependencies stand beside it.
                subprocess.run(["patchelf", "--set-rpath", "$ORIGIN", target], check=True)
    with open(os.path.join(package, "__init__.py"), "w") as file:
        file.write(SHIM)
    shutil.rmtree(prefix)
    return programs


def wheel(build, out):
    if not shutil.which("patchelf"):
        sys.exit("package: error: patchelf is not installed\n  hint: scripts/setup.sh installs it")
    with tempfile.TemporaryDirectory() as folder:
        programs = stage(build, folder)
        name = "tlx_toolchain-%s" % version()
        info = os.path.join(folder, name + ".dist-info")
        os.makedirs(info)
        texts = {
            "METADATA": "Metadata-Version: 2.1\nName: tlx-toolchain\nVersion: %s\nSummary: Verifies, simulates and compiles warp-specialised GPU kernels\n"
                        "Requires-Python: >=3.9\nRequires-Dist: numpy\nProvides-Extra: record\nRequires-Dist: fbtriton==3.7.4; extra == 'record'\n" % version(),
            "WHEEL": "Wheel-Version: 1.0\nGenerator: tlx\nRoot-Is-Purelib: false\nTag: py3-none-linux_x86_64\n",
            "entry_points.txt": "[console_scripts]\n" + "".join("%s = tlx_toolchain:run\n" % p for p in programs) + "tlx-record = tlx_record.cli:main\n",
        }
        for file_name, text in texts.items():
            with open(os.path.join(info, file_name), "w") as file:
                file.write(text)
        path = os.path.join(out, name + "-py3-none-linux_x86_64.whl")
        write_archive(folder, path, name + ".dist-info/RECORD")
    return path


def write_archive(folder, path, record):
    lines = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for base, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                full = os.path.join(base, name)
                inside = os.path.relpath(full, folder)
                archive.write(full, inside)
                with open(full, "rb") as file:
                    content = file.read()
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                lines.append("%s,sha256=%s,%d\n" % (inside, digest, len(content)))
        archive.writestr(record, "".join(lines) + record + ",,\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=("deb", "wheel"))
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="a finished build (default: build)")
    parser.add_argument("--out", default=".", help="where the package goes (default: here)")
    options = parser.parse_args()
    if not os.path.exists(os.path.join(options.build, "bin", "tlx")):
        sys.exit("package: error: %s holds no finished build\n  hint: scripts/build.sh" % options.build)
    os.makedirs(options.out, exist_ok=True)
    print({"deb": deb, "wheel": wheel}[options.kind](os.path.abspath(options.build), os.path.abspath(options.out)))


if __name__ == "__main__":
    main()
