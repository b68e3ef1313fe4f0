#!/usr/bin/env bash
# Runs setup.sh on simulated machines: a PATH with replacements for dpkg-query, apt-get, sudo, id and swift.
set -uo pipefail
setup=$(cd "$(dirname "$0")/.." && pwd)/setup.sh

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
checks=0

stand_in() { # NAME SCRIPT
    printf '#!/bin/bash\n%s\n' "$2" >"$folder/bin/$1"
    chmod +x "$folder/bin/$1"
}

# A Debian machine on which all packages except those of soxr and FFTW are installed, and apt-get works.
new_machine() {
    rm -rf "${folder:?}"/*
    mkdir "$folder/bin"
    for tool in env bash cat awk sed mktemp tail rm dirname grep; do
        ln -s "$(command -v $tool)" "$folder/bin/$tool"
    done
    stand_in swift ''
    stand_in id 'echo 0'
    # shellcheck disable=SC2016 # expanded by the stand-ins
    {
        stand_in dpkg-query 'for name in "${@:3}"; do case $name in libsoxr-dev | libfftw3-dev) ;; *) echo "installed $name" ;; esac; done'
        stand_in apt-get 'echo "apt-get $*" >>'"$folder/calls"
        stand_in sudo 'echo "sudo $*" >>'"$folder/calls"'; "$@"'
    }
}

# check DESCRIPTION STATUS PATTERN GROUP...: the script must exit with this status, and print or call something that
# matches the pattern.
check() {
    local description=$1 wanted=$2 pattern=$3 status
    shift 3
    PATH=$folder/bin "$BASH" "$setup" "$@" >"$folder/said" 2>&1
    status=$?
    touch "$folder/calls"
    checks=$((checks + 1))
    if [ $status -ne "$wanted" ] || ! grep -qE -- "$pattern" "$folder/said" "$folder/calls"; then
        failures=$((failures + 1))
        echo "setup: $description: status $status, wanted $wanted and '$pattern'; said:" >&2
        cat "$folder/said" "$folder/calls" >&2
    fi
}

new_machine
check "installs what is missing, and only that" 0 'apt-get install .* libfftw3-dev libsoxr-dev$' build
grep -q 'apt-get update' "$folder/calls" || { echo "setup: the package lists were not refreshed" >&2; failures=$((failures + 1)); }
new_machine
check "says what it installs and why" 0 'libsoxr-dev +converts' build
new_machine && stand_in id 'echo 1000'
check "uses sudo when not root" 0 'sudo env .*apt-get install .*libsoxr-dev' build
new_machine && stand_in id 'echo 1000' && rm "$folder/bin/sudo"
check "without sudo it names the command to run as root" 1 'apt-get install libfftw3-dev libsoxr-dev' build
new_machine && stand_in apt-get 'echo "no network"; exit 100'
check "a failing apt-get is shown, with the packages" 1 'could not install.*libfftw3-dev' build
new_machine && rm "$folder/bin/swift"
check "a missing toolchain is named" 1 'swift.org' build
new_machine && rm "$folder/bin/apt-get"
check "on another system it names the packages" 1 'no Debian system' build

new_machine
PATH=$folder/bin "$BASH" "$setup" lint >"$folder/said" 2>&1 || failures=$((failures + 1))
if [ -s "$folder/said" ] || [ -s "$folder/calls" ]; then
    echo "setup: with nothing to do it is not silent" >&2
    failures=$((failures + 1))
fi

# The packages that Package.swift declares must be those that are installed for a build.
for package in $(grep -oP '\.apt\(\["\K[^"]+' "$(dirname "$setup")/../Package.swift"); do
    "$BASH" "$setup" --list build | grep "^$package " >/dev/null || {
        echo "setup: Package.swift needs $package, the group build does not have it" >&2
        failures=$((failures + 1))
    }
done
# What the Debian packages are built with must be installed for that.
for package in $(sed -n '/^Build-Depends:/,/^[A-Z#]/s/^\(Build-Depends:\)\? *\([a-z][a-z0-9.+-]*\).*/\2/p' "$(dirname "$setup")/../packaging/debian/control"); do
    # A virtual package of debhelper's.
    [ "$package" != debhelper-compat ] || package=debhelper
    "$BASH" "$setup" --list build package | grep "^$package " >/dev/null || {
        echo "setup: packaging/debian/control needs $package, the groups build and package do not have it" >&2
        failures=$((failures + 1))
    }
done

echo "setup: $checks cases, $failures failures"
[ $failures -eq 0 ]
