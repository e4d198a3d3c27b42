#!/usr/bin/env bash
# The tests that need an NVIDIA GPU; they say so and skip where there is none.
#
#   scripts/test-gpu.sh [NAME...]     names are parts of the corpus's launches
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case "${1:-}" in
  -h|--help) usage_and_exit "$0" 0 ;;
esac

build=$(build_folder release)
export TLX_SOURCE_DIR=$TLX_ROOT TLX_BINARY_DIR=$build
status=0
"$TLX_PYTHON" "$TLX_ROOT/tests/corpus/gpu_values.py" "$@" || status=$?
[ "$status" -eq 77 ] && exit 0
exit "$status"
