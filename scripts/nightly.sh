#!/usr/bin/env bash
# The long campaigns: whole corpus, mutants, random protocols, sweeps. The suite (scripts/test.sh)
# runs a fixed small part of each. Needs a finished build; hours on two cores.
#
#   scripts/nightly.sh             every campaign
#   scripts/nightly.sh NAME...     some of them
#   scripts/nightly.sh --list      their names
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$TLX_ROOT"
export TLX_PYTHON

# name: command, one a line.
campaigns() {
  cat <<'LIST'
from-python: ctest --test-dir build --output-on-failure -R 'python|recorded|integration-(tlx|commands)'
roundtrip: $TLX_PYTHON tests/corpus/roundtrip.py
fbtriton-equality: $TLX_PYTHON tests/corpus/fbtriton_equality.py
layout-facts: $TLX_PYTHON scripts/layout_facts.py --check
ingest-events: $TLX_PYTHON tests/corpus/ingest_events.py
ingest-identical: $TLX_PYTHON tests/corpus/ingest_events.py --identical
verify-corpus: $TLX_PYTHON tests/corpus/verify_corpus.py
sim-values: $TLX_PYTHON tests/corpus/sim_values.py --timeout 600
replay-bugs: $TLX_PYTHON tests/corpus/replay_bugs.py
sim-bugs: $TLX_PYTHON tests/corpus/sim_bugs.py --seeds 200
tutorials: $TLX_PYTHON tests/corpus/tutorials.py
mutation: $TLX_PYTHON tests/mutation/campaign.py --expect-caught 1000
bench-verify: $TLX_PYTHON bench/verify/bench_verify.py --check
protocols: TLX_PROTOCOLS=20000 build/tests/VerifyExploreTest
fuzz-opt: $TLX_PYTHON tests/fuzz/text_fuzz.py --tool tlx-opt --count 20000 --seed $RANDOM
fuzz-verify: $TLX_PYTHON tests/fuzz/text_fuzz.py --tool tlx-verify --count 5000 --seed $RANDOM
LIST
}

case "${1:-}" in
  -h|--help) usage_and_exit "$0" 0 ;;
  --list) campaigns | cut -d: -f1; exit 0 ;;
esac

passed=0
failed=0
skipped=0
run() {
  say "nightly: $1: $2"
  local started=$SECONDS
  local status=0
  bash -c "$2" || status=$?
  case $status in # 77: it said why it skips
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) ;;
  esac
  say "nightly: $1: $((SECONDS - started)) s"
}
for name in "${@:-}"; do
  [ -z "$name" ] || campaigns | grep -q "^$name: " || die "no campaign is called '$name'; see $0 --list"
done
while IFS= read -r line; do
  name=${line%%: *}
  if [ $# -eq 0 ] || [[ " $* " == *" $name "* ]]; then run "$name" "${line#*: }"; fi
done < <(campaigns)
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
