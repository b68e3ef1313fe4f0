import AudioFiles
import Queue
import Testing

@Suite("Gain that levels a recording")
struct LevelGainTests {
    @Test("the levelling gain is that of the tags, limited by the peak")
    func tags() throws {
        let tags = LoudnessTags(trackGain: -6.5, albumGain: 3, trackPeak: 0.9, albumPeak: 1)
        #expect(LevelGain.decibels(tags) == -6.5)
        #expect(LevelGain.decibels(tags, .album) == 0)
        // A peak of half of full scale leaves 6.02 dB.
        let quiet = try #require(LevelGain.decibels(LoudnessTags(trackGain: 9, trackPeak: 0.5)))
        #expect(abs(quiet - 6.0206) < 1e-4)
        #expect(LevelGain.decibels(LoudnessTags(albumGain: 2)) == 2)
        #expect(LevelGain.decibels(LoudnessTags(trackPeak: 0.5)) == nil)
    }

    @Test("the levelling gain brings a recording to -18 LUFS, with its true peak at most at -1 dB")
    func measured() {
        #expect(LevelGain.decibels(loudness: -10, truePeak: 0) == -8)
        #expect(LevelGain.decibels(loudness: -23, truePeak: -10) == 5)
        #expect(LevelGain.decibels(loudness: -23, truePeak: -3) == 2)
        #expect(LevelGain.decibels(loudness: -18, truePeak: 1.5) == -2.5)
        #expect(LevelGain.decibels(loudness: -.infinity, truePeak: -.infinity) == 0)
        #expect(LevelGain.decibels(loudness: .nan, truePeak: 0) == 0)
    }
}
