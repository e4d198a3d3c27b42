#!/usr/bin/env bash
# Installs what is missing, builds, then proves and simulates one kernel: the verdict, the check of
# its numbers, the predicted time, and where the time line is.
#
#   scripts/quickstart.sh [--no-install]
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install=true
case "${1:-}" in
  "") ;;
  --no-install) install=false ;;
  -h|--help) usage_and_exit "$0" 0 ;;
  *) die "unknown argument '$1'; see $0 --help" ;;
esac

$install && "$TLX_ROOT/scripts/setup.sh"
"$TLX_ROOT/scripts/build.sh" release tlx tlx-verify tlx-run tlx-opt tlx-compile tlx-lsp-server

cd "$TLX_ROOT"
kernel=kernels/gemm/hopper_ws
out=$(build_folder release)/quickstart
mkdir -p "$out"
show() { printf '\n$ %s\n' "$*"; "$@"; }

show build/bin/tlx-verify "$kernel.mlir" --manifest "$kernel.json"
show build/bin/tlx-run --device sim "$kernel.mlir" --manifest "$kernel.json" \
  --save-outputs "${out#"$TLX_ROOT"/}" --trace "${out#"$TLX_ROOT"/}/trace.json"
show "$TLX_PYTHON" scripts/check_gemm.py "$kernel.json" "${out#"$TLX_ROOT"/}"
printf '\nThe time line is %s: open it in Perfetto.\n' "${out#"$TLX_ROOT"/}/trace.json"
