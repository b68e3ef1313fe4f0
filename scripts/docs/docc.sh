#!/usr/bin/env bash
# Runs docc, also for ordinary users: scripts/docs/docc.sh ARGUMENT...
#
# docc gives its output the owner of docc's template, which only works for this owner and for root. If root has
# installed the toolchain, an ordinary user gets a copy of the template.
set -euo pipefail

tool=$(realpath "$(command -v docc)") || { echo "docc.sh: docc is missing; it is part of the toolchain" >&2 && exit 1; }
template=${DOCC_HTML_DIR:-${tool%/bin/docc}/share/docc/render}
if [ "$(id -u)" -ne 0 ] && [ -d "$template" ] && [ ! -O "$template" ]; then
    own=$(mktemp -d)
    trap 'rm -rf "$own"' EXIT
    cp -R --no-preserve=ownership "$template" "$own/render"
    export DOCC_HTML_DIR=$own/render
fi
"$tool" "$@"
