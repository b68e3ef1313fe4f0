#!/usr/bin/env bash
# Draws the curves in docs/images/ of what the meters read; the same files at every run. Needs what `make bench` needs.
set -euo pipefail
cd "$(dirname "$0")/.."

swift build -c release --package-path Benchmarks --product MeterBenchmark
mkdir -p docs/images
"$(swift build -c release --package-path Benchmarks --show-bin-path)/MeterBenchmark" --plots docs/images
