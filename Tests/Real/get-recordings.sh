#!/usr/bin/env bash
# Fetches real recordings, whole, from Debian packages: Tests/Real/get-recordings.sh FOLDER
#
# Folders below FOLDER:  music   songs of bands and of guitars alone, electronic and orchestral pieces, scores played by
#                                a sound font
#                        speech  35 minutes read aloud, in one voice at a time: MP3, Opus, and as over a telephone
#                        odd     one song in every format, a video, and six channels of 96 kHz in 24 bits
#                        long    two hours of music in one FLAC file
# The script fetches some 400 MB, keeps 1.2 GB, and installs nothing. The folder appears when complete, and stays for
# later runs.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2 && exit 2; }
folder=$(realpath -m "$1")
[ ! -e "$folder/complete" ] || exit 0
fail() {
    echo "recordings: $1" >&2
    exit 1
}
[ ! -e "$folder" ] || fail "$folder exists and is no folder of recordings; name another one"
for tool in apt-get dpkg-deb sox soxi flac ffmpeg fluidsynth; do
    command -v $tool >/dev/null || fail "$tool is missing; run: scripts/setup.sh test soak"
done

packages=(
    fretsonfire-songs-muldjord # a band, and its guitar alone
    hyperrogue-music           # orchestral and electronic pieces
    singularity-music          # electronic pieces
    fillets-ng-data-cs         # voices
    openttd-openmsx            # scores
    fluid-soundfont-gm         # the instruments for these
)
part=$folder.part
rm -rf "$part"
mkdir -p "$part"/{packages,music,speech,odd,long}
trap 'rm -rf "$part"' EXIT
cd "$part"

echo "recordings: fetching ${packages[*]}"
(cd packages && apt-get download -qq "${packages[@]}" 2>said) || fail "the packages could not be fetched: $(tail -n 1 packages/said)"
for package in packages/*.deb; do dpkg-deb --extract "$package" packages/unpacked; done

# Every third song of more than some seconds: some twenty songs are enough.
mapfile -t songs < <(find packages/unpacked -type f -name '*.ogg' -size +700k \
    \( -path '*fretsonfire*' -o -path '*hyperrogue*' -o -path '*singularity*' \) | sort | awk 'NR % 3 == 2')
[ ${#songs[@]} -ge 10 ] || fail "the packages hold ${#songs[@]} songs; they are not those known here"
for index in "${!songs[@]}"; do
    cp "${songs[index]}" "music/$(printf '%02d' "$index")-${songs[index]##*/}"
done
song=$(find music -name '*.ogg' | sort | head -n 1)

soundfont=$(find packages/unpacked -name FluidR3_GM.sf2)
mapfile -t scores < <(find packages/unpacked -name '*.mid' | sort | head -n 3)
for score in "${scores[@]}"; do
    fluidsynth -ni -g 0.6 -r 44100 -F score.wav "$soundfont" "$score" >/dev/null 2>&1 || fail "fluidsynth cannot play $score"
    name=${score##*/}
    flac --silent --force -o "music/score-${name%.mid}.flac" score.wav
done
rm -f score.wav

# as_one RATE CHANNELS FILE...: the sound of all files, one after the other, as raw 16-bit samples, without files
# unreadable for sox.
as_one() {
    local rate=$1 channels=$2 file
    shift 2
    for file in "$@"; do sox -V1 "$file" -r "$rate" -c "$channels" -b 16 -e signed-integer -t raw - 2>/dev/null || true; done
}
encode() { ffmpeg -nostdin -loglevel error -y "$@" || fail "ffmpeg could not write ${!#}"; }

mapfile -t words < <(find packages/unpacked -path '*fillets*cs*' -name '*.ogg' -size +15k | sort)
as_one 22050 1 "${words[@]:0:600}" >speech.raw
sox -r 22050 -c 1 -b 16 -e signed-integer speech.raw speech.wav trim 0 2100
encode -i speech.wav -b:a 48k speech/tales.mp3
encode -i speech.wav -t 600 -c:a libopus -b:a 24k speech/tales.opus
encode -i speech.wav -t 300 -ar 8000 speech/phone.wav
rm -f speech.raw speech.wav

for ending in wav flac mp3 m4a opus aiff mka; do encode -i "$song" -vn "odd/song.$ending"; done
encode -f lavfi -i testsrc=size=160x120:rate=10 -i "$song" -shortest -c:v mpeg4 -c:a aac odd/video.mp4
sox -V1 "$song" -r 96000 -b 24 odd/six-channels.flac remix 1 2 1 2 1 2 trim 0 60

mapfile -t all < <(find music -name '*.ogg' | sort)
as_one 44100 2 "${all[@]}" >all.raw
rounds=$((7200 * 44100 * 4 / $(stat -c %s all.raw)))
sox -r 44100 -c 2 -b 16 -e signed-integer all.raw long/two-hours.flac repeat "$rounds" trim 0 7200
rm -rf all.raw packages

touch complete
cd /
mv "$part" "$folder"
echo "recordings: $(find "$folder"/{music,speech,odd,long} -type f | wc -l) in $folder"
