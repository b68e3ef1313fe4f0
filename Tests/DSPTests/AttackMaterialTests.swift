import DSPHarness
import TestSupport
import Testing

@testable import Samples
@testable import Stretching

@Suite("Attack material")
struct AttackMaterialTests {
    /// A chord with short bursts of noise at known frames, and their onsets.
    private func bursts(at places: [Int], frameCount: Int, channelCount: Int = 1, sampleRate: Int = 44100)
        -> (source: [[Float]], onsets: [Onset])
    {
        var random = SeededGenerator(seed: 11)
        let chord = tones([220, 277.2, 1329.6], amplitude: 0.05, frameCount: frameCount, sampleRate: sampleRate)
        var source = (0..<channelCount).map { channel in chord.map { $0 / Float(channel + 1) } }
        for place in places {
            for channel in source.indices {
                for index in 0..<min(1000, frameCount - place) {
                    source[channel][place + index] += random.float() * 0.5 * (1 - Float(index) / 1000)
                }
            }
        }
        return (source, places.map { Onset(cut: Int64($0), attack: Int64($0), strength: 20) })
    }

    /// The source as the sum of the record's voices and snippet at speed 1.
    private func rebuilt(_ record: AttackRecord, _ split: SplitSource, channel: Int, in range: Range<Int64>) -> [Float]
    {
        let sum = FloatStorage(count: range.count)
        for band in StretchBand.allCases {
            let samples = split.samples(of: band)
            let part = record.band(band)
            let factor = Int64(samples.factor)
            let change = SegmentChange(length: record.change, isStop: record.isStop, factor: samples.factor)
            func voice(_ index: Int64) -> Float {
                let one = FloatStorage(count: 1)
                let place = Int(index - samples.firstIndex)
                let real = samples.channels[channel].indices.contains(place) ? samples.channels[channel][place] : 0
                part.ahead.read(channel: channel, from: index, into: one.view)
                let old = index < part.early ? real : one.view[0]
                part.behind.read(channel: channel, from: index, into: one.view)
                let new = index >= part.whole ? real : one.view[0]
                let share = change.share(framesAfterCut: Double(index * factor - record.cut))
                return old + share * (new - old)
            }
            if factor == 1 {
                for (place, frame) in range.enumerated() { sum.view[place] += voice(frame) }
                continue
            }
            let interpolator = BandInterpolator(factor: samples.factor)
            let first = range.lowerBound / factor - 8
            let voices = FloatStorage((first..<range.upperBound / factor + 9).map(voice))
            for (place, frame) in range.enumerated() {
                let run = voices.view.part(
                    from: Int(frame / factor - first) - BandShape.reach + 1, count: BandInterpolator.sampleCount)
                sum.view[place] += interpolator.value(run, frame: Int(frame % factor))
            }
        }
        record.snippet.add(channel: channel, from: range.lowerBound - record.cut, to: sum.view)
        return (0..<range.count).map { sum.view[$0] }
    }

    @Test("at speed 1 voices and snippet add up to the source")
    func addsUp() throws {
        let (source, onsets) = bursts(at: [30_011, 36_000], frameCount: 66_000, channelCount: 2)
        let block = SourceBlock(source, firstFrame: 0, sampleRate: 44100)
        let material = AttackMaterial(onsets: onsets, in: 1..<66_000, of: block)
        #expect(material.records.count == 2)
        let split = SplitSource(block)
        for (record, place) in zip(material.records, [30_011, 36_000]) {
            #expect(record.cut == Int64(place))
            let range = Int64(place - 2000)..<Int64(place + 1500)
            for channel in 0..<2 {
                let sum = rebuilt(record, split, channel: channel, in: range)
                let wrong = zip(range, sum).map { abs($1 - source[channel][Int($0)]) }.max() ?? 1
                // Snippets are right to 96 dB below their own peak, at most 1 here.
                #expect(wrong < 4e-5)
            }
        }
    }

    @Test("an attack after silence lies wholly in the snippet, and silence precedes it")
    func outOfSilence() throws {
        var source = [Float](repeating: 0, count: 60_000)
        for index in 0..<150 { source[30_000 + index] = index % 2 == 0 ? 0.65 : -0.65 }
        let block = SourceBlock([source], firstFrame: 0, sampleRate: 44100)
        let onset = Onset(cut: 29_990, attack: 30_000, strength: 60)
        let material = AttackMaterial(onsets: [onset], in: 1..<60_000, of: block)
        // The record is a view of memory that the material owns.
        defer { withExtendedLifetime(material) {} }
        let record = try #require(material.records.first)
        let snippet = FloatStorage(count: 1200)
        record.snippet.read(channel: 0, from: -900, into: snippet.view)
        // The low band's samples lie 16 frames apart and reach 96 frames back through the interpolator; these and the
        // change of voices of 31 frames are the range in which the new voice may be audible before the cut. Further out
        // the filters end.
        #expect((0..<773).allSatisfy { abs(snippet.view[$0]) < 1e-5 })
        // The bands below 800 Hz ring on after the attack; this remainder, and later the returning source, comes from
        // the new voice.
        #expect((910..<1010).allSatisfy { abs(snippet.view[$0] - source[29_990 + $0 - 900]) < 0.1 })
    }

    @Test("attack records do not depend on the division of the recording into blocks", .enabled(if: Workload.isWhole))
    func anyBlocks() {
        let places = stride(from: 20_000, to: 270_000, by: 9_007).map { $0 }
        let (source, onsets) = bursts(at: places, frameCount: 290_000)
        let whole = AttackMaterial(
            onsets: onsets, in: 0..<290_000, of: SourceBlock(source, firstFrame: 0, sampleRate: 44100))
        let context = AttackMaterial.contextFrames(sampleRate: 44100)
        let parts = [0..<70_001, 70_001..<155_555, 155_555..<290_000].map { range in
            let known = max(0, range.lowerBound - context)..<min(290_000, range.upperBound + context)
            let block = SourceBlock(
                [Array(source[0][known])], firstFrame: Int64(known.lowerBound), sampleRate: 44100)
            let near = onsets.filter { known.contains(Int($0.cut)) }
            return AttackMaterial(onsets: near, in: Int64(range.lowerBound)..<Int64(range.upperBound), of: block)
        }
        let (one, joined) = (AttackTable([whole]), AttackTable(parts.reversed()))
        #expect(one.list.count == places.count + 1 && joined.list.count == one.list.count)
        for index in 0..<one.list.count {
            let (a, b) = (one.list[index], joined.list[index])
            #expect(a.cut == b.cut && a.whole == b.whole)
            #expect(samples(a.snippet) == samples(b.snippet))
            for band in StretchBand.allCases {
                #expect(samples(a.band(band).ahead) == samples(b.band(band).ahead))
                #expect(samples(a.band(band).behind) == samples(b.band(band).behind))
            }
        }
    }

    private func samples(_ packed: PackedSamples) -> [Float] {
        let target = FloatStorage(count: packed.count)
        packed.read(channel: 0, from: packed.first, into: target.view)
        return (0..<packed.count).map { target.view[$0] }
    }

    @Test("an attack list counts the cuts up to a frame")
    func findsCuts() {
        let (source, onsets) = bursts(at: [3000, 9000, 15_000], frameCount: 20_000)
        let block = SourceBlock(source, firstFrame: 0, sampleRate: 44100)
        let table = AttackTable([AttackMaterial(onsets: onsets, in: 0..<20_000, of: block, bands: .one)])
        // The recording's own beginning counts as a cut.
        for (frame, count) in [(-1, 0), (0, 1), (2999, 1), (3000, 2), (14_999, 3), (15_000, 4), (99_999, 4)] {
            #expect(table.list.countOfCuts(through: Int64(frame)) == count)
        }
        #expect(AttackList.empty.countOfCuts(through: 5) == 0)
        #expect(AttackTable([]).list.count == 0)
    }

    @Test(
        "onsets too close to one another, at the edges or outside the recording are accepted",
        .enabled(if: Workload.isWhole),
        arguments: [8000, 44100, 192_000])
    func crowdedOnsets(sampleRate: Int) {
        let frameCount = sampleRate / 4
        let places = [0, 1, 50, 51, 52, 300, 305, frameCount / 2, frameCount - 2, frameCount - 1]
        let (source, onsets) = bursts(
            at: places, frameCount: frameCount, channelCount: 3, sampleRate: sampleRate)
        let block = SourceBlock(source, firstFrame: 0, sampleRate: sampleRate)
        for bands in [StretchBands.one, .three] {
            let material = AttackMaterial(onsets: onsets, in: 0..<Int64(frameCount), of: block, bands: bands)
            for (record, next) in zip(material.records, material.records.dropFirst()) {
                #expect(record.cut <= record.attack && record.attack <= record.whole && record.whole <= next.cut)
            }
            #expect(material.records.allSatisfy { samples($0.snippet).allSatisfy { abs($0) < 20 } })
        }
    }

    @Test("soft attacks get no record, but stops and the recording's beginning do")
    func softAttacks() {
        let (source, _) = bursts(at: [], frameCount: 20_000)
        let onsets = [
            Onset(cut: 5000, attack: 5010, strength: 2), Onset(cut: 9000, attack: 9010, strength: 3.5),
            Onset(cut: 12_000, attack: 12_200, strength: 2, kind: .stop),
            Onset(cut: 16_000, attack: 16_010, strength: 1, trebleRise: 5),
            Onset(cut: 18_000, attack: 18_010, strength: 1, trebleRise: 7),
        ]
        let block = SourceBlock(source, firstFrame: 0, sampleRate: 44100)
        let material = AttackMaterial(onsets: onsets, in: 0..<20_000, of: block, bands: .one)
        // The last attack is audible above 1 kHz, though in few bands.
        #expect(material.records.map(\.attack) == [0, 9010, 12_200, 18_010])
        #expect(material.records.map(\.isStop) == [false, false, true, false])
        // Nothing is copied where a sound stops, and the silence begins at once.
        #expect(material.records[2].snippet.count == 0 && material.records[2].cut == 12_200)
    }

    @Test("the attack material of a minute with five onsets a second stays below 20 MB")
    func memory() {
        let (source, onsets) = bursts(at: [20_000, 28_820, 37_640], frameCount: 50_000, channelCount: 2)
        let block = SourceBlock(source, firstFrame: 0, sampleRate: 44100)
        let material = AttackMaterial(onsets: onsets, in: 1..<50_000, of: block)
        #expect(material.byteCount / 3 * 300 < 20_000_000)
    }
}
