#!/usr/bin/env bash
# Builds the Debian packages, then installs, runs and removes them on a bare machine: Debian's smallest system in a root
# folder.
#
#   scripts/tests/test-packages.sh            builds the packages first, with scripts/release/package.sh
#   scripts/tests/test-packages.sh --built    takes the packages in .build-deb
#
# Only root may make such a machine; an ordinary user needs sudo for this part. .build-clean stores the smallest system
# for the next run. Each command in there may take WOODSHED_PACKAGES_SECONDS (900).
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
store=$root/.build-clean
machine=$store/packages-machine
packages=$root/.build-deb
# The largest size of the packages, in bytes, and the longest processor time of the demo, in seconds: on a busy machine
# the time on the clock says nothing.
largest=25000000
longest=5

fail() {
    printf 'packages: %s\n' "$@" >&2
    exit 1
}
failures=0
fault() {
    failures=$((failures + 1))
    echo "packages: $1" >&2
}
# shellcheck source=scripts/tests/bare-machine.sh
. scripts/tests/bare-machine.sh

# in_machine COMMAND...: with the proxy settings alone of this process's environment.
in_machine() {
    local variable settings=()
    for variable in http_proxy https_proxy no_proxy; do
        [ -z "${!variable:-}" ] || settings+=("$variable=${!variable}")
    done
    timeout --kill-after=30 "${WOODSHED_PACKAGES_SECONDS:-900}" chroot "$machine" env -i --default-signal HOME=/root USER=root LANG=C.UTF-8 TERM=dumb \
        DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin "${settings[@]}" "$@"
}
# package NAME: the package's file, as seen by the machine.
package() { (cd "$machine" && printf '/%s' srv/packages/"$1"_*.deb); }
apt() { in_machine apt-get -qq -o Dpkg::Use-Pty=0 "$@" >"$store/apt.log" 2>&1; }

# All files, except the records of the package manager and the machine.
files() { # LIST
    (cd "$machine" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./root -o -path ./srv -o -path ./var/cache -o -path ./var/log \
        -o -path ./var/lib/apt -o -path ./var/lib/dpkg \) -prune -o -print | sort) >"$1"
}

# The files of the installed packages, by their names with /lib as a link to /usr/lib.
owned() { cat "$machine"/var/lib/dpkg/info/*.list | sed -E 's|^/(lib[^/]*/\|s?bin/)|/usr/\1|; s|^/|./|' | sort -u; }

test_command() {
    local version page seconds
    version=$(scripts/version.sh)
    # Without recommended packages, so the test finds a missing dependency.
    apt install -y --no-install-recommends "$(package woodshed)" ||
        fail "woodshed cannot be installed:" "$(tail -n 15 "$store/apt.log")"
    [ "$(in_machine woodshed --version)" = "$version" ] || fault "woodshed --version is not $version"

    # Without a sound card the demo writes a file.
    TIMEFORMAT='%R %U %S'
    seconds=$({ time in_machine sh -c 'cd /tmp && exec woodshed demo' >"$store/demo.log" 2>&1; } 2>&1)
    [ -s "$machine/tmp/woodshed-demo.wav" ] || fault "woodshed demo has written nothing: $(tail -n 3 "$store/demo.log")"
    awk -v longest=$longest '{ print "packages: woodshed demo took " $1 " s, " $2 + $3 " s of it computing"; exit $2 + $3 > longest }' \
        <<<"$seconds" || fault "woodshed demo computes for more than $longest s"
    in_machine woodshed info /tmp/woodshed-demo.wav >/dev/null || fault "woodshed info does not read the demo"
    in_machine woodshed sections /tmp/woodshed-demo.wav add 1-2 --name Riff >"$store/sections.log" 2>&1 || fault "woodshed sections stores nothing: $(cat "$store/sections.log")"
    # The output must name a missing recommended package.
    in_machine woodshed waveform /tmp/woodshed-demo.wav -o /tmp/demo.png >"$store/picture.log" 2>&1 &&
        fault "a picture without the library for pictures"
    grep -q libpangocairo "$store/picture.log" || fault "woodshed waveform does not name what is missing: $(cat "$store/picture.log")"

    while IFS= read -r page; do
        gzip -t "$machine/usr/share/man/man1/$page.1.gz" || fault "there is no manual page $page"
    done < <(sed -n 's/^## woodshed/woodshed/p' docs/commands.md | tr ' ' -)
    bash -n "$machine/usr/share/bash-completion/completions/woodshed" || fault "there is no completion for bash"
    for page in zsh/vendor-completions/_woodshed fish/vendor_completions.d/woodshed.fish doc/woodshed/copyright; do
        [ -s "$machine/usr/share/$page" ] || fault "there is no $page"
    done
}

test_library() {
    apt install -y --no-install-recommends "$(package libwoodshed1)" "$(package libwoodshed-dev)" ||
        fail "the library cannot be installed:" "$(tail -n 15 "$store/apt.log")"
    # Not grep -q: an early end of grep would end the writer of the list by a signal.
    in_machine ldconfig -p | grep 'libwoodshed\.so\.1 ' >/dev/null || fault "the dynamic linker does not find libwoodshed.so.1"
    in_machine sh -c 'ldd /usr/lib/*/libwoodshed.so' | grep 'not found' && fault "libwoodshed.so.1 lacks the libraries above"
    [ -s "$machine/usr/include/woodshed.h" ] || fault "there is no woodshed.h"
    grep -qx "Version: $(scripts/version.sh)" "$machine"/usr/lib/*/pkgconfig/woodshed.pc || fault "woodshed.pc has another version"
    grep -q '@[A-Z]*@' "$machine"/usr/lib/*/pkgconfig/woodshed.pc && fault "woodshed.pc still has marks"
}

test_python() {
    # Python itself first: Python leaves compiled files, which belong to no package, and stay.
    files "$store/without-python"
    apt install -y --no-install-recommends python3 || fail "Python cannot be installed:" "$(tail -n 15 "$store/apt.log")"
    files "$store/with-python"
    comm -13 "$store/without-python" "$store/with-python" | sort - "$store/before" >"$store/sorted" && mv "$store/sorted" "$store/before"
    apt install -y --no-install-recommends "$(package python3-woodshed)" ||
        fail "the module for Python cannot be installed:" "$(tail -n 15 "$store/apt.log")"
    # One second three times at 70 %, by the command and by the module: the same samples. The example plays at 44.1 kHz.
    in_machine python3 - <<'END' || fault "no recording can be made"
import math, struct, wave
with wave.open("/tmp/song.wav", "wb") as file:
    file.setparams((2, 2, 44100, 0, "NONE", ""))
    file.writeframes(b"".join(struct.pack("<hh", int(9000 * math.sin(frame * frame / 4e6)), frame % 900) for frame in range(132300)))
END
    in_machine woodshed render /tmp/song.wav --section 1-2 -n 3 --speed 70% -q -o /tmp/expected.wav || fault "woodshed render fails"
    in_machine sh -c 'cd /tmp && exec python3 /usr/share/doc/python3-woodshed/examples/looper.py song.wav file:python.wav' \
        >"$store/python.log" 2>&1 || fault "the module for Python plays no loop: $(tail -n 5 "$store/python.log")"
    cmp "$machine/tmp/expected.wav" "$machine/tmp/python.wav" || fault "the module for Python plays other samples than woodshed render"
    [ "$(in_machine python3 -c 'import woodshed; print(woodshed.version())')" = "$(scripts/version.sh)" ] ||
        fault "the module for Python has another version"
}

test_size() { # PACKAGE
    local bytes
    bytes=$(in_machine dpkg --listfiles "$1" | while IFS= read -r file; do
        [ -d "$machine$file" ] || [ -L "$machine$file" ] || stat -c %s "$machine$file"
    done | awk '{ sum += $1 } END { print sum }')
    echo "packages: $1 takes $bytes bytes"
    [ "$bytes" -le $largest ] || fault "$1 takes more than $largest bytes"
}

# In the namespaces of the machine.
test_inside() {
    local installed=(woodshed libwoodshed1 libwoodshed-dev python3-woodshed) name
    mount_devices || fail "cannot mount what a machine has"
    apt update || fail "the package lists cannot be read:" "$(tail -n 5 "$store/apt.log")"
    files "$store/before"
    test_command
    test_library
    test_python
    for name in "${installed[@]}"; do test_size "$name"; done

    apt purge -y "${installed[@]}" || fail "the packages cannot be removed:" "$(tail -n 15 "$store/apt.log")"
    files "$store/after"
    # Each file was there before, or belongs to a package still installed, such as woodshed's dependencies.
    while IFS= read -r name; do
        fault "left behind: $name"
    done < <(comm -13 "$store/before" "$store/after" | comm -23 - <(owned))
    in_machine python3 -c 'import woodshed' 2>/dev/null && fault "the module for Python is still found"
    in_machine sh -c 'command -v woodshed' && fault "woodshed is still found"
    echo "packages: $failures failures"
    [ $failures -eq 0 ]
}

if [ "${1:-}" = --inside ]; then
    test_inside
    exit
fi

[ $# -eq 0 ] || [ "$*" = --built ] || fail "there is no option $*"
[ $# -gt 0 ] || scripts/release/package.sh || exit
compgen -G "$packages/woodshed_*.deb" >/dev/null || fail "there are no packages; run: make deb"
taken=$(mktemp -d)
dpkg-deb --extract "$packages"/woodshed_*.deb "$taken"
symbols=$(readelf -SW "$taken/usr/bin/woodshed" | grep -E '\.symtab|\.debug')
rm -rf "$taken"
[ -z "$symbols" ] || fail "the command in the package is not stripped"
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "only root may make a bare machine; as root, run: scripts/tests/test-packages.sh --built"
    echo "packages: using sudo, as only root may make a bare machine" >&2
    exec sudo "$0" --built
fi

mkdir -p "$store" && exec 9>"$store/lock" && flock --nonblock 9 || fail "another run uses $store"
trap 'kill -KILL %% 2>/dev/null; wait; rm -rf --one-file-system "$machine"' EXIT
trap 'exit 143' TERM INT HUP
make_base smallest
unpack_base
mkdir -p "$machine/srv/packages" && cp "$packages"/*.deb "$machine/srv/packages/" || fail "cannot copy the packages"
# In the background, because the shell receives no signals while it waits for a program in the foreground.
become_apart "$BASH" "$root/scripts/tests/test-packages.sh" --inside 9>&- &
wait $!
