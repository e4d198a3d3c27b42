#!/bin/sh
# Builds the microbenchmarks for Hopper: build.sh DIRECTORY. Needs CUDA 12.4 or newer.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
for name in Access Barriers Clusters Functions Launches Memory Pipes Tma Traffic Wgmma; do
  nvcc -std=c++17 -O3 -cudart static -gencode=arch=compute_90a,code=sm_90a \
    -o "$1/$name" "$here/$name.cu"
done
