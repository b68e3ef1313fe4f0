#!/usr/bin/env bash
# shellcheck disable=SC2154 # the caller's variables
#
# For tests on a machine with nothing installed: a root folder with Debian's smallest system, in namespaces of its own.
# To be sourced, not run. The caller defines:
#
#   fail MESSAGE...   ends the test
#   store             the folder of the smallest systems, packed, for the next run
#   machine           the root folder
#
# All mounts and processes are in namespaces, which end with the caller in every case. Needs root, and debootstrap.
# WOODSHED_DEBIAN_MIRROR is the mirror for downloads.

# Replaces this process by a command in its own namespaces. Mounts and child processes end with the command, and the
# command ends with the parent.
become_apart() {
    exec setpriv --pdeathsig KILL unshare --mount --propagation private --pid --fork --kill-child "$@"
}

# make_base NAME PACKAGE...: the smallest system, with these packages. Sets `base`, its archive.
make_base() {
    local name=$1 mirror codename folder
    shift
    # shellcheck disable=SC1091 # the system's
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    base=$store/$name-$codename.tar
    folder=$store/$name
    [ ! -s "$base" ] || return 0
    command -v debootstrap >/dev/null || fail "debootstrap is missing; run: scripts/setup.sh soak"
    # shellcheck disable=SC2016 # for apt to expand
    mirror=${WOODSHED_DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' "RELEASE: $codename" 2>/dev/null | head -n 1)}
    echo "making the smallest $codename, from ${mirror:-the usual mirror}"
    rm -rf "$folder"
    become_apart timeout --kill-after=30 1800 debootstrap --variant=minbase ${1:+--include="$(IFS=, && echo "$*")"} \
        "$codename" "$folder" ${mirror:+"$mirror"} >"$store/debootstrap.log" 2>&1 &
    wait $! || fail "debootstrap failed; its last lines:" "$(tail -n 5 "$store/debootstrap.log")"
    tar -C "$folder" -cf "$base.part" . && mv "$base.part" "$base" && rm -rf "$folder" || fail "cannot write $base"
}

# Unpacks a new machine from `base`.
unpack_base() {
    rm -rf --one-file-system "$machine"
    mkdir -p "$machine" && tar -C "$machine" -xpf "$base" || fail "cannot unpack $base"
    cp /etc/resolv.conf "$machine/etc/resolv.conf"
}

# Mounts /proc and a small /dev in the machine, in a namespace of this process.
mount_devices() {
    local device
    mount -t proc proc "$machine/proc" && mount -t tmpfs -o mode=755 tmpfs "$machine/dev" || return 1
    for device in null zero full random urandom tty; do
        : >"$machine/dev/$device" && mount --bind "/dev/$device" "$machine/dev/$device" || return 1
    done
    ln -s /proc/self/fd "$machine/dev/fd"
    ln -s fd/0 "$machine/dev/stdin" && ln -s fd/1 "$machine/dev/stdout" && ln -s fd/2 "$machine/dev/stderr"
    mkdir "$machine/dev/shm" && mount -t tmpfs -o mode=1777 tmpfs "$machine/dev/shm"
}
