#!/usr/bin/env bash
# Runs the command on the kernel's own sound drivers, in an emulated machine: see Tests/Kernel/README.md.
#
#   scripts/tests/test-kernel.sh [JOB...]
#
# Run scripts/build.sh before. The image is in .build-kernel; only the image's kernel stays from run to run.
set -euo pipefail
cd "$(dirname "$0")/../.."
Tests/Kernel/run.py .build-kernel --check "$@"
for tool in qemu-system-x86_64 busybox cpio depmod aplay gcc mkfs.ext4 dmsetup; do
    command -v $tool >/dev/null || [ -x /sbin/$tool ] || { echo "kernel: $tool is missing; run: scripts/setup.sh kernel" >&2 && exit 1; }
done
[ -x .build/release/woodshed ] || { echo "kernel: the command is not built; run: make build" >&2 && exit 1; }
PATH=$PATH:/sbin Tests/Kernel/image.sh .build-kernel .build/release/woodshed
Tests/Kernel/run.py .build-kernel "$@"
