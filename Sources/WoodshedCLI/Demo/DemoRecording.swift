// The recording of `woodshed demo`: synthesised, so without file, licence or network. A bar of plucked strings, the
// same bar with bass and drums, and a few speech-like syllables: sharp attacks, held notes and formants, all of which
// slowing down can spoil. The same rate gives the same samples.
internal import Samples

/// Sound in memory with passages to practise.
struct DemoRecording: Sendable {
    /// Left and right, each as long as the recording, full scale 1.
    let channels: [[Float]]
    /// Frames per second.
    let sampleRate: Int
    /// Named passages in frames.
    let sections: [(name: String, range: Range<Int64>)]

    /// Composes the recording.
    ///
    /// - Parameter sampleRate: Frames per second, 8000 or more.
    init(sampleRate: Int) {
        let beat = Int(0.6 * Double(sampleRate))
        let bar = 4 * beat
        let pause = beat / 2
        let speech = SyllableVoice(sampleRate: sampleRate).speak()
        var mix = StereoMix(frameCount: 2 * bar + 2 * pause + speech.count + pause)

        Self.melody(into: &mix, at: 0, beat: beat, sampleRate: sampleRate)
        let band = bar + pause
        Self.melody(into: &mix, at: band, beat: beat, sampleRate: sampleRate)
        Self.rhythm(into: &mix, at: band, beat: beat, sampleRate: sampleRate)
        let words = band + bar + pause
        mix.add(speech, at: words, left: 0.9, right: 0.9)

        channels = mix.finished(peak: 0.7)
        self.sampleRate = sampleRate
        sections = [
            ("plucked strings", 0..<Int64(bar)),
            ("strings, bass and drums", Int64(band)..<Int64(band + bar)),
            ("syllables", Int64(words)..<Int64(words + speech.count)),
        ]
    }

    /// Adds a line of eighth notes over two held notes: A minor, then F.
    private static func melody(into mix: inout StereoMix, at start: Int, beat: Int, sampleRate: Int) {
        let line = [69, 72, 76, 81, 77, 76, 72, 71]
        for (index, note) in line.enumerated() {
            let sound = PluckedString.note(note, frameCount: beat, seed: UInt64(index), sampleRate: sampleRate)
            mix.add(sound, at: start + index * beat / 2, left: 0.55, right: 0.35)
        }
        for (index, note) in [57, 53].enumerated() {
            let sound = PluckedString.note(note, frameCount: 2 * beat, seed: UInt64(90 + index), sampleRate: sampleRate)
            mix.add(sound, at: start + index * 2 * beat, left: 0.3, right: 0.5)
        }
    }

    private static func rhythm(into mix: inout StereoMix, at start: Int, beat: Int, sampleRate: Int) {
        let drums = Drums(sampleRate: sampleRate)
        for index in 0..<4 {
            let sound = index % 2 == 0 ? drums.kick() : drums.snare()
            mix.add(sound, at: start + index * beat, left: 0.6, right: 0.6)
            mix.add(drums.hat(), at: start + index * beat + beat / 2, left: 0.15, right: 0.25)
        }
        for (index, note) in [45, 45, 41, 43].enumerated() {
            let sound = PluckedString.note(note, frameCount: beat, seed: UInt64(50 + index), sampleRate: sampleRate)
            mix.add(sound, at: start + index * beat, left: 0.5, right: 0.5)
        }
    }
}

/// Two channels for mixing sounds.
struct StereoMix {
    private var left: [Float]
    private var right: [Float]

    init(frameCount: Int) {
        left = [Float](repeating: 0, count: frameCount)
        right = left
    }

    /// Adds a sound; samples past the end are left out.
    mutating func add(_ sound: [Float], at start: Int, left leftGain: Float, right rightGain: Float) {
        for index in 0..<min(sound.count, left.count - start) {
            left[start + index] += sound[index] * leftGain
            right[start + index] += sound[index] * rightGain
        }
    }

    /// Returns both channels, scaled to a peak sample of size `peak`.
    func finished(peak: Float) -> [[Float]] {
        let loudest = max(left.reduce(0) { max($0, abs($1)) }, right.reduce(0) { max($0, abs($1)) })
        let gain = loudest > 0 ? peak / loudest : 1
        return [left.map { $0 * gain }, right.map { $0 * gain }]
    }
}

/// Noise, equal on every run.
struct DemoNoise {
    private var generator: SplitMix64

    init(seed: UInt64) {
        generator = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678_9ABC_DEF1)
    }

    /// Returns the next sample, -1 ..< 1.
    mutating func next() -> Float {
        Float(Int32(truncatingIfNeeded: generator.next() >> 32)) / 2_147_483_648
    }
}
