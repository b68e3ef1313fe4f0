internal import Clips
internal import DSP

// Used by the worker only: the analysis that a score needs before it is played.
extension Analyst {
    /// A plan with a higher cost per second that it leaves out sounds worse than rotated windows, because it leaves out sound that
    /// resembles nothing else. Voices played faster cost 12 to 21; voices that had been slowed before, and so have periods
    /// to spare, 5 to 10. See docs/stretching.md for the sound of both methods.
    private static var dearestSecond: Double { 11 }
    /// A long recording is judged by its first minutes.
    private static var judgedWindows: Int { 32 }

    /// Analyses every section that is not played unchanged, and plans the splices of sections with speech.
    ///
    /// - Returns: nil if the result is no longer wanted.
    func prepare(_ score: Score) -> Preparation? {
        var preparation = Preparation(unknownPartsOf: score)
        for section in score.sections {
            guard let material = material(score.plan.material, of: section.range) else { return nil }
            preparation.materials.append(material)
        }
        var known: [PartSound: SplicePlan] = [:]
        for (index, part) in score.parts.enumerated() where !part.isCopy {
            preparation.voices[index].knowsAttacks = score.plan.quality.bands == bands
            guard preparation.materials[part.section].material == .speech else { continue }
            // Speech that cannot be spliced goes through the vocoder with one short window, which keeps its consonants best.
            preparation.voices[index] = VoiceChoice(method: .lightBands, knowsAttacks: bands == .one)
            guard part.isSpliceable else { continue }
            let sound = PartSound(part, index: index)
            let plan = known[sound] ?? splicePlan(for: part)
            if isAbandoned { return nil }
            guard let plan else { continue }
            known[sound] = plan
            let secondsLeftOut = (part.clipFrames - part.passFrames * part.pitchRatio) / Double(clip.sampleRate)
            guard secondsLeftOut <= 0 || plan.price <= Analyst.dearestSecond * secondsLeftOut else { continue }
            preparation.voices[index] = VoiceChoice(method: .splices(plan.list), knowsAttacks: false)
        }
        preparation.plans = Array(known.values)
        return preparation
    }

    /// Everything a plan of splices depends on. Parts with a curve count as different from all others.
    private struct PartSound: Hashable {
        var range: Range<Int64>
        var ratio: Double
        var speed: Double
        var curved: Int?

        init(_ part: ScorePart, index: Int) {
            range = part.clipStart..<part.clipEnd
            ratio = part.pitchRatio
            speed = part.speed
            curved = part.curve.isConstant ? nil : index
        }
    }

    private func material(_ choice: MaterialChoice, of range: Range<Int64>) -> SectionMaterial? {
        guard choice == .auto else { return SectionMaterial(material: choice, score: nil, reason: "asked for") }
        if let known = materials[range] { return known }
        let context = Int64(MaterialFeatures.contextFrames(sampleRate: clip.sampleRate))
        var seconds: [MaterialFeatures] = []
        for piece in pieces(of: range).prefix(Analyst.judgedWindows) {
            if isAbandoned { return nil }
            guard let block = recording.block(piece.lowerBound - context..<piece.upperBound + context) else { break }
            // Whole seconds at fixed frames are judged, including the one in which the section begins.
            let first = piece.lowerBound == range.lowerBound ? piece.lowerBound % Int64(clip.sampleRate) : 0
            seconds += MaterialFeatures.seconds(in: block, within: piece.lowerBound - first..<piece.upperBound)
        }
        let decision = MaterialDecision(seconds)
        let judged = SectionMaterial(
            material: decision.material == .speech ? .speech : .music, score: decision.score, reason: decision.reason)
        materials[range] = judged
        return judged
    }

    /// Divides a range into pieces, so that hours of sound do not need hours of samples in memory.
    func pieces(of range: Range<Int64>) -> [Range<Int64>] {
        stride(from: range.lowerBound, to: range.upperBound, by: Int(pages.pageFrames)).map {
            $0..<min($0 + pages.pageFrames, range.upperBound)
        }
    }
}

extension ScorePart {
    /// Whether splices can play the whole part.
    fileprivate var isSpliceable: Bool {
        curve.speeds.upperBound / pitchRatio <= Speed.range.upperBound
            && curve.speeds.lowerBound / pitchRatio >= Speed.range.lowerBound && !hasCopies
    }

    /// The length of its section.
    fileprivate var clipFrames: Double { Double(clipEnd - clipStart) }
}
