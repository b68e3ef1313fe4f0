#!/usr/bin/env bash
# docc, for whoever runs it: scripts/docc.sh ARGUMENT...
#
# It gives what it writes the owner of the template that came with it, which fails unless one is that owner or root. An ordinary
# user, with a toolchain that root has installed, lends it a template of their own.
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
