// Attacks in a stretched sound: the part of the source that each band plays at a step, and the copied attacks added to
// the step.
internal import Samples

extension Stretcher {
    /// Continues with another list of attacks.
    ///
    /// During long playback, call this method from time to time with the attacks around the current position. A list
    /// must hold the same records as the previous list wherever the stretcher still reads: from a quarter of a second
    /// before its position to ``leadFrames`` output frames ahead. Where records are missing, the stretcher plays
    /// without attacks.
    /// - Parameter list: A list for the same source and bands; the list's memory must last until the next call or the
    ///   next start.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func setAttacks(_ list: AttackList) {
        let fitting = list.bands == bands ? list : .empty
        guard !fitting.isSame(as: position.landings.list) else { return }
        let copyFrame = position.copyFrame
        position.continueWith(fitting)
        // The copy moves only before any work, when no source has been requested yet.
        if position.copyFrame != copyFrame { beginSource() }
    }

    /// Returns the source that a band plays at a step.
    mutating func segmentSource(atStep step: Int64, _ band: StretchBand) -> VocoderBand.SegmentSource {
        let (segment, list) = (position.segment(atStep: step), position.landings.list)
        return switch band {
        case .low: low.segmentSource(segment, of: list, band: band)
        case .middle: middle.short.segmentSource(segment, of: list, band: band)
        case .high: high.short.segmentSource(segment, of: list, band: band)
        }
    }

    /// Adds the attacks copied within a step to its frames.
    mutating func addAttacks(from frame: Int64) {
        position.forgetLandings(before: frame)
        for index in 0..<position.landings.count {
            let landing = position.landings.pending(index)
            let snippet = position.landings.list[landing.record].snippet
            let from = frame - landing.frame
            guard snippet.first < from + Int64(attack.view.count), snippet.end > from else { continue }
            for channel in 0..<channelCount {
                snippet.read(channel: channel, from: from, into: attack.view)
                for place in stride(from: 0, to: attack.view.count, by: Lanes.scalarCount) {
                    high.short.output.add(attack.view[lanes: place], channel: channel, at: frame &+ Int64(place))
                }
            }
        }
    }
}
