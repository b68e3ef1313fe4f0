#!/usr/bin/env bash
# Plays through PipeWire and JACK as a user would, through their ALSA plug-ins. Checks that all of the sound arrives,
# and that playing recovers when the server dies and comes back. Both servers are started here, each with a sink that is
# not a card; they need no session, no bus and no root, and do not touch the machine's own sound.
#
# The servers' packages are unpacked into .build-servers and not installed: pipewire-alsa would make PipeWire the
# machine's default device, and it conflicts with PulseAudio. If they cannot be downloaded, the test is skipped: it
# prints the reason and exits with 77, which does not count as success.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
woodshed=$PWD/.build/release/woodshed
unpacked=$PWD/.build-servers
packages=(pipewire pipewire-alsa wireplumber jackd2 libasound2-plugins)

skip() {
    echo "not run here: servers: $1"
    exit 77
}

# The first path that matches a pattern below /usr, in the unpacked packages or on the machine.
place() {
    local path
    # shellcheck disable=SC2231 # the pattern is one
    for path in "$unpacked"/usr/$1 /usr/$1; do
        [ ! -e "$path" ] || { echo "$path" && return; }
    done
    return 1
}

[ -x "$woodshed" ] || { echo "servers: no .build/release/woodshed; run: make build" >&2 && exit 1; }
unpacking=$(scripts/tests/unpack.sh "$unpacked" "${packages[@]}")
case $? in
0) [ -z "$unpacking" ] || echo "servers: $unpacking" ;;
77) skip "${unpacking##*$'\n'}" ;;
*) exit 1 ;;
esac
PATH=$unpacked/usr/bin:$PATH
scripts=$(place share/wireplumber/scripts/policy-node.lua) && wireplumber_modules=$(place 'lib/*/wireplumber-0.4') &&
    pipewire_plug_in=$(place 'lib/*/alsa-lib/libasound_module_pcm_pipewire.so') &&
    jack_plug_in=$(place 'lib/*/alsa-lib/libasound_module_pcm_jack.so') && jack_drivers=$(place 'lib/*/jack/jack_dummy.so') &&
    client_settings=$(place share/pipewire/client-rt.conf) ||
    skip "this system's packages are not those known here: PipeWire with WirePlumber 0.4, and JACK 2"

folder=$(mktemp -d) && chmod 700 "$folder" || exit 1
# The servers as job numbers of this shell; unlike a process's number, they never refer to another program.
servers=()
# Sets `job` to the number of the job that was started last.
note_job() { [[ $(jobs %%) =~ ^\[([0-9]+)\] ]] && job=${BASH_REMATCH[1]}; }
# Ends the started servers with a signal.
end_servers() { # SIGNAL
    local server
    for server in "${servers[@]}"; do kill "-$1" "%$server"; done 2>/dev/null
    for server in "${servers[@]}"; do wait "%$server"; done 2>/dev/null
    servers=()
}
stop_servers() { end_servers KILL; }
# Also removes the shared memory that JACK leaves when it is killed. Its name is the same in each run, because JACK
# remembers eight killed servers and then starts no more.
trap 'stop_servers; rm -rf "$folder" /dev/shm/jack*_woodshed-test_*' EXIT
cd "$folder" || exit 1

export XDG_RUNTIME_DIR=$folder HOME=$folder ALSA_CONFIG_PATH=$folder/asound.conf
unset DBUS_SESSION_BUS_ADDRESS PIPEWIRE_REMOTE
library=$(dirname "$(dirname "$jack_drivers")")
export LD_LIBRARY_PATH=$unpacked/usr/lib/${library##*/}
export PIPEWIRE_CONFIG_DIR=${client_settings%/*}
export PIPEWIRE_MODULE_DIR=$LD_LIBRARY_PATH/pipewire-0.3:$library/pipewire-0.3:/usr/lib/${library##*/}/pipewire-0.3
export SPA_PLUGIN_DIR=$LD_LIBRARY_PATH/spa-0.2:/usr/lib/${library##*/}/spa-0.2
export WIREPLUMBER_CONFIG_DIR=$folder/wireplumber WIREPLUMBER_MODULE_DIR=$wireplumber_modules
export WIREPLUMBER_DATA_DIR=${scripts%/scripts/*}
export JACK_DRIVER_DIR=${jack_drivers%/*} JACK_DEFAULT_SERVER=woodshed-test JACK_NO_AUDIO_RESERVATION=1 JACK_NO_START_SERVER=1

write_settings() {
    cat >asound.conf <<EOF
pcm_type.pipewire { lib "$pipewire_plug_in" }
pcm_type.jack { lib "$jack_plug_in" }
pcm.pipewire { type pipewire }
pcm.jack {
    type jack
    playback_ports { 0 system:playback_1 1 system:playback_2 }
    capture_ports { 0 system:capture_1 1 system:capture_2 }
}
EOF
    local libraries='context.spa-libs = { audio.convert.* = audioconvert/libspa-audioconvert support.* = support/libspa-support }'
    cat >pipewire.conf <<EOF
context.properties = { core.daemon = true core.name = pipewire-0 support.dbus = false default.clock.rate = 48000 }
$libraries
context.modules = [
    { name = libpipewire-module-rt flags = [ ifexists nofail ] }
    { name = libpipewire-module-protocol-native }
    { name = libpipewire-module-metadata }
    { name = libpipewire-module-spa-node-factory }
    { name = libpipewire-module-client-node }
    { name = libpipewire-module-adapter }
    { name = libpipewire-module-link-factory }
    { name = libpipewire-module-session-manager }
    { name = libpipewire-module-access }
]
context.objects = [ { factory = adapter args = {
    factory.name = support.null-audio-sink node.name = nowhere media.class = Audio/Sink
    audio.position = [ FL FR ] audio.rate = 48000 priority.driver = 20000 priority.session = 1000
} } ]
EOF
    # Without the parts of WirePlumber that would look for cards, cameras or a bus.
    mkdir -p wireplumber/main.lua.d
    cat >wireplumber/wireplumber.conf <<EOF
context.properties = { wireplumber.script-engine = lua-scripting support.dbus = false }
$libraries
context.modules = [
    { name = libpipewire-module-protocol-native }
    { name = libpipewire-module-client-node }
    { name = libpipewire-module-adapter }
    { name = libpipewire-module-metadata }
    { name = libpipewire-module-session-manager }
]
wireplumber.components = [
    { name = libwireplumber-module-lua-scripting, type = module }
    { name = main.lua, type = config/lua }
]
EOF
    cat >wireplumber/main.lua.d/policy.lua <<'EOF'
components = {}
for _, name in ipairs({ "metadata", "si-node", "si-audio-adapter", "si-standard-link", "si-audio-endpoint",
                        "default-nodes-api", "default-nodes" }) do
  components[name] = { "libwireplumber-module-" .. name, type = "module", args = { ["use-persistent-storage"] = false } }
end
for _, name in ipairs({ "access/access-default.lua", "create-item.lua", "policy-node.lua" }) do
  components[name] = { name, type = "script/lua", args = {} }
end
EOF
}

failures=0
checks=0
# check DESCRIPTION COMMAND...: the command must succeed.
check() {
    local description=$1
    shift
    checks=$((checks + 1))
    "$@" && return
    failures=$((failures + 1))
    echo "servers: not so: $description" >&2
    tail -n 3 said events 2>/dev/null | cut -c1-300 >&2
}

# eventually COMMAND...: whether it succeeds within twenty seconds, which is enough on any busy machine.
eventually() {
    for ((attempt = 0; attempt < 400; attempt++)); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.05
    done
    return 1
}

serve() { # NAME COMMAND...
    local job
    "${@:2}" >"$1.log" 2>&1 &
    note_job && servers+=("$job")
}
start_daemon() {
    serve pipewire pipewire -c "$folder/pipewire.conf"
    eventually pw-cli info 0
}
# The sink becomes the default once the manager has made it ready.
start_pipewire() {
    start_daemon && serve wireplumber wireplumber -c wireplumber.conf &&
        eventually eval 'wpctl inspect @DEFAULT_AUDIO_SINK@ | grep nowhere >/dev/null'
}
start_jack() {
    serve jack jackd --no-realtime --name "$JACK_DEFAULT_SERVER" -d dummy -r 48000 -p 2048 -C 2 -P 2
    eventually jack_lsp
}

play() { timeout --signal=KILL 300 "$woodshed" play "$1" --output "$2" --json "${@:3}" >events 2>said; }
told() { grep -qE "$1" events; }
dropouts() { grep -c '"event":"xrun"' events; }
dropped_at_most() { [ "$(dropouts)" -le "$1" ]; }
ended_with() { [ "$status" -eq "$1" ]; }

# One frame of 16-bit stereo per line: a second from the first frame that is not silent.
frames_of() {
    sox -D "$1" -b 16 -e signed-integer -t raw - | od -An -v -w4 -tx4 |
        awk '$1 != "00000000" { sounds = 1 } sounds && count++ < 48000'
}

# Writes the sound that the player sends to the server to heard.wav. The song begins with silence, so nothing of it is
# missed.
record_pipewire() {
    pw-record --target nowhere -P '{ stream.capture.sink = true }' --latency 2048 --rate 48000 --channels 2 --format s16 heard.wav \
        >recorder.log 2>&1 &
    note_job && recorder=$job
    eventually eval 'pw-link --links | grep "pw-record:input_FR" >/dev/null'
}
record_jack() {
    local ports=()
    eventually eval 'jack_lsp | grep :out_001 >/dev/null' && mapfile -t ports < <(jack_lsp | grep :out_00)
    # In 32 bits, which preserve the song's 16; for two seconds, because jack_rec loses everything if it is interrupted.
    timeout 120 jack_rec -f heard.wav -d 2 -b 32 "${ports[@]}" >recorder.log 2>&1 &
    note_job && recorder=$job
}

# hears_all DEVICE: whether all of the song arrives. With long periods, because on a busy machine servers miss short
# ones; if the machine is too busy even for the server, there are three attempts.
hears_all() {
    local try job recorder player
    for ((try = 1; try <= 3; try++)); do
        rm -f heard.wav
        [ "$1" = jack ] || "record_$1"
        play song.wav "$1" --period 2048 --periods 4 &
        player=$!
        [ "$1" != jack ] || "record_$1"
        wait $player
        status=$?
        if [ "$1" = pipewire ]; then
            # The time for which sound is still on its way.
            sleep 0.5
            kill -INT "%$recorder"
        fi
        wait "%$recorder"
        [ $status -eq 0 ] || return 1
        if frames_of heard.wav | cmp -s - song.frames; then
            echo "  $1: $(wc -l <song.frames) frames, and each arrived unchanged, at try $try"
            return
        fi
    done
    return 1
}

# loses_server DEVICE POLICY [START]: kills the server while it plays; START starts it again once the loss is reported.
loses_server() {
    local restart=${3:-} job player since
    rm -f events
    play long.wav "$1" --on-loss "$2" &
    note_job && player=$job
    eventually told '"event":"pass.started"' && sleep 0.5
    dropouts_before=$(dropouts)
    stop_servers
    since=${EPOCHREALTIME/./}
    eventually told '"event":"interrupted"' || { kill "%$player" && return 1; }
    echo "  $1: the loss was told $(((${EPOCHREALTIME/./} - since) / 1000)) ms after the server was killed"
    if [ -n "$restart" ]; then
        "$restart" || { kill "%$player" && return 1; }
        since=${EPOCHREALTIME/./}
        eventually told '"event":"device.resumed"' || { kill "%$player" && return 1; }
        echo "  $1: sound again $(((${EPOCHREALTIME/./} - since) / 1000)) ms after the server was ready again"
    fi
    wait "%$player"
    status=$?
}

write_settings
sox -D -R -n -r 48000 -c 2 -b 16 song.wav synth 1 whitenoise gain -6 pad 0.5 0.1
sox -D -n -r 48000 -c 2 -b 16 long.wav synth 3 sine 440 gain -6
frames_of song.wav >song.frames
started=$SECONDS

check "PipeWire starts" start_pipewire
check "PipeWire: all of the sound arrives" hears_all pipewire
check "PipeWire: a server that dies is noticed" loses_server pipewire pause
check "PipeWire: then the run ends with 69" ended_with 69
check "PipeWire: the server is named as the reason" told '"event":"interrupted".*"reason":"server_gone"'
check "PipeWire: a dying server is one dropout more at most" dropped_at_most $((dropouts_before + 1))
check "PipeWire starts again" start_pipewire
check "PipeWire: --on-loss wait goes on with a new server" loses_server pipewire wait start_pipewire
check "PipeWire: then the run ends with 0" ended_with 0
check "PipeWire: and to the recording's end" told '"event":"pass.ended".*"clip_frame":144000'
stop_servers
# Without the session manager, the player is not connected to the sink, so a program without a deadline would wait for
# ever.
check "PipeWire starts without its session manager" start_daemon
since=${EPOCHREALTIME/./}
play song.wav pipewire --on-loss pause
status=$?
echo "  pipewire: without a session manager the run ended after $(((${EPOCHREALTIME/./} - since) / 1000)) ms"
check "PipeWire without a session manager: the run ends with 69" ended_with 69
stop_servers

check "JACK starts" start_jack
check "JACK: all of the sound arrives" hears_all jack
check "JACK: a server that dies is noticed" loses_server jack wait start_jack
check "JACK: --on-loss wait goes on with a new server, to code 0" ended_with 0
check "JACK: and to the recording's end" told '"event":"pass.ended".*"clip_frame":144000'
# With TERM, because it then removes its shared memory.
end_servers TERM

echo "servers: $checks checks, $failures failures, in $((SECONDS - started)) s"
[ $failures -eq 0 ]
