#!/usr/bin/env bash
# Draws the plots of the meters' readings in docs/images/; every run gives the same files. Needs the packages for
# `make bench`.
set -euo pipefail
cd "$(dirname "$0")/../.."

swift build -c release --package-path Benchmarks --product MeterBenchmark
mkdir -p docs/images
"$(swift build -c release --package-path Benchmarks --show-bin-path)/MeterBenchmark" --plots docs/images
