// PairedBand: a band with two lengths of windows, short ones for sound that moves and long ones for sound that is steady.
//
// Each length is a track of its own, a vocoder with its own windows and output. One of them plays; where the sound becomes
// steady, or no longer is, the other takes over its rotations and the outputs are crossfaded. Both continue the same partials
// with the same phases, so the crossfade is not heard.
internal import Samples

/// The two tracks of a band, and which of them plays at each step.
///
/// Real-time safe: all but `init`.
struct PairedBand: ~Copyable {
    private var shortTrack: Boxed<VocoderBand>
    private var longTrack: Boxed<VocoderBand>
    var short: VocoderBand {
        @inline(__always) _read { yield shortTrack.value }
        @inline(__always) _modify { yield &shortTrack.value }
    }
    var long: VocoderBand {
        @inline(__always) _read { yield longTrack.value }
        @inline(__always) _modify { yield &longTrack.value }
    }

    /// Whether the long windows play, or will after ``changeStep``.
    private(set) var isSteady = false
    /// The step in the middle of the latest change, on the grid of the long windows' middles.
    private(set) var changeStep = Int64.min / 2
    /// The next step at which a change may be decided.
    private(set) var decisionStep = Int64.max

    /// Steps on either side of ``changeStep`` during which both tracks are heard. The short windows reach no farther than four times
    /// this, so those before the change still carry the sound until it ends.
    static let halfChange: Int64 = 4
    /// Steps from a decision to its change: the work for the first long window begins so much earlier.
    let decisionLead: Int64

    /// - Parameters:
    ///   - short: The windows for sound that moves.
    ///   - long: The windows for sound that is steady.
    ///   - reach: How many steps ahead positions are known at every step.
    init(short: consuming VocoderBand, long: consuming VocoderBand, reach: Int64) {
        shortTrack = Boxed(short)
        longTrack = Boxed(long)
        decisionLead = reach
    }

    /// Starts again, with short windows.
    ///
    /// - Parameter firstStep: The first step at which a change may be decided.
    mutating func restart(bands: StretchBands, firstStep: Int64) {
        short.restart(bands: bands)
        long.rest()
        isSteady = false
        changeStep = .min / 2
        decisionStep = bands == .three ? onGrid(firstStep) : .max
    }

    /// The first step at or after `step` whose change falls in the middle of a long window.
    private func onGrid(_ step: Int64) -> Int64 {
        let hop = long.schedule.hopSteps
        return (step + decisionLead + hop - 1) / hop * hop - decisionLead
    }

    /// The step at which a change decided now takes place.
    @inline(__always)
    var proposedStep: Int64 { decisionStep + decisionLead }

    /// The step of the latest window of the track that plays whose rotations are known; negative if there is none.
    @inline(__always)
    var solvedStep: Int64 {
        isSteady
            ? long.solvedWindow * long.schedule.hopSteps : short.solvedWindow * short.schedule.hopSteps
    }

    /// Decides to change at ``proposedStep``, and begins the track that takes over.
    ///
    /// - Parameters:
    ///   - samples: The band's samples of the source.
    ///   - source: What plays at that step and has played since ``solvedStep``.
    ///   - gridFrames: Frames of one step.
    mutating func change(
        _ samples: borrowing SampleRing, source: VocoderBand.SegmentSource, interpolator: borrowing BandInterpolator,
        gridFrames: Int
    ) {
        let step = proposedStep
        let half = Double(Self.halfChange) * Double(gridFrames)
        let change = WindowChange(
            frame: step * Int64(gridFrames), change: SegmentChange(endingAt: half, length: 2 * half))
        func handOver(from old: inout Boxed<VocoderBand>, to new: inout Boxed<VocoderBand>) {
            new.value.enter(
                at: step / new.value.schedule.hopSteps, change, samples, source: source, interpolator: interpolator,
                following: old.value)
            old.value.leave(at: step / old.value.schedule.hopSteps, change)
        }
        if isSteady { handOver(from: &longTrack, to: &shortTrack) } else { handOver(from: &shortTrack, to: &longTrack) }
        isSteady.toggle()
        changeStep = step
        decisionStep = onGrid(step + Self.halfChange + 2)
    }

    /// Leaves everything as it is until the next middle of a long window.
    mutating func postpone() { decisionStep += long.schedule.hopSteps }

    /// Whether the short windows are heard at a step, including the samples that interpolation needs on either side.
    @inline(__always)
    func hearsShort(at step: Int64) -> Bool {
        isSteady ? step <= changeStep + Self.halfChange : step >= changeStep - Self.halfChange - 1
    }

    /// Whether the long windows are heard at a step.
    @inline(__always)
    func hearsLong(at step: Int64) -> Bool {
        // Before the first change there are none.
        isSteady
            ? step >= changeStep - Self.halfChange - 1
            : step <= changeStep + Self.halfChange && changeStep > 0
    }
}
