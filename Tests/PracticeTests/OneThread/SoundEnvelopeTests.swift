import AudioFiles
import Clips
import Foundation
import Sections
import SoundFileSupport
import TestSupport
import Testing

@testable import DSP
@testable import Practice
@testable import Samples
@testable import Store

/// A recording of the same sound is recognised after any change to its samples; another sound is not.
@Suite("Recognition of copies of a recording")
struct SoundEnvelopeTests {
    private static let rate = 16_000

    /// Notes of random height, length and loudness with attacks, over a little noise: as different between seeds as two
    /// songs are.
    private static func song(_ seconds: Double, seed: UInt64, tempo: Double = 1) -> [Float] {
        var random = SeededGenerator(seed: seed)
        var samples: [Float] = []
        while Double(samples.count) < seconds * Double(rate) {
            let (pitch, level) = (
                Double.random(in: 320...2000, using: &random), Double.random(in: 0.05...0.6, using: &random)
            )
            let length = Int(Double.random(in: 0.1...0.8, using: &random) / tempo * Double(rate))
            for frame in 0..<length {
                let time = Double(frame) / Double(rate)
                let envelope = min(1, time / 0.005) * exp(-time * 3)
                samples.append(
                    Float(sin(2 * .pi * pitch * time) * level * envelope)
                        + Float.random(in: -0.002...0.002, using: &random))
            }
        }
        return Array(samples.prefix(Int(seconds * Double(rate))))
    }

    private static func envelope(_ samples: [Float], rate: Int = rate) -> SoundEnvelope {
        var levels = PhraseLevels(sampleRate: rate, channelCount: 1)
        let block = PlanarBuffer(channelCount: 1, frameCount: max(1, samples.count))
        for (index, sample) in samples.enumerated() { unsafe block.channel(0)[index] = sample }
        unsafe levels.process(UnsafePointer(block.channels), frameCount: samples.count)
        return SoundEnvelope(steps: levels.levels)
    }

    @Test(
        "a copy is recognised when softer, noisy, coarse, low-passed or shifted by up to 50 ms"
    )
    func copies() throws {
        let song = Self.song(20, seed: 1)
        let kept = Self.envelope(song).bytes
        #expect(kept.count == 1001)
        var random = SeededGenerator(seed: 2)
        var last: Float = 0
        let changed: [(String, [Float])] = [
            ("the same", song), ("6 dB softer", song.map { $0 * 0.5 }),
            ("8 bits", song.map { ($0 * 127).rounded() / 127 }),
            ("noise", song.map { $0 + Float.random(in: -0.004...0.004, using: &random) }),
            (
                "low-pass",
                song.map { sample in
                    last += (sample - last) * 0.7
                    return last
                }
            ),
        ]
        for (name, samples) in changed {
            for late in [0.0, 0.0113, 0.025, 0.05, -0.03] {
                let frames = Int(late * Double(Self.rate))
                let moved =
                    frames < 0 ? Array(samples.dropFirst(-frames)) : [Float](repeating: 0, count: frames) + samples
                let match = try #require(Self.envelope(moved).match(kept))
                #expect(match.correlation > 0.99, "\(name), \(late) s: \(match)")
                #expect(abs(match.seconds - late) <= 0.0026, "\(name), \(late) s: \(match)")
            }
        }
    }

    @Test("another song, a faster take, a cut, silence and a steady tone are not taken for a copy")
    func others() {
        let song = Self.song(20, seed: 1)
        let kept = Self.envelope(song).bytes
        var cut = song
        cut.removeSubrange(100_000..<104_000)
        let others: [(String, [Float])] = [
            ("another song", Self.song(20, seed: 3)), ("faster", Self.song(20, seed: 1, tempo: 1.01)), ("cut", cut),
        ]
        for (name, samples) in others {
            let match = Self.envelope(samples).match(kept)
            #expect(match.map { $0.correlation < 0.97 } == true, "\(name): \(String(describing: match))")
        }
        let silence = Self.envelope([Float](repeating: 0, count: 20 * Self.rate))
        let tone = Self.envelope((0..<20 * Self.rate).map { Float(sin(Double($0) * 0.3)) * 0.5 })
        #expect(silence.match(silence.bytes) == nil && tone.match(tone.bytes) == nil && silence.match(kept) == nil)
        #expect(tone.match([]) == nil && tone.match([9, 1, 2]) == nil && Self.envelope([]).match(kept) == nil)
    }

    @Test("sections of a copy at another rate are offered while none exist, and adopted in one step")
    func adoption() throws {
        let scratch = try Scratch()
        let song = Self.song(10, seed: 5)
        let first = scratch.path + "/song.wav"
        let second = scratch.path + "/copy.wav"
        try writeWave(first, [song], sampleRate: Self.rate)
        // Every sample twice: another rate, the same sound.
        try writeWave(second, [song.flatMap { [$0, $0] }], sampleRate: 2 * Self.rate)
        let store = try PracticeStore(.file(scratch.path + "/store/practice.db"))
        let original = try PracticeRecording(of: try AudioFileInfo(path: first))
        let copy = try PracticeRecording(of: try AudioFileInfo(path: second))
        #expect(try store.copy(of: copy) == nil)
        try store.apply(.mark(frame: 80_000, name: "Solo"), to: original)
        try store.apply(
            .add([SectionDraft(16_001..<32_003, name: "Riff", isHard: true, settings: ["speed": "70%"])]), to: original)
        let found = try #require(try store.copy(of: copy))
        #expect(found.stored.recording.key == original.key && found.seconds == 0 && found.correlation ?? 0 > 0.999)
        let change = try store.adopt(found, for: copy)
        #expect(change.added.map(\.frames) == [0..<160_000, 32_002..<64_006, 160_000..<320_000])
        #expect(change.added.map(\.name) == ["", "Riff", "Solo"] && change.added[1].settings == ["speed": "70%"])
        #expect(try store.copy(of: copy) == nil && store.copy(of: original) == nil)
        #expect(try store.undo(copy.key).added.isEmpty && store.sections(of: copy).sections.isEmpty)
        // Without its file, the envelope stored during playing is enough.
        try store.listen(to: original)
        try FileManager.default.removeItem(atPath: first)
        #expect(try store.copy(of: copy)?.stored.recording.key == original.key)
        #expect(try store.copy(of: copy, goesOn: { false }) == nil)
    }

    @Test(
        "a copy is recognised in every encoding that musicians use",
        arguments: [
            "mp3 -b:a 64k", "mp3 -q:a 6", "ogg -c:a libvorbis -q:a 0", "opus -b:a 32k", "m4a -b:a 64k", "flac",
            "wav -ar 22050",
            "mp3 -ar 32000 -b:a 96k",
        ])
    func encodings(encoding: String) throws {
        let scratch = try Scratch()
        let parts = encoding.split(separator: " ").map(String.init)
        let (first, second) = (scratch.file("song.wav"), scratch.file("copy." + parts[0]))
        try writeWave(first, [Self.song(10, seed: 8)], sampleRate: Self.rate)
        _ = try run(arguments: ["ffmpeg", "-v", "error", "-i", first] + parts.dropFirst() + [second])
        let store = try PracticeStore(.memory)
        let original = try PracticeRecording(of: try AudioFileInfo(path: first))
        try store.apply(.mark(frame: 8000), to: original)
        let copy = try #require(try store.copy(of: try PracticeRecording(of: try AudioFileInfo(path: second))))
        #expect(copy.stored.recording.key == original.key && abs(copy.seconds) <= 0.03)
        print("\(encoding): correlation \(copy.correlation ?? 0), later by \(copy.seconds) s")
    }

    @Test("a truncated file is offered its former sections, and those behind the cut are counted")
    func cut() throws {
        let scratch = try Scratch()
        let path = scratch.path + "/song.wav"
        let song = Self.song(5, seed: 6)
        try writeWave(path, [song], sampleRate: Self.rate)
        let store = try PracticeStore(.memory)
        let original = try PracticeRecording(of: try AudioFileInfo(path: path))
        let drafts = [SectionDraft(0..<8000, name: "A"), SectionDraft(60_000..<80_000, name: "B")]
        try store.apply(.add(drafts + [SectionDraft(70_000..<72_000, name: "C")]), to: original)
        #expect(try store.copy(of: original) == nil)
        try writeWave(path, [Array(song.prefix(64_000))], sampleRate: Self.rate)
        let recording = try PracticeRecording(of: try AudioFileInfo(path: path))
        let found = try #require(try store.copy(of: recording))
        #expect(found.stored.recording.key == original.key && found.correlation == nil)
        let change = try store.adopt(found, for: recording)
        #expect(change.summary == "took over 2 of 3 sections")
        #expect(change.added.map(\.name) == ["A", "B"] && change.added.last?.frames == 60_000..<64_000)
        // The original keeps all its sections for the return of the whole file.
        #expect(try store.sections(of: original.key)?.sections.count == 3)
    }

    @Test("no copy is recognised once another file has replaced the known file")
    func replaced() throws {
        let scratch = try Scratch()
        let (first, second) = (scratch.path + "/song.wav", scratch.path + "/copy.wav")
        let song = Self.song(5, seed: 6)
        try writeWave(first, [song], sampleRate: Self.rate)
        try writeWave(second, [song.map { $0 * 0.9 }], sampleRate: Self.rate)
        let store = try PracticeStore(.memory)
        let original = try PracticeRecording(of: try AudioFileInfo(path: first))
        try store.apply(.mark(frame: 8000), to: original)
        try FileManager.default.removeItem(atPath: first)
        try FileManager.default.moveItem(atPath: second, toPath: first)
        try writeWave(second, [song.map { $0 * 0.8 }], sampleRate: Self.rate)
        #expect(try store.copy(of: try PracticeRecording(of: try AudioFileInfo(path: second))) == nil)
    }
}
