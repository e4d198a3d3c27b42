# Sourced by the other scripts: where the tree is, and how they speak.
set -euo pipefail

TLX_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
TLX_JOBS=${TLX_JOBS:-$(nproc)}

say() { printf '== %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 2; }

# usage_and_exit FILE STATUS: a script's help is the comment at its top.
usage_and_exit() {
  sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$1"
  exit "$2"
}

# build_folder PRESET: the presets' own names for their folders.
build_folder() {
  if [ "$1" = release ]; then echo "$TLX_ROOT/build"; else echo "$TLX_ROOT/build-$1"; fi
}

# Where setup.sh --fbtriton puts it; the tests take it from there.
TLX_FBTRITON_FOLDER=$TLX_ROOT/.cache/fbtriton
if [ -z "${TLX_FBTRITON_PYTHON:-}" ] && [ -x "$TLX_FBTRITON_FOLDER/bin/python" ]; then
  export TLX_FBTRITON_PYTHON=$TLX_FBTRITON_FOLDER/bin/python
fi

# Debian's numpy belongs to Debian's interpreter, which another python3 in PATH may hide.
TLX_PYTHON=${TLX_PYTHON:-$([ -x /usr/bin/python3 ] && echo /usr/bin/python3 || echo python3)}
