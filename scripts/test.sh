#!/usr/bin/env bash
# Installs what is missing, builds everything and runs every test: GoogleTest, lit, structure,
# corpus samples. The last line counts single test cases.
#
#   scripts/test.sh [--no-install] [--preset PRESET] [CTEST ARGUMENTS...]
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

preset=release
install=true
while [ $# -gt 0 ]; do
  case "$1" in
    --no-install) install=false; shift ;;
    --preset) preset=${2:?--preset needs a name}; shift 2 ;;
    -h|--help) usage_and_exit "$0" 0 ;;
    *) break ;;
  esac
done

$install && "$TLX_ROOT/scripts/setup.sh"
"$TLX_ROOT/scripts/build.sh" "$preset"

build=$(build_folder "$preset")
results=$build/test-results
rm -rf "$results"
mkdir -p "$results"
cd "$build"
status=0
# Every GoogleTest program writes <folder>/<program>.xml; so does lit (tests/CMakeLists.txt).
GTEST_OUTPUT="xml:$results/" TLX_TEST_RESULTS=$results \
  ctest --output-on-failure --no-tests=error -j "$TLX_JOBS" --output-junit "$results/ctest.junit" "$@" || status=$?
"$TLX_PYTHON" "$TLX_ROOT/scripts/count_tests.py" "$results" || status=1
exit $status
