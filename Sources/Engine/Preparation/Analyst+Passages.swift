internal import Clips
internal import Stretching

// Used by the worker only: a plan for a part that contains both speech and music. Speech is spliced by a plan that ends
// at its nominal time, and everything else goes through the vocoder. A change of method lies at the softest place
// within a second of the detected change of material.
extension Analyst {
    /// Maximum distance between a change of method and the change of material, in seconds.
    private static var changeReach: Int64 { 1 }
    /// The shortest passage in frames of the voice: longer than any single emission together with the crossfade.
    private static var shortestPassage: Int64 { 4096 }

    /// Returns a plan for a part; nil if its speech sounds better through the vocoder, or if the part cannot be decoded
    /// or is no longer wanted.
    ///
    /// - Parameter vocoder: the method for the rest of the part.
    func passagePlan(
        for part: ScorePart, _ section: SectionMaterial, vocoder: VoiceChoice, formants: FormantChoice
    ) -> PassagePlan? {
        let motion = PlanMotion(part)
        let passages = section.passages(in: part.view)
        guard hasPulses(section) == true, let starts = starts(of: passages, in: part, motion) else { return nil }
        let unspliced: VoicePassage.Method = if case .fullBands = vocoder.method { .fullBands } else { .lightBands }
        var voices: [VoicePassage] = []
        var plans: [SplicePlan] = []
        var (change, secondsLeftOut) = (0.0, 0.0)
        for (index, passage) in passages.enumerated() {
            let (first, next) = (starts[index], starts[index + 1])
            let isSpeech = passage.material == .speech
            var method = unspliced
            if isSpeech {
                let clipFrames = first.clipFrame..<next.clipFrame
                guard let plan = splicePlan(of: clipFrames, outputs: first.planFrame..<next.planFrame, part, motion)
                else { return nil }
                plans.append(plan)
                change += plan.change
                secondsLeftOut +=
                    Double(Int64(clipFrames.count) - plan.outputFrames) / Double(clip.sampleRate)
                method = .splices(plan.list)
            }
            voices.append(
                VoicePassage(
                    planFrame: first.planFrame, clipFrame: first.clipFrame, method: method,
                    knowsAttacks: !isSpeech && vocoder.knowsAttacks,
                    keepsFormants: part.isPitched && (formants == .keep || formants == .auto && isSpeech)))
        }
        guard secondsLeftOut <= 0 || change <= SplicePlan.largestChange * secondsLeftOut else { return nil }
        return PassagePlan(voices, splices: plans, isMostlySpeech: section.material == .speech)
    }

    /// Returns the start of each passage, and the end of the last passage; nil if a passage would be too short, or
    /// nothing can be planned.
    private func starts(
        of passages: [SectionPassage], in part: ScorePart, _ motion: PlanMotion
    ) -> [(planFrame: Int64, clipFrame: Int64)]? {
        var starts = [(planFrame: Int64(0), clipFrame: part.clipStart)]
        for passage in passages.dropFirst() {
            guard let soft = softFrame(near: passage.clipFrames.lowerBound, in: part) else { return nil }
            let planFrame = motion.firstFrame(from: starts[starts.count - 1].planFrame, reaching: soft - part.clipStart)
            // The frame of the clip nearest to the vocoder's position then.
            starts.append((planFrame, part.clipStart + Int64(motion.position(planFrame) + 0.5)))
        }
        starts.append((motion.frameCount, part.clipEnd))
        let isLong = zip(starts, starts.dropFirst()).allSatisfy {
            $1.planFrame - $0.planFrame >= Analyst.shortestPassage && $1.clipFrame > $0.clipFrame
        }
        return isLong ? starts : nil
    }

    /// Returns the softest frame of a part around one of its frames.
    private func softFrame(near frame: Int64, in part: ScorePart) -> Int64? {
        let reach = Analyst.changeReach * Int64(clip.sampleRate)
        let around = (frame - reach..<frame + reach).clamped(to: part.clipStart..<part.clipEnd)
        guard let found = speech(around, of: part) else { return nil }
        return found.softestFrame(in: around)
    }
}

extension SectionMaterial {
    /// Returns the passages in the playing order of a part, with ranges in frames of the part's view.
    fileprivate func passages(in view: ClipView) -> [SectionPassage] {
        let seen = passages.map { passage in
            SectionPassage(
                clipFrames: view.range(passage.clipFrames), material: passage.material, score: passage.score,
                reason: passage.reason)
        }
        return view.isMirrored ? seen.reversed() : seen
    }
}

/// Motion of a voice through the clip in a pass of a part, in the voice's own frames.
struct PlanMotion {
    let frameCount: Int64
    private let ratio: Double
    private let curve: SpeedCurve

    init(_ part: ScorePart) {
        // At another pitch, the voice counts frames of its own: this many for each output frame.
        ratio = part.pitchRatio
        curve = part.curve
        frameCount = Int64(part.passFrames * part.pitchRatio + 0.5)
    }

    /// Returns the number of clip frames already played at a frame.
    func position(_ frame: Int64) -> Double { curve.distance(after: Int64(Double(frame) / ratio + 0.5)) }

    /// Returns the first frame, from `first` on, with `distance` clip frames already played; the last frame if there is
    /// none.
    func firstFrame(from first: Int64, reaching distance: Int64) -> Int64 {
        var (low, high) = (first, frameCount)
        while low < high {
            let middle = low + (high - low) / 2
            if position(middle) >= Double(distance) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
