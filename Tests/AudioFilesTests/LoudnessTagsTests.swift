import SoundFileSupport
import Testing

@testable import AudioFiles

@Suite("Loudness tags")
struct LoudnessTagsTests {
    @Test("ReplayGain tags are read as gains in dB and peaks as factors, in every spelling")
    func values() {
        let tags = LoudnessTags([
            ("REPLAYGAIN_TRACK_GAIN", "-6.54 dB"), ("replaygain_track_peak", " 0.988 "),
            ("Replaygain_Album_Gain", "+2.10dB"), ("REPLAYGAIN_ALBUM_PEAK", "1.2"), ("R128_TRACK_GAIN", "256"),
        ])
        #expect(tags == LoudnessTags(trackGain: -6.54, albumGain: 2.1, trackPeak: 0.988, albumPeak: 1.2))
    }

    @Test("R128 gains of Opus are read as 256ths of a dB from -23 LUFS, 5 dB below ReplayGain")
    func r128() {
        #expect(LoudnessTags([("R128_TRACK_GAIN", "0")]).trackGain == 5)
        #expect(
            LoudnessTags([("r128_track_gain", "-2560"), ("R128_ALBUM_GAIN", "384")])
                == LoudnessTags(trackGain: -5, albumGain: 6.5))
    }

    @Test(
        "loudness tags without a number, or with an impossible number, are left out",
        arguments: ["", "loud", "nan dB", "inf", "900 dB", "-1e9", "6 dB dB", "0x10p9"])
    func nonsense(text: String) {
        #expect(LoudnessTags([("replaygain_track_gain", text), ("replaygain_track_peak", "-1")]).isEmpty)
        #expect(LoudnessTags([("R128_TRACK_GAIN", text), ("R128_ALBUM_GAIN", "40000")]).isEmpty)
    }

    @Test(
        "loudness tags are read from the files that common programs write",
        arguments: [
            "flac -s -T REPLAYGAIN_TRACK_GAIN=-3.25\\ dB -T REPLAYGAIN_TRACK_PEAK=0.5 -o OUT IN",
            "oggenc -Q -c REPLAYGAIN_TRACK_GAIN=-3.25\\ dB -c REPLAYGAIN_TRACK_PEAK=0.5 -o OUT IN",
            "opusenc --quiet --comment R128_TRACK_GAIN=-2112 --comment REPLAYGAIN_TRACK_PEAK=0.5 IN OUT",
            "lame --quiet --tv TXXX=replaygain_track_gain=-3.25\\ dB --tv TXXX=REPLAYGAIN_TRACK_PEAK=0.5 IN OUT",
            "ffmpeg -v error -i IN -metadata REPLAYGAIN_TRACK_GAIN=-3.25\\ dB -metadata REPLAYGAIN_TRACK_PEAK=0.5 -f mp3 OUT",
            "ffmpeg -v error -i IN -metadata REPLAYGAIN_TRACK_GAIN=-3.25\\ dB -metadata REPLAYGAIN_TRACK_PEAK=0.5 -c:a aac -f matroska OUT",
        ])
    func files(make: String) throws {
        let scratch = try Scratch()
        try writeWave(scratch.file("in.wav"), music(frameCount: 20_000))
        let words = make.replacing("\\ ", with: "\u{1}").split(separator: " ").map { word in
            word == "IN"
                ? scratch.file("in.wav")
                : word == "OUT" ? scratch.file("out") : String(word).replacing("\u{1}", with: " ")
        }
        try run(arguments: words)
        let tags = try LoudnessTags(of: AudioFileInfo(path: scratch.file("out")))
        #expect(tags == LoudnessTags(trackGain: -3.25, trackPeak: 0.5))
    }
}
