#!/usr/bin/env bash
# Draws the spectrograms in docs/images/: a voice, drums and a chord made up by the benchmark, at half speed by Woodshed and
# by Rubber Band R3, below their sources. Needs what `make bench` needs, and ffmpeg.
set -euo pipefail
cd "$(dirname "$0")/.."

swift build -c release --package-path Benchmarks --product StretchBenchmark
program=$(swift build -c release --package-path Benchmarks --show-bin-path)/StretchBenchmark
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$program" --write "$folder"

# draw SOUND WHO TITLE: one panel.
draw() {
    local raw=(-t raw -e floating-point -b 32 -c 1 -r 44100 "$folder/$1-$2.f32")
    sox "${raw[@]}" -n rate 22050 spectrogram -m -l -h -x 800 -y 160 -z 80 -t "$3" -o "$folder/$1-$2.png"
}
mkdir -p docs/images
for sound in voice drums chord; do
    draw $sound source "$sound, the source at 100 %"
    draw $sound woodshed "$sound at 50 %, Woodshed"
    draw $sound rubberband_r3 "$sound at 50 %, Rubber Band R3"
    ffmpeg -v error -y -i "$folder/$sound-source.png" -i "$folder/$sound-woodshed.png" \
        -i "$folder/$sound-rubberband_r3.png" -filter_complex 'vstack=inputs=3,format=gray' -compression_level 100 \
        "docs/images/stretch-$sound.png"
done
