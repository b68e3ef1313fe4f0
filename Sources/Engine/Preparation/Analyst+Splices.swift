internal import Clips
internal import DSP

// Used by the worker only: plans of splices. A long part is cut where the speech is softest and planned passage by passage. So an
// hour needs the memory of half a minute, plus its splices, and a user who changes the speed does not wait for all of it.
extension Analyst {
    /// A passage ends where the speech is softest between these two lengths. A remainder shorter than the second is not cut.
    private static var passageSeconds: (shortest: Int64, longest: Int64) { (20, 30) }
    /// Analysed pieces of speech that are kept: five minutes of them take some 15 MB.
    private static var keptPieces: Int { 50 }

    /// The splices of a part; nil if it cannot be decoded, or is no longer wanted.
    func splicePlan(for part: ScorePart) -> SplicePlan? {
        // If the pitch is changed, the voice counts frames of its own, this many for each output frame.
        let ratio = part.pitchRatio
        let total = Int64(part.passFrames * ratio + 0.5)
        let position = { (frame: Int64) in part.curve.distance(after: Int64(Double(frame) / ratio + 0.5)) }
        var plans: [SplicePlan] = []
        var (start, output) = (part.clipStart, Int64(0))
        while start < part.clipEnd {
            guard let analysis = passage(from: start, of: part.clipStart..<part.clipEnd) else { return nil }
            let end = cut(from: start, before: part.clipEnd, analysis)
            let (first, offset) = (output, Double(start - part.clipStart))
            output =
                end == part.clipEnd
                ? total : outputFrame(from: output, to: total) { position($0) >= Double(end - part.clipStart) }
            plans.append(
                SplicePlan(analysis, section: start..<end, outputFrames: output - first) {
                    position(first + $0) - offset
                })
            start = end
        }
        return plans.isEmpty ? nil : plans.count == 1 ? plans[0] : SplicePlan(joining: plans)
    }

    private func cut(from start: Int64, before end: Int64, _ analysis: SpeechAnalysis) -> Int64 {
        let rate = Int64(clip.sampleRate)
        let (shortest, longest) = Analyst.passageSeconds
        guard end - start > longest * rate else { return end }
        return analysis.softestFrame(in: start + shortest * rate..<start + longest * rate)
    }

    /// The first frame from which a condition stays true, or the last frame.
    private func outputFrame(from first: Int64, to last: Int64, where isReached: (Int64) -> Bool) -> Int64 {
        var (low, high) = (first, last)
        while low < high {
            let middle = low + (high - low) / 2
            if isReached(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The analysed speech from a frame on, as far as the longest passage needs it.
    private func passage(from start: Int64, of range: Range<Int64>) -> SpeechAnalysis? {
        let end = min(range.upperBound, start + Analyst.passageSeconds.longest * Int64(clip.sampleRate))
        var joined: SpeechAnalysis?
        for piece in pieces(of: range) where piece.overlaps(start..<end) {
            guard !isAbandoned, let found = speech(in: piece) else { return nil }
            if joined == nil { joined = found } else { joined?.append(found) }
        }
        return joined
    }

    private func speech(in piece: Range<Int64>) -> SpeechAnalysis? {
        if let known = knownSpeech[piece] { return known }
        let context = Int64(SpeechAnalysis.contextFrames(sampleRate: clip.sampleRate))
        guard let block = recording.block(piece.lowerBound - context..<piece.upperBound + context) else { return nil }
        let found = SpeechAnalysis(block, range: piece)
        if knownSpeech.count >= Analyst.keptPieces {
            // The farthest piece is needed last, in whichever direction the player moves.
            let farthest = knownSpeech.keys.max {
                abs($0.lowerBound - piece.lowerBound) < abs($1.lowerBound - piece.lowerBound)
            }
            if let farthest { knownSpeech[farthest] = nil }
        }
        knownSpeech[piece] = found
        return found
    }
}
