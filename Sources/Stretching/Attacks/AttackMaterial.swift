// Attacks: data made from a recording's onsets at load time, so that a stretcher can copy attacks and stretch the rest.
//
// The separation of attacks follows Verma and Meng (1998) and Driedger, Müller and Ewert (2014); the predictions on
// both sides of a cut follow Kauppinen and Roth (2002). Our own step is to predict the segments across the cut and keep
// the attack as the remainder: the sum is exact without an exact separation. Onsets are found elsewhere, see OnsetMap.

/// The records of the onsets in one range of a recording.
///
/// Immutable, and independent of the recording's division into blocks, if each block and each list of onsets reach
/// ``contextFrames(sampleRate:)`` beyond the range on either side (or to the end of the recording).
package final class AttackMaterial: Sendable {
    /// One record for each onset of the range, by rising cuts.
    let records: [AttackRecord]
    /// Points of the range at which steady sound begins or ends.
    let steadyChanges: [SteadyChange]
    /// Period of the voice that dominates the range's treble, where a voice does.
    let voicePeriods: [VoicePeriod]
    /// The bands of the stretchers for which the records are made.
    package let bands: StretchBands
    /// Bytes of memory: about 39 KB an onset in stereo at 44.1 kHz.
    package let byteCount: Int
    private let storage: PackedStorage

    /// Makes records.
    ///
    /// - Parameters:
    ///   - onsets: By rising cuts, including onsets around `range`: a neighbour limits the samples to learn from.
    ///     Onsets whose cut lies before the attack of the previous onset are left out, as are attacks of less than 3
    ///     dB.
    ///   - range: Frames of the recording; onsets with a cut in the range get a record. If the range holds frame 0, the
    ///     recording's beginning, before which there is nothing, gets a record too.
    ///   - source: The recording in and around `range`.
    ///   - steady: Steady passages in and around `range`; without `steady` the stretchers play with short windows.
    ///   - voice: Passages dominated by a voice; without `voice` all sound is stretched as music.
    ///   - bands: Number of bands into which the stretchers split their source.
    ///
    /// Takes some 1.5 ms an onset in stereo. Real-time safe: no.
    package init(
        onsets: [Onset], in range: Range<Int64>, of source: SourceBlock, steady: [SteadyChange] = [],
        voice: [VoicePeriod] = [], bands: StretchBands = .three
    ) {
        let plans = AttackPlan.plans(
            for: onsets, in: range, sampleRate: source.sampleRate, bands: bands, steady: steady)
        let before = steady.last { $0.frame <= range.lowerBound }?.bands ?? []
        steadyChanges =
            [SteadyChange(frame: range.lowerBound, bands: before)]
            + steady.filter { $0.frame > range.lowerBound && range.contains($0.frame) }
        voicePeriods =
            [VoicePeriod(frame: range.lowerBound, period: voice.last { $0.frame <= range.lowerBound }?.period ?? 0)]
            + voice.filter { $0.frame > range.lowerBound && range.contains($0.frame) }
        let blocks = plans.reduce(0) { $0 + $1.blocks(channelCount: source.channels.count) }
        var storage = PackedStorage(capacity: blocks)
        if plans.isEmpty {
            records = []
        } else {
            // Sound beyond the context of the first and the last cut has no use, and takes time to split.
            let context = Int64(Self.contextFrames(sampleRate: source.sampleRate))
            let (first, last) = (plans[0].cut, plans[plans.count - 1].cut)
            let maker = AttackMaker(SourceBlock(source, in: first - context..<last + context), bands: bands)
            records = plans.map { maker.record($0, storage: &storage) }
        }
        byteCount = storage.byteCount + plans.count * MemoryLayout<AttackRecord>.stride
        self.storage = storage
        self.bands = bands
    }

    /// Returns the number of frames of a recording that must be known on either side of a range.
    ///
    /// Real-time safe: no.
    package static func contextFrames(sampleRate: Int) -> Int {
        let shape = BandShape(sampleRate: sampleRate)
        let learnt = StretchBand.allCases.map {
            shape.factor(of: $0) * AttackPlan.learntSamples($0, sampleRate: sampleRate)
        }
        let ringing = StretchBand.allCases.map { shape.ringingFrames(of: $0) + shape.contextFrames(of: $0) }
        let times = AttackTimes(sampleRate: sampleRate)
        return (learnt.max() ?? 0) + (ringing.max() ?? 0) + times.hold + times.fade + times.margin + sampleRate / 20
    }
}
