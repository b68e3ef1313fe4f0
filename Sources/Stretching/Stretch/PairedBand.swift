// PairedBand: a band with two lengths of windows, short for moving sound and long for steady sound.
//
// Each length is a track: a vocoder with its own windows and output. One track plays. Where the sound becomes steady,
// or starts to move, the other track takes over the rotations, and the outputs are crossfaded. Both tracks continue the
// same partials with the same phases, so the crossfade is inaudible.
internal import Samples

/// The two tracks of a band, and the choice of the playing track at each step.
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

    /// True if the long windows play, or will play after ``changeStep``.
    private(set) var isSteady = false
    /// The step in the middle of the latest change, on the grid of the long windows' middles.
    private(set) var changeStep = Int64.min / 2
    /// The next step at which a change may be decided.
    private(set) var decisionStep = Int64.max

    /// Steps on either side of ``changeStep`` during which both tracks are heard. The short windows reach at most four
    /// times as far, so short windows from before the change still carry the sound to the end of the change.
    static let halfChange: Int64 = 4
    /// Steps from a decision to its change: the work for the first long window begins this much earlier.
    let decisionLead: Int64

    /// - Parameters:
    ///   - short: The windows for moving sound.
    ///   - long: The windows for steady sound.
    ///   - reach: Number of steps ahead for which positions are known at every step.
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

    /// Returns the first step at or after `step` whose change falls in the middle of a long window.
    private func onGrid(_ step: Int64) -> Int64 {
        let hop = long.schedule.hopSteps
        return (step + decisionLead + hop - 1) / hop * hop - decisionLead
    }

    /// The step at which a change decided now takes place.
    @inline(__always)
    var proposedStep: Int64 { decisionStep + decisionLead }

    /// The step of the playing track's latest window with known rotations; negative without such a window.
    @inline(__always)
    var solvedStep: Int64 {
        isSteady
            ? long.solvedWindow * long.schedule.hopSteps : short.solvedWindow * short.schedule.hopSteps
    }

    /// Decides to change at ``proposedStep``, and begins the other track.
    ///
    /// - Parameters:
    ///   - samples: The band's samples of the source.
    ///   - source: The segment that plays at that step and has played since ``solvedStep``.
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

    /// Postpones the decision to the next middle of a long window.
    mutating func postpone() { decisionStep += long.schedule.hopSteps }

    /// True if the short windows are heard at a step, including the samples for interpolation on either side.
    @inline(__always)
    func hearsShort(at step: Int64) -> Bool {
        isSteady ? step <= changeStep + Self.halfChange : step >= changeStep - Self.halfChange - 1
    }

    /// True if the long windows are heard at a step.
    @inline(__always)
    func hearsLong(at step: Int64) -> Bool {
        // Before the first change there are no long windows.
        isSteady
            ? step >= changeStep - Self.halfChange - 1
            : step <= changeStep + Self.halfChange && changeStep > 0
    }
}
