#!/usr/bin/env bash
# Runs `make demo` and `make test` on a machine with only Debian's smallest system and the packages for Swift: in a new
# root folder (debootstrap), in a clone of this checkout's last commit, in its own process namespace.
#
#   scripts/tests/test-clean-machine.sh [VARIANT]... [-- COMMAND [ARGUMENT]...]
#
# Variants, all of them by default and in this order: root, root-bare, user, user-bare. A "bare" machine has neither
# /dev/pts nor /sys.
# The first variant installs the needed packages; for an ordinary user, root has installed all packages before.
# COMMAND runs instead of `make demo` and `make test`, each of which may take WOODSHED_CLEAN_SECONDS (7200).
#
# Needs root to set up the machine. The toolchain is this machine's, mounted read-only, and git's settings for replaced
# addresses also apply there. All mounts and processes are in namespaces that end with this script in every case;
# .build-clean stores the smallest system, packed, for the next run (WOODSHED_DEBIAN_MIRROR is the mirror for
# downloads).
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
store=$root/.build-clean
machine=$store/machine
place=/srv/woodshed
limit=${WOODSHED_CLEAN_SECONDS:-7200}

fail() {
    printf 'clean machine: %s\n' "$@" >&2
    exit 1
}

# shellcheck source=scripts/tests/bare-machine.sh
. scripts/tests/bare-machine.sh

toolchain_folder() { swift -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)/usr/lib/swift".*|\1|p'; }

# Folders shared with this machine, mounted read-only, one per line.
shared_folders() {
    local key
    toolchain_folder
    while IFS= read -r -d '' key; do
        key=${key%%$'\n'*} && key=${key#url.} && key=${key%.insteadof}
        [ ! -d "$key" ] || echo "${key%/}"
    done < <(git config -z --get-regexp '^url\..*\.insteadof$')
}

# The packages of https://www.swift.org/install/linux for the toolchain, and make.
packages=(make git ca-certificates binutils gcc g++ libc6-dev libcurl4-openssl-dev libedit2 libncurses6 libpython3-dev libsqlite3-0
    libxml2-dev tzdata unzip zlib1g-dev)

# Unpacks a machine, with a clone of this checkout and git's settings.
make_machine() {
    local line
    unpack_base
    # One user clones the repository, another user reads and builds the clone.
    git config --file "$machine/etc/gitconfig" --add safe.directory '*'
    while IFS= read -r -d '' line; do
        git config --file "$machine/etc/gitconfig" --add "${line%%$'\n'*}" "${line#*$'\n'}"
    done < <(git config -z --get-regexp '^url\..*\.insteadof$')
    git clone --quiet --no-hardlinks "$root" "$machine$place" || fail "cannot clone $root"
    chroot "$machine" useradd --create-home --home-dir /srv/somebody somebody || fail "cannot make a user"
    shared_folders | sort -u >"$machine/shared-folders"
}

# Mounts the file systems of the machine, in a namespace of this process.
mount_machine() { # VARIANT
    local folder
    mount_devices || return 1
    if [[ $1 != *-bare ]]; then
        mkdir "$machine/dev/pts" && ln -s pts/ptmx "$machine/dev/ptmx" &&
            mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$machine/dev/pts" &&
            mount --rbind /sys "$machine/sys" || return 1
    fi
    while IFS= read -r folder; do
        [ -n "$folder" ] || fail "this Swift is installed in /usr, which cannot be shared; use a toolchain with a folder of its own"
        mkdir -p "$machine$folder" && mount --bind "$folder" "$machine$folder" &&
            mount -o remount,bind,ro "$machine$folder" || return 1
    done <"$machine/shared-folders"
}

# in_machine USER COMMAND...: with the proxy settings alone of this process's environment.
in_machine() {
    local user=$1 home=/root variable settings=()
    shift
    [ "$user" = root ] || home=/srv/somebody
    for variable in http_proxy https_proxy no_proxy; do
        [ -z "${!variable:-}" ] || settings+=("$variable=${!variable}")
    done
    # shellcheck disable=SC2016 # for the shell in there to expand
    timeout --kill-after=30 "$limit" chroot --userspec="$user" "$machine" env -i --default-signal \
        HOME="$home" USER="$user" LANG=C.UTF-8 TERM=dumb "${settings[@]}" \
        PATH="$toolchain/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
        bash -c 'cd "$0" && exec "$@"' "$place" "$@"
}

# In the namespaces of one variant: runs the commands, one after the other.
run_variant() { # VARIANT COMMAND...
    local variant=$1 user=root status=0 started command
    shift
    mount_machine "$variant" || fail "$variant: cannot mount what a machine has"
    toolchain=$(toolchain_folder)
    if [[ $variant = user* ]]; then
        user=somebody
        # The output tells an ordinary user to let root run this command.
        in_machine root scripts/setup.sh build test lint bench || fail "$variant: the packages could not be installed"
    fi
    chroot "$machine" chown -R "$user" "$place"
    # On a machine with only this user, there are no locks of other users.
    find "$machine/tmp" -mindepth 1 -delete
    local commands=("make demo" "make test")
    [ $# -eq 0 ] || commands=("$*")
    for command in "${commands[@]}"; do
        printf '\n==> clean machine, %s: %s\n' "$variant" "$command"
        started=$SECONDS
        # shellcheck disable=SC2086 # words
        if [ $# -gt 0 ]; then in_machine "$user" "$@"; else in_machine "$user" $command; fi
        code=$?
        [ $code -eq 0 ] || status=1
        printf '%-10s %-12s %s after %d s\n' "$variant" "$([ $code -eq 0 ] && echo passed || echo "FAILED ($code)")" "$command" \
            $((SECONDS - started)) | tee -a "$store/outcome"
    done
    return $status
}

if [ "${1:-}" = --inside ]; then
    run_variant "${@:2}"
    exit
fi

variants=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    case $1 in
    root | root-bare | user | user-bare) variants+=("$1") ;;
    *) fail "there is no variant $1; there are root, root-bare, user and user-bare" ;;
    esac
    shift
done
[ $# -eq 0 ] || shift
[ ${#variants[@]} -gt 0 ] || variants=(root root-bare user user-bare)
[ "$(id -u)" -eq 0 ] || fail "only root may make such a machine; run: sudo make soak SOAK=clean"

mkdir -p "$store" && exec 9>"$store/lock" && flock --nonblock 9 || fail "another run uses $store"
trap 'kill -KILL %% 2>/dev/null; wait; rm -rf --one-file-system "$machine"' EXIT
trap 'exit 143' TERM INT HUP
: >"$store/outcome"
make_base base "${packages[@]}"
make_machine
failures=0
for variant in "${variants[@]}"; do
    # In the background, because the shell receives no signals while it waits for a program in the foreground.
    become_apart "$BASH" "$root/scripts/tests/test-clean-machine.sh" --inside "$variant" "$@" 9>&- &
    wait $! || failures=$((failures + 1))
done
echo
echo "clean machine, from the smallest Debian:"
cat "$store/outcome"
echo "$((${#variants[@]} - failures)) passed, $failures failed"
[ $failures -eq 0 ]
