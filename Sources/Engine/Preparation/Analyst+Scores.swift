internal import Clips
internal import Stretching

// Used by the worker only: the analysis that a score needs before playing.
extension Analyst {
    /// Analyses every section, and plans the splices of sections with speech.
    ///
    /// - Parameter isFirst: true for a quick first result: long sections are not divided or spliced yet.
    /// - Returns: nil if the result is no longer wanted.
    func prepare(_ score: Score, isFirst: Bool = false) -> Preparation? {
        var preparation = Preparation(unknownPartsOf: score)
        for section in score.sections {
            guard let material = material(score.plan.material, of: section.range, isFirst: isFirst) else { return nil }
            preparation.materials.append(material)
        }
        var known: [PartSound: SplicePlan] = [:]
        var divided: [PartSound: PassagePlan] = [:]
        for (index, part) in score.parts.enumerated() where !part.isCopy {
            // Attacks are prepared for forward time. Backwards an attack is a sudden end, and its copy would lie on the
            // wrong side of this end.
            preparation.voices[index].knowsAttacks = score.plan.quality.bands == bands && !part.view.isMirrored
            let section = preparation.materials[part.section]
            let sound = PartSound(part, index: index)
            if section.passages.count > 1, part.isSpliceable {
                let plan =
                    divided[sound]
                    ?? passagePlan(
                        for: part, section, vocoder: preparation.voices[index], formants: score.plan.formants)
                if isAbandoned { return nil }
                if let plan {
                    divided[sound] = plan
                    preparation.voices[index].method = .passages(plan.list)
                    preparation.voices[index].keepsFormants = part.isPitched && score.plan.formants != .move
                    continue
                }
            }
            guard section.material == .speech else { continue }
            // Speech without splices goes through the vocoder with one short window, which keeps its consonants best.
            let keepsFormants = part.isPitched && score.plan.formants != .move
            preparation.voices[index] = VoiceChoice(
                method: .lightBands, knowsAttacks: bands == .one && !part.view.isMirrored,
                keepsFormants: keepsFormants)
            guard part.isSpliceable, section.passages.count == 1 else { continue }
            guard !isFirst || isWithinFirstWindows(part.clipRange) else { continue }
            let hasPulses = hasPulses(section)
            // Without an answer nothing may be concluded.
            if isAbandoned { return nil }
            guard hasPulses == true else { continue }
            let plan = known[sound] ?? splicePlan(for: part)
            if isAbandoned { return nil }
            guard let plan else { continue }
            known[sound] = plan
            let secondsLeftOut = (part.clipFrames - part.passFrames * part.pitchRatio) / Double(clip.sampleRate)
            guard secondsLeftOut <= 0 || plan.change <= SplicePlan.largestChange * secondsLeftOut else { continue }
            preparation.voices[index] = VoiceChoice(
                method: .splices(plan.list), knowsAttacks: false, keepsFormants: keepsFormants)
        }
        preparation.plans = Array(known.values)
        preparation.passages = Array(divided.values)
        return preparation
    }

    /// Returns true if a first result would not come sooner than the full result.
    func isSoonPrepared(_ score: Score) -> Bool {
        score.plan.material != .auto || score.sections.allSatisfy { isWithinFirstWindows($0.range) }
    }

    /// All inputs to a plan of splices. Parts with a curve count as different from all others.
    private struct PartSound: Hashable {
        var view: ClipView
        var range: Range<Int64>
        var ratio: Double
        var speed: Double
        var curved: Int?

        init(_ part: ScorePart, index: Int) {
            view = part.view
            range = part.clipStart..<part.clipEnd
            ratio = part.pitchRatio
            speed = part.speed
            curved = part.curve.isConstant ? nil : index
        }
    }

    /// Divides a range into pieces, so that hours of sound do not need hours of samples in memory.
    func pieces(of range: Range<Int64>) -> [Range<Int64>] {
        stride(from: range.lowerBound, to: range.upperBound, by: Int(pages.pageFrames)).map {
            $0..<min($0 + pages.pageFrames, range.upperBound)
        }
    }
}

extension ScorePart {
    /// True if splices can play the whole part.
    fileprivate var isSpliceable: Bool {
        curve.speeds.upperBound / pitchRatio <= Speed.range.upperBound
            && curve.speeds.lowerBound / pitchRatio >= Speed.range.lowerBound && !hasCopies
    }

    /// The length of its section.
    fileprivate var clipFrames: Double { Double(clipEnd - clipStart) }
}
