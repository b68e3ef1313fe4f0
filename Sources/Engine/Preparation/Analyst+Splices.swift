internal import Clips
internal import Stretching

// Used by the worker only: plans of splices. A long part is cut at the softest places of its speech and planned passage
// by passage. So an hour needs the memory of half a minute, plus its splices, and a change of speed does not wait for
// all of the part.
extension Analyst {
    /// A passage ends at the softest speech between these two lengths. A remainder shorter than the second length stays
    /// whole.
    private static var passageSeconds: (shortest: Int64, longest: Int64) { (20, 30) }
    /// Number of analysed pieces of speech to keep: five minutes of speech take some 15 MB.
    private static var keptPieces: Int { 50 }
    /// A section's voice is judged by about its first three minutes.
    private static var judgedPieces: Int { 32 }

    /// Returns true if the voice of a section has pulses that splices preserve; otherwise the vocoder is smoother. Nil
    /// if the recording cannot be decoded, or the answer is no longer wanted.
    ///
    /// The judgement uses the recording forwards, also for a part played backwards.
    func hasPulses(_ section: SectionMaterial) -> Bool? {
        let spoken = section.passages.filter { $0.material == .speech }.map(\.clipFrames)
        if let known = pulsedVoices[spoken] { return known }
        var parts: [SpeechAnalysis] = []
        for piece in spoken.lazy.flatMap({ self.pieces(of: $0) }).prefix(Analyst.judgedPieces) {
            guard !isAbandoned, let found = speech(in: SpeechPiece(view: .forward, range: piece)) else { return nil }
            parts.append(found)
        }
        let answer = SpeechAnalysis.hasPulses(parts)
        pulsedVoices[spoken] = answer
        return answer
    }

    /// Returns the splices of a part; nil if the part cannot be decoded, or is no longer wanted.
    func splicePlan(for part: ScorePart) -> SplicePlan? {
        let motion = PlanMotion(part)
        return splicePlan(of: part.clipStart..<part.clipEnd, outputs: 0..<motion.frameCount, part, motion)
    }

    /// Returns the splices of a run of a part, ending at the run's last output frame. Returns nil if the run cannot be
    /// decoded, or is no longer wanted.
    ///
    /// - Parameters:
    ///   - clipFrames: the frames of the part's view of the clip.
    ///   - outputs: the frames of the voice for these clip frames.
    func splicePlan(
        of clipFrames: Range<Int64>, outputs: Range<Int64>, _ part: ScorePart, _ motion: PlanMotion
    ) -> SplicePlan? {
        var plans: [SplicePlan] = []
        var (start, output) = (clipFrames.lowerBound, outputs.lowerBound)
        while start < clipFrames.upperBound {
            let longest = start + Analyst.passageSeconds.longest * Int64(clip.sampleRate)
            let range = start..<min(clipFrames.upperBound, longest)
            guard let analysis = speech(range, of: part) else { return nil }
            let end = cut(from: start, before: clipFrames.upperBound, analysis)
            let (first, offset) = (output, Double(start - part.clipStart))
            output =
                end == clipFrames.upperBound
                ? outputs.upperBound : motion.firstFrame(from: output, reaching: end - part.clipStart)
            plans.append(
                SplicePlan(analysis, section: start..<end, outputFrames: output - first) {
                    max(0, motion.position(first + $0) - offset)
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

    /// Returns the analysed speech in a range of a part, in frames of its view.
    func speech(_ range: Range<Int64>, of part: ScorePart) -> SpeechAnalysis? {
        var joined: SpeechAnalysis?
        for piece in pieces(of: part.clipStart..<part.clipEnd) where piece.overlaps(range) {
            guard !isAbandoned, let found = speech(in: SpeechPiece(view: part.view, range: piece)) else { return nil }
            if joined == nil { joined = found } else { joined?.append(found) }
        }
        return joined
    }

    private func speech(in piece: SpeechPiece) -> SpeechAnalysis? {
        if let known = knownSpeech[piece] { return known }
        let (context, range) = (Int64(SpeechAnalysis.contextFrames(sampleRate: clip.sampleRate)), piece.range)
        let wanted = range.lowerBound - context..<range.upperBound + context
        guard let block = recording.block(wanted, of: piece.view) else { return nil }
        let found = SpeechAnalysis(block, range: range)
        if knownSpeech.count >= Analyst.keptPieces {
            // The farthest piece is needed last, in either direction of the player.
            let farthest = knownSpeech.keys.max {
                abs($0.range.lowerBound - range.lowerBound) < abs($1.range.lowerBound - range.lowerBound)
            }
            if let farthest { knownSpeech[farthest] = nil }
        }
        knownSpeech[piece] = found
        return found
    }
}

/// A piece of speech for a single analysis, in frames of a view of the clip.
struct SpeechPiece: Hashable {
    var view: ClipView
    var range: Range<Int64>
}
