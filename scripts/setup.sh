#!/usr/bin/env bash
# Installs missing Debian packages for Woodshed; prints nothing if all are installed.
#
#   scripts/setup.sh [--list] [build] [test] [lint] [docs] [bench] [soak] [package] [kernel]
#
# Default: build. `--list` prints the packages and the reasons, and installs nothing.
# The script does not install Swift: the toolchain comes from swift.org, and the user chooses the version.
set -euo pipefail

fail() {
    printf 'setup: %s\n' "$@" >&2
    exit 1
}

# The packages of a group, one per line: the name, then the reason.
packages_for() {
    case $1 in
    build)
        cat <<'END'
libasound2-dev      ALSA: the sound card
libsndfile1-dev     reads WAV, AIFF, CAF, FLAC, Ogg Vorbis and Opus
libmpg123-dev       reads MP3
libfftw3-dev        Fourier transforms of the time stretcher
libsoxr-dev         converts a recording of another sample rate
libsamplerate0-dev  brings a second card's sound to the first one's clock
libxxhash-dev       knows a recording by its content, and checks what the cache keeps of it
libsqlite3-0        keeps what is practised; loaded when it is first needed
libcurl4            fetches recordings; loaded when the first one is fetched
libxml2             reads feeds and playlists in XML; loaded with the first one
libsystemd0         media keys and the desktop's player controls; loaded when playing begins on a desktop
libpangocairo-1.0-0 draws pictures of sound and their texts, PNG and SVG; loaded when a picture is drawn
pkg-config          tells the compiler where those libraries are
python3             writes the manual pages that are installed
END
        ;;
    test)
        cat <<'END'
ffmpeg              decodes M4A and video sound; encodes the AAC test files
flac                encodes the FLAC test files
vorbis-tools        encodes the Ogg Vorbis test files
opus-tools          encodes the Opus test files
lame                encodes the MP3 test files
sox                 a second opinion on what is in a sound file
python3             a third opinion on what is in a WAV file
python3-jsonschema  compares what the command writes with the schema of it
alsa-utils          lists sound devices as ALSA sees them
libcairo2-dev       reads pictures back
libpango1.0-dev     its headers, which what is looked up in the library is compared with
libsqlite3-dev      its header, for the same comparison
libcurl4-openssl-dev its header, for the same comparison
libssl-dev          its header, for the same comparison
libxml2-dev         its header, for the same comparison
libsystemd-dev      its header, for the same comparison
dbus-daemon         a desktop's bus, private to a test
playerctl           a program that presses media keys
faketime            a clock that is set back
sqlite3             looks into the store from outside
procps              lists the processes that run, to find what a closed program has left
gcc                 compiles programs that use the library for C
g++                 the same in C++
abigail-tools       compares the interface for C with that of the last release
python3-pip         installs the module for Python
jq                  reads the events of a client in the shell
fonts-dejavu-core   letters that join and run from right to left, in pictures
fonts-lohit-deva    letters that change their order, in pictures
END
        ;;
    lint)
        cat <<'END'
shellcheck          finds mistakes in the shell scripts
jq                  reads the compiler's list of public symbols
END
        ;;
    docs)
        cat <<'END'
jq                  reads the compiler's list of public symbols
END
        ;;
    bench)
        cat <<'END'
libjack-jackd2-dev  the ring buffer ours is measured beside
libboost-dev        another such ring buffer
librubberband-dev   a time stretcher ours is measured beside
libsoundtouch-dev   another one
libsonic-dev        another one, for speech
libebur128-dev      the loudness meter ours are measured beside
libaubio5           the pitch tracker ours is measured beside
portaudio19-dev     a library for sound cards ours is measured beside, on a card that fails
alsa-utils          aplay and arecord, on the same card
sqlite3             asks the store of sections the same, as the yardstick
mpv                 the player whose start-up time ours is measured beside
sox                 makes the recording that is measured
flac                decodes it, as the yardstick
lame                makes an MP3 file of it
vorbis-tools        makes an Ogg Vorbis file of it
ffmpeg              draws its waveform and slows sound (atempo), beside ours
time                reads how much memory a program took
END
        ;;
    soak)
        cat <<'END'
debootstrap         makes the clean machine that the tests are run on
dpkg-dev            unpacks the sources of SQLite, whose shell repairs damaged stores beside ours
tcl                 writes those sources as one file
fluidsynth          plays scores, for the user's hour with real recordings
END
        ;;
    package)
        cat <<'END'
debhelper           builds Debian packages
dh-python           compiles the module for Python where it is installed, and removes what was compiled
lintian             checks them
patchelf            removes the run path that the build system sets
debootstrap         makes the bare machine that the packages are installed on
END
        ;;
    kernel)
        cat <<'END'
qemu-system-x86     emulates the machine on which the kernel's drivers run
busybox-static      its system
cpio                makes the image of that
kmod                finds the drivers that belong together
alsa-utils          aplay and arecord, on the same drivers
gcc                 compiles the USB card of the tests
e2fsprogs           makes the disk whose power goes
dmsetup             writes down what is written to it
END
        ;;
    *) fail "unknown group '$1'; known are build, test, lint, docs, bench, soak, package and kernel" ;;
    esac
}

list_only=no
wanted=''
for argument in "$@"; do
    if [ "$argument" = --list ]; then list_only=yes; else wanted+=$(packages_for "$argument")$'\n'; fi
done
[ -n "$wanted" ] || wanted=$(packages_for build)$'\n'
if [ $list_only = yes ]; then
    printf '%s' "$wanted"
    exit
fi

missing_with_reasons=''
mapfile -t names < <(printf '%s' "$wanted" | awk '{ print $1 }')
if command -v dpkg-query >/dev/null; then
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${names[@]}" 2>/dev/null || true)
    for name in "${names[@]}"; do
        case $'\n'$installed$'\n' in
        *$'\n'"installed $name"$'\n'*) ;;
        *) missing_with_reasons+=$(printf '%s' "$wanted" | awk -v name="$name" '$1 == name')$'\n' ;;
        esac
    done
fi

if ! command -v swift >/dev/null; then
    fail "Swift is not on the PATH; install Swift 6.2 or later from https://www.swift.org/install/linux/"
fi
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    # A system without Debian's packages may still have the libraries. Only continue with the build if pkg-config finds
    # them.
    if command -v pkg-config >/dev/null && pkg-config --exists alsa sndfile libmpg123 fftw3f soxr samplerate libxxhash; then exit 0; fi
    fail "this is no Debian system, so nothing can be installed here." \
        "Install what these Debian packages hold, then run this again: ${names[*]}"
fi
[ -n "$missing_with_reasons" ] || exit 0

mapfile -t missing < <(printf '%s' "$missing_with_reasons" | awk '{ print $1 }')
{
    echo "setup: installing the Debian packages that are missing:"
    printf '%s' "$missing_with_reasons" | sed 's/^/  /'
} >&2

as_root=(env DEBIAN_FRONTEND=noninteractive)
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
        fail "not root, and sudo is not installed. As root, run: apt-get install ${missing[*]}"
    echo "setup: using sudo, as only root may install packages" >&2
    as_root=(sudo env DEBIAN_FRONTEND=noninteractive)
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${as_root[@]}" apt-get update -qq && "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"; } \
    >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    fail "apt-get could not install these packages: ${missing[*]}"
fi
