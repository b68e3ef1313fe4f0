// Attacks: what is made of a recording's onsets at load time, so that a stretcher can copy attacks and stretch the rest.
//
// Separate attacks after Verma and Meng (1998) and Driedger, Müller and Ewert (2014); predictions on both sides of a cut
// after Kauppinen and Roth (2002). That the segments are predicted across the cut, and the attack is whatever they leave, is
// ours: so nothing has to be separated exactly for the sum to be exact. It does not find onsets, see OnsetMap.

/// The records of the onsets in one range of a recording.
///
/// Immutable once made, and independent of how the recording was cut into blocks, as long as each block and each list of
/// onsets reach ``contextFrames(sampleRate:)`` beyond the range on either side (or to where the recording ends).
package final class AttackMaterial: Sendable {
    /// One record for each onset of the range, by rising cuts.
    let records: [AttackRecord]
    /// Which stretchers the records are for.
    package let bands: StretchBands
    /// Bytes of memory: about 39 KB an onset in stereo at 44.1 kHz.
    package let byteCount: Int
    private let storage: PackedStorage

    /// Makes records.
    ///
    /// - Parameters:
    ///   - onsets: By rising cuts, and including those around `range`: a neighbour bounds what can be learnt from.
    ///     Onsets whose cut lies before the attack of the one before are left out, and attacks of less than 5 dB.
    ///   - range: Frames of the recording; onsets with their cut in it get a record. If it holds frame 0, so does the
    ///     recording's beginning, before which there is nothing.
    ///   - source: The recording in and around `range`.
    ///   - bands: How the stretchers divide their source.
    ///
    /// Takes some 4 ms an onset in stereo. Real-time safe: no.
    package init(onsets: [Onset], in range: Range<Int64>, of source: SourceBlock, bands: StretchBands = .three) {
        let plans = AttackPlan.plans(for: onsets, in: range, sampleRate: source.sampleRate, bands: bands)
        let blocks = plans.reduce(0) { $0 + $1.blocks(channelCount: source.channels.count) }
        var storage = PackedStorage(capacity: blocks)
        if plans.isEmpty {
            records = []
        } else {
            let maker = AttackMaker(source, bands: bands)
            records = plans.map { maker.record($0, storage: &storage) }
        }
        byteCount = storage.byteCount + plans.count * MemoryLayout<AttackRecord>.stride
        self.storage = storage
        self.bands = bands
    }

    /// How many frames of a recording must be known on either side of a range.
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
