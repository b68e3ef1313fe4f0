// A take beside its model, as heard: places, loudness, and refused pairs.
import AudioFiles
import Clips
import DSP
import Engine
import Explanations
import Glibc
import SoundFileSupport
import TestSupport
import Testing

@testable import Practice
@testable import Store

@Suite("Pair of a take and its model")
struct HeardPairTests {
    private static let rate = PairMaterial.rate

    private func kind(_ body: () throws -> Void) -> HearingError.Kind? {
        do { try body() } catch { return (error as? HearingError)?.kind }
        return nil
    }

    @Test("a take lies on its model to the frame, for any beginning, and also at another rate")
    func place() throws {
        let clicks = [0, 4800, 30_000, 47_999]
        let song = PairMaterial.impulses(clicks.map { $0 + 12_000 }, count: 96_000)
        let material = try PairMaterial([song])
        for start in [0, 1, 777, 20_000, -1, -3000] {
            // The sound that the take's player heard, at the frame of hearing.
            let taken = PairMaterial.impulses(clicks.map { $0 + start }, count: 50_000 + max(0, start))
            let take = try material.take([taken], frames: 12_000..<60_000, start: Double(start))
            let pair = try HeardPair(of: take, in: material.recording, key: material.key)
            let lanes = try pair.lanes()
            let heard = clicks.filter { $0 + start >= 0 }
            #expect(lanes[0].indices.filter { abs(lanes[0][$0]) > 0.1 } == clicks.dropLast())
            // The last impulse lies where the model fades out.
            #expect(lanes[0][47_999] > 0 && lanes[0][47_999] < 0.1)
            // For a take that begins before the model, the fade lies on the first frame.
            let first = start > 0 ? 1 : 0
            #expect(
                lanes[2].indices.filter { abs(lanes[2][$0]) > 0.1 } == Array(heard.dropFirst(first)), "start \(start)")
        }
        // Half the rate: every second frame.
        let slow = PairMaterial.impulses([500 + 2400, 500 + 15_000], count: 30_000)
        let take = try material.take([slow], rate: 24_000, frames: 12_000..<60_000, start: 500)
        let lanes = try HeardPair(of: take, in: material.recording, key: material.key).lanes()
        let peaks = [4800, 30_000].map { place in
            (place - 50..<place + 50).max { lanes[2][$0] < lanes[2][$1] }
        }
        #expect(peaks == [4800, 30_000])
    }

    @Test("a take and its model are copied where no change is needed, and fade where they are cut")
    func copies() throws {
        let material = try PairMaterial()
        let song = try decode(material.scratch.file("song.wav"))
        let taken = song.map { Array($0[48_000 - 700..<200_000]) }
        let take = try material.take(taken, frames: 48_000..<144_000, start: 700)
        let pair = try HeardPair(of: take, in: material.recording, key: material.key)
        #expect(abs(pair.matchDecibels) < 0.2 && pair.frameCount == 200_000 - 48_000)
        let lanes = try pair.lanes()
        for channel in 0..<2 {
            #expect(lanes[channel][..<95_000].elementsEqual(song[channel][48_000..<143_000]))
            #expect(abs(lanes[channel][95_999]) < 0.001 && lanes[channel][96_000...].allSatisfy { $0 == 0 })
            #expect(abs(lanes[2 + channel][0]) < 0.001)
            // As loud as its model, and so almost the same.
            let distance = zip(lanes[channel][1000..<95_000], lanes[2 + channel][1000..<95_000]).map { abs($0 - $1) }
            #expect(distance.max().map { $0 < 0.02 } == true)
        }
        #expect(lanes[4].indices.allSatisfy { lanes[4][$0] == (lanes[0][$0] + lanes[1][$0]) / 2 })
        #expect(lanes[5].indices.allSatisfy { lanes[5][$0] == (lanes[2][$0] + lanes[3][$0]) / 2 })
        let mixed = try HeardPair(of: take, in: material.recording, key: material.key, mixes: true).lanes()
        #expect(mixed[5].indices.allSatisfy { mixed[5][$0] == (lanes[1][$0] + lanes[3][$0]) / 2 })
    }

    @Test(
        "the model has the speed and pitch of the take, as the player renders them",
        .enabled(if: Workload.isWhole, "the stretcher takes a minute unoptimised"))
    func rendered() throws {
        let material = try PairMaterial()
        let frames: Range<Int64> = 24_000..<168_000
        let passage = ComparedPassage(
            clip: material.recording, frames: frames, speed: try Speed(factor: 0.75), pitch: try Pitch(semitones: 2))
        let score = try passage.score()
        let length = try #require(score.frameCount)
        let sound = try OfflineSound(material.recording, score)
        var left: [Float] = []
        while try unsafe sound.next({ channels, count in
            unsafe left += unsafe UnsafeBufferPointer(start: channels[0], count: count)
        }) {}
        let take = try material.take(
            [Array(repeating: 0, count: Int(length))], frames: frames, start: 0, speed: 0.75, semitones: 2)
        let pair = try HeardPair(of: take, in: material.recording, key: material.key)
        let lanes = try pair.lanes()
        #expect(pair.layout.modelFrames == length && Int64(left.count) == length)
        #expect(lanes[0].dropLast(300).elementsEqual(left.dropLast(300)))
    }

    @Test(
        "a take is as loud as its model within 0.5 LU, within bounds, and never clips",
        arguments: cases([-24.0, -12, 0, 9], few: [-12]))
    func loudness(decibels: Double) throws {
        let material = try PairMaterial()
        let song = try decode(material.scratch.file("song.wav"))
        let factor = Float(pow(10, decibels / 20)) * 0.4
        // A single peak, which would clip if the take were simply turned up.
        var taken = song.map { $0.map { $0 * factor } }
        taken[0][100_000] = 0.9
        let take = try material.take(taken, frames: 0..<288_000, start: 0)
        let pair = try HeardPair(of: take, in: material.recording, key: material.key)
        let lanes = try pair.lanes()
        func reading(_ lanes: [[Float]]) throws -> ProgrammeReading {
            try ProgrammeReading(measuring: Clip.inMemory(lanes, sampleRate: Self.rate))
        }
        let (model, heard) = (try reading(Array(lanes[0...1])), try reading(Array(lanes[2...3])))
        #expect(abs(pair.matchDecibels) <= 18 && heard.truePeakDecibels <= 0)
        let distance = model.loudness.integrated - heard.loudness.integrated
        if decibels > -10 || abs(pair.matchDecibels) < 18 { #expect(abs(distance) < 0.5, "\(distance)") }
    }

    @Test("a silent take stays silent, and a take too short for the meters is matched by its power")
    func shortAndSilent() throws {
        let material = try PairMaterial()
        let silent = try material.take([[Float](repeating: 0, count: 48_000)], frames: 0..<96_000, start: 0)
        #expect(try HeardPair(of: silent, in: material.recording, key: material.key).matchDecibels == 0)
        let tone = (0..<9600).map { 0.05 * sin(Float($0) * 0.1) }
        let short = try material.take([tone], frames: 0..<96_000, start: 0)
        let pair = try HeardPair(of: short, in: material.recording, key: material.key)
        #expect(pair.matchDecibels > 3 && pair.matchDecibels <= 18)
    }

    @Test("is finite in every channel, however large the samples are")
    func finite() throws {
        let loud = [Float](repeating: .greatestFiniteMagnitude, count: 96_000)
        let material = try PairMaterial([loud])
        let take = try material.take([loud], frames: 0..<48_000, start: 0)
        for mixes in [false, true] {
            let pair = try HeardPair(of: take, in: material.recording, key: material.key, mixes: mixes)
            #expect(try pair.lanes().allSatisfy { $0.allSatisfy(\.isFinite) })
        }
    }

    @Test("a take of an answer in the gap lies on the model as if the model were played again")
    func answers() throws {
        let song = PairMaterial.impulses([12_000, 30_000], count: 96_000)
        let material = try PairMaterial([song])
        // The pass of one second is over at frame 200 of the take.
        let taken = PairMaterial.impulses([200, 18_200], count: 40_000)
        let take = try material.take([taken], frames: 12_000..<60_000, start: 200 - 48_000)
        let lanes = try HeardPair(of: take, in: material.recording, key: material.key).lanes()
        #expect(lanes[0][18_000] > 0.1 && lanes[2][18_000] > 0.1)
        // A take of several passes follows the model, though most of the take comes later.
        #expect(!PairLayout.isAnswer(start: 0, takeFrames: 300_000, length: 48_000))
        #expect(!PairLayout.isAnswer(start: -1000, takeFrames: 300_000, length: 48_000))
    }

    @Test("a take of a long passage is heard from the loop on, for five minutes at most")
    func long() throws {
        let clip = try Clip.inMemory([[Float](repeating: 0, count: 1000)], sampleRate: 10)
        func layout(
            _ start: Double, take: Int64, place: Int64?, speed: Double = 1, from first: Int64 = 0
        ) -> PairLayout? {
            let model = StoredTake.Model(
                key: RecordingKey(high: 1, low: 2), frames: first..<1000, speed: speed, start: start)
            return PairLayout(
                model, takeRate: 10, takeFrames: take, in: clip, window: .init(seconds: 20, place: place))
        }
        #expect(layout(0, take: 1000, place: nil)?.modelRange == 0..<200)
        #expect(layout(0, take: 1000, place: 300)?.modelRange == 300..<500)
        let later = layout(0, take: 1000, place: 300)
        #expect(later?.takeStart == 300 && later?.isModelCut == true)
        #expect(layout(0, take: 1000, place: 950)?.modelRange == 800..<1000)
        #expect(layout(0, take: 400, place: 950)?.modelRange == 200..<400)
        #expect(layout(-600, take: 300, place: 0)?.modelRange.contains(650) == true)
        let slow = layout(50, take: 3000, place: 300, speed: 0.5)
        #expect(slow?.modelRange == 300..<400 && slow?.takeStart == 650 && slow?.modelFrames == 200)
        #expect(layout(5000, take: 300, place: 0) == nil && layout(.nan, take: 300, place: 0) == nil)
        // Any place counts as the nearest place of the passage.
        #expect(layout(0, take: 1000, place: .min, from: 500)?.modelRange == 500..<700)
        #expect(layout(0, take: 1000, place: .max, from: 500)?.modelRange == 800..<1000)
    }

    @Test("a take that is missing, damaged or without its model is refused with a remedy")
    func refusals() throws {
        let material = try PairMaterial()
        let tone = [[Float](repeating: 0.1, count: 48_000)]
        let good = try material.take(tone, frames: 0..<48_000, start: 0)
        func hear(_ take: StoredTake, isCancelled: () -> Bool = { false }) throws {
            _ = try HeardPair(of: take, in: material.recording, key: material.key, isCancelled: isCancelled)
        }
        #expect(kind { try hear(good) } == nil)
        #expect(kind { try hear(good, isCancelled: { true }) } == .cancelled)
        if Workload.isWhole {
            var calls = 0
            let slow = try material.take(tone, frames: 0..<200_000, start: 0, speed: 0.5, named: "slow.wav")
            let cancelled = kind {
                try hear(slow) {
                    calls += 1
                    return calls > 2
                }
            }
            #expect(cancelled == .cancelled && calls == 3)
        }
        let other = try material.take(
            tone, frames: 0..<48_000, start: 0, key: RecordingKey(high: 1, low: 2), named: "other.wav")
        #expect(kind { try hear(other) } == .otherRecording)
        #expect(kind { try hear(try material.take(tone, frames: 0..<48_000, start: 90_000)) } == .nothingInCommon)
        #expect(kind { try hear(try material.take(tone, frames: 900_000..<948_000, start: 0)) } == .nothingInCommon)
        let text = try material.take(tone, frames: 0..<48_000, start: 0, named: "text.wav")
        _ = try material.scratch.write("text.wav", Array("no sound".utf8))
        #expect(kind { try hear(text) } == .unreadable)
        let gone = try material.take(tone, frames: 0..<48_000, start: 0, named: "gone.wav")
        _ = unsafe unlink(gone.path)
        do { try hear(gone) } catch let error as HearingError {
            #expect(error.kind == .gone && error.message.contains(gone.path) && !error.remedy.isEmpty)
        }
        let alone = StoredTake(
            number: 1, path: good.path, sound: good.sound, model: nil, name: "", note: "", rating: nil, trashedAt: nil)
        #expect(kind { try hear(alone) } == .noModel)
        // Without a free descriptor, a later attempt may succeed.
        let opened = try OpenedTake(good, in: material.recording, key: material.key)
        let full = AudioFileError.reading(opened.clip.info.path, errno: EMFILE)
        let limited = try #require(opened.explained(full) as? HearingError)
        #expect(limited.kind == .unreadable && limited.exitStatus == .tryAgain && limited.remedy == full.remedy)
    }

    @Test("a pair is written to a file with the model left and the take right, whole or not at all")
    func export() throws {
        let clicks = [4800, 30_000]
        let song = PairMaterial.impulses(clicks.map { $0 + 12_000 }, count: 96_000)
        let material = try PairMaterial([song])
        let taken = PairMaterial.impulses(clicks.map { $0 + 777 }, count: 50_000, height: 0.25)
        let take = try material.take([taken, taken], frames: 12_000..<60_000, start: 777)
        let path = material.scratch.file("pair.wav")
        func write(matches: Bool = false, isCancelled: () -> Bool = { false }) throws -> Int64 {
            try PairExport.write(
                take, in: material.recording, key: material.key, to: path, format: .wave(), matches: matches,
                isCancelled: isCancelled)
        }
        #expect(kind { _ = try write(isCancelled: { true }) } == .cancelled)
        #expect(!material.scratch.names.contains("pair.wav"))
        let count = try write()
        let sides = try decode(path)
        #expect(sides.count == 2 && Int64(sides[0].count) == count && count == 50_000 - 777)
        for frame in sides[0].indices {
            let isClick = clicks.contains(frame)
            guard sides[0][frame] != (isClick ? 0.5 : 0) || sides[1][frame] != (isClick ? 0.25 : 0) else { continue }
            Issue.record("frame \(frame): \(sides[0][frame]), \(sides[1][frame])")
        }
        _ = try write(matches: true)
        let matched = try decode(path)
        #expect(abs(matched[1][4800] - matched[0][4800]) < 0.02, "\(matched[1][4800])")
    }
}
