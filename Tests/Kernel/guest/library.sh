# shellcheck shell=dash disable=SC3045 # like busybox's shell, which also has read -t
#
# Functions shared by the scripts of the guest; each script begins with: . /rig/library.sh
exec 7<>/dev/ttyS1

# monitor JSON: sends a request to the machine's monitor, and prints the answer.
monitor() {
    local answer
    echo "$*" >&7
    read -r -t 20 answer <&7
    echo "monitor: $answer"
}

# Seconds since the guest began.
now() { cut -d' ' -f1 /proc/uptime; }

say() { echo "[$(now)] $*"; }

# until_there PATH: waits up to ten seconds.
until_there() {
    local turn
    for turn in $(seq 100); do
        [ -e "$1" ] && return 0
        sleep 0.1
    done
    echo "$1 does not come (after $turn looks)"
    return 1
}

# Loads all drivers, and turns every card up.
drivers() {
    local card name first second
    modprobe snd-hda-intel
    modprobe xhci_pci
    modprobe snd-usb-audio
    modprobe snd-aloop id=Loopback
    modprobe snd-dummy id=Dummy
    until_there /proc/asound/Audio
    until_there /proc/asound/Intel_1
    # The driver gives the name Intel to the card with the first answer of a codec; the name must be the first card's on
    # the bus.
    if [ "$(device_of Intel)" \> "$(device_of Intel_1)" ]; then
        second=/sys/class/sound/$(readlink /proc/asound/Intel)
        first=/sys/class/sound/$(readlink /proc/asound/Intel_1)
        printf Swapped >"$second/id"
        printf Intel >"$first/id"
        printf Intel_1 >"$second/id"
    fi
    for card in Intel Intel_1 Audio; do
        for name in Master Synth PCM 'Audio Output Volume Control'; do amixer -q -c $card sset "$name" 100% unmute 2>/dev/null; done
    done
    amixer -q -c Intel_1 sset Line 100% cap 2>/dev/null
}

# ended NAME COMMAND...: runs a command, for SECONDS_LIMIT or a minute, and keeps its output and its status in
# /rig/NAME.out, .err and .status. The files move there after the command's end: while a slow host answers for the
# shared folder, the guest's clock skips to the next timer, which could be the timeout.
ended() {
    local name=$1
    shift
    timeout "${SECONDS_LIMIT:-60}" "$@" >/tmp/"$name".out 2>/tmp/"$name".err
    echo $? >/tmp/"$name".status
    mv /tmp/"$name".out /tmp/"$name".err /tmp/"$name".status /rig
}

# until_running CARD/PCM/SUBSTREAM: waits up to ten seconds until a card plays or records there.
until_running() {
    local turn
    for turn in $(seq 100); do
        grep -q 'state: RUNNING' "/proc/asound/$1/status" 2>/dev/null && return 0
        sleep 0.1
    done
    echo "$1 does not run (after $turn looks)"
    return 1
}

# device_of CARD: the folder of the card's device, below /sys.
device_of() {
    local number
    number=$(readlink "/proc/asound/$1")
    readlink -f "/sys/class/sound/$number/device"
}

# sleeps sleep: the machine sleeps, and wakes after two seconds. sleeps drivers [SECONDS]: only the drivers suspend, and
# resume after SECONDS, or two seconds. In a machine whose time is counted, such a second takes about ten of the host's.
sleeps() {
    if [ "$1" = sleep ]; then
        echo none >/sys/power/pm_test
        echo deep >/sys/power/mem_sleep
        monitor wake
        echo mem >/sys/power/state
    else
        echo "${2:-2}" >/sys/module/suspend/parameters/pm_test_delay
        echo devices >/sys/power/pm_test
        echo freeze >/sys/power/state
    fi
}

# plug [OPTION...]: plugs in the USB card of usbcard, after loading vhci-hcd and snd-usb-audio.
plug() {
    usbcard "$@" & card=$!
    until_there /proc/asound/Cable
    sleep 0.5
}

# out: pulls the card out. The card prints its observations.
out() {
    kill -TERM %usbcard
    wait $card
    sleep 0.5
}
