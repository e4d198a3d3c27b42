#!/bin/sh
# Runs the built microbenchmarks on a Hopper GPU: run.sh BINARIES RESULTS. Figures come out as JSON
# lines; what a profiler counts for Traffic and Launches as its table, a row for each line.
set -u
bin=$1 out=$2
mkdir -p "$out"
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,power.draw --format=csv > "$out/gpu.csv"
for name in Barriers Clusters Pipes Functions Memory Access Wgmma Tma; do
  timeout 60 "$bin/$name" > "$out/$name.jsonl" 2> "$out/$name.err" || echo "$name: exit code $?"
done
nvidia-smi --query-gpu=clocks.sm,clocks.mem,power.draw --format=csv,noheader >> "$out/gpu.csv"
profile() { # NAME KERNELS METRICS FILE
  timeout 100 ncu --clock-control none --cache-control none --csv --page raw --kernel-name "regex:$2" --metrics "$3" \
    --log-file "$out/$4.csv" "$bin/$1" > "$out/$4.jsonl" 2> "$out/$4.err" || echo "$1 under ncu: exit code $?"
}
profile Launches "waits|writesOnce|writesSame" sm__cycles_elapsed.max,sm__cycles_active.avg,gpu__time_duration.sum Launches
profile Traffic "sharedReads|clusterReads|productReads" lts__t_bytes.sum,dram__bytes.sum,sm__cycles_elapsed.max Traffic
profile Traffic "sharedReads|clusterReads|productReads" \
  lts__t_sectors_srcunit_tex.sum,lts__t_sectors_srcunit_ltcfabric.sum,lts__t_sectors_op_read.sum,lts__t_requests_srcunit_tex.sum,l1tex__m_xbar2l1tex_read_bytes.sum \
  TrafficBySource
