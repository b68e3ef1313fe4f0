// The worker that analyses a recording before playing. The worker finds onsets, prepares attacks, tells speech from
// music and plans splices. The worker never touches a render thread: results go out through an atomic table, or with a
// score.

internal import Clips
internal import Stretching

/// The analysis of one clip, and its thread; shared by all players of the clip.
///
/// The recording is divided into pages of some six seconds at fixed frames. The result for a page does not depend on
/// the time, player or order of the requests. Small results stay in memory as long as the clip plays. Attacks need more
/// memory: over the budget, attacks without a player near are freed, and made again, identically, when a player
/// returns.
@safe
final class Analyst: @unchecked Sendable {
    let clip: Clip
    /// The requests of the clip's players.
    let requests: AnalysisRequests
    private let recording: RecordingReader

    // Used by the worker only.
    private var onsets: [Int: [Onset]] = [:]
    private var materials: [Range<Int64>: SectionMaterial] = [:]
    /// Features that separate speech from music, page by page.
    private var knownSeconds: [Int: [MaterialFeatures]] = [:]
    /// Possible pitch of a speaking voice, page by page.
    private var knownVoices: [Int: VoicePitch] = [:]
    /// Measurements for the latest of these pages, which reach into the next page.
    private var voicePoints: VoicePoints?
    /// Recently analysed speech, piece by piece; another speed then needs only another plan.
    private var knownSpeech: [SpeechPiece: SpeechAnalysis] = [:]
    /// For the spoken passages of a section: true if the voice has pulses that splices preserve.
    private var pulsedVoices: [[Range<Int64>]: Bool] = [:]
    private var cache: AttackCache

    /// - Parameter attackBudget: Bytes of attacks to keep without a player near.
    init?(_ clip: Clip, attackBudget: Int = AttackCache.budget) {
        self.clip = clip
        let pageFrames = Analyst.pageFrames(sampleRate: clip.sampleRate, channelCount: clip.channelCount)
        let pages = AttackWindows(frameCount: clip.frameCount, pageFrames: pageFrames)
        guard let requests = AnalysisRequests(pages) else { return nil }
        self.requests = requests
        recording = RecordingReader(clip)
        cache = AttackCache(store: requests.store, budget: attackBudget)
    }

    deinit { recording.close() }

    /// Returns six seconds, as a power of two; less if many channels would need much memory.
    static func pageFrames(sampleRate: Int, channelCount: Int) -> Int64 {
        var frames: Int64 = 1 << 18
        var rate = 44_100 * 3 / 2
        while rate < sampleRate {
            frames *= 2
            rate *= 2
        }
        return channelCount <= 2 ? frames : channelCount <= 8 ? frames / 2 : frames / 4
    }

    /// Any thread: ends the worker.
    func stop() {
        requests.stop()
        recording.endWaits()
    }

    // MARK: - The worker

    /// True if the score in preparation is no longer wanted. Checked at least every few seconds of sound.
    var isAbandoned: Bool { requests.isAbandoned }

    private var pages: AttackWindows { requests.pages }

    /// The worker's main loop.
    func run() {
        while let job = requests.nextJob() {
            switch job {
            case .task(let work):
                work(self)
            case .page(let page):
                makeReady(page)
            }
            cache.tidy(keeping: requests.pagesNearPlayers())
        }
    }
}

// MARK: - Scores
//
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
            preparation.voices[index].knowsAttacks = !part.view.isMirrored
            let section = preparation.materials[part.section]
            if section.isLone { preparation.voices[index].method = .bands(.line) }
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
                method: .bands(.one), knowsAttacks: score.plan.quality == .light && !part.view.isMirrored,
                keepsFormants: keepsFormants, freezesBetweenAttacks: score.plan.quality == .full)
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
                method: .splices(plan.list), knowsAttacks: false, keepsFormants: keepsFormants,
                freezesBetweenAttacks: score.plan.quality == .full)
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
    private func pieces(of range: Range<Int64>) -> [Range<Int64>] {
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

// MARK: - Passages
//
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
    private func passagePlan(
        for part: ScorePart, _ section: SectionMaterial, vocoder: VoiceChoice, formants: FormantChoice
    ) -> PassagePlan? {
        let motion = PlanMotion(part)
        let passages = section.passages(in: part.view)
        guard hasPulses(section) == true, let starts = starts(of: passages, in: part, motion) else { return nil }
        let bands: StretchBands = if case .bands(let bands) = vocoder.method { bands } else { .one }
        var voices: [VoicePassage] = []
        var plans: [SplicePlan] = []
        var (change, secondsLeftOut) = (0.0, 0.0)
        for (index, passage) in passages.enumerated() {
            let (first, next) = (starts[index], starts[index + 1])
            let isSpeech = passage.material == .speech
            var method = VoicePassage.Method.bands(bands)
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
private struct PlanMotion {
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

// MARK: - Materials
//
// Used by the worker only: the material of each passage of a section. The features of a second depend on the recording
// alone, so all sections share the kept features; two hours of features are half a megabyte.

extension Analyst {
    /// Number of pages behind a first answer about a long section: its first three minutes.
    private static var firstWindows: Int { 32 }

    /// Returns the material of a section.
    ///
    /// - Parameter isFirst: true for a quick answer that may be wrong for a long section.
    /// - Returns: nil if the result is no longer wanted.
    private func material(_ choice: MaterialChoice, of range: Range<Int64>, isFirst: Bool) -> SectionMaterial? {
        guard choice == .auto else { return SectionMaterial(material: choice, of: range) }
        if let known = materials[range] { return known }
        guard let seconds = seconds(of: range, isFirst: isFirst) else { return nil }
        if isFirst, !isWithinFirstWindows(range) {
            return SectionMaterial(
                [MaterialPassage(seconds, all: range)], MaterialDecision(seconds),
                isLone: MaterialFeatures.isLone(seconds), in: range)
        }
        let passages = MaterialPassage.passages(of: seconds, in: range, sampleRate: clip.sampleRate)
        let judged = SectionMaterial(
            passages, MaterialDecision(seconds), isLone: MaterialFeatures.isLone(seconds), in: range)
        materials[range] = judged
        return judged
    }

    /// Returns true if a quick answer about a section is the whole answer.
    private func isWithinFirstWindows(_ range: Range<Int64>) -> Bool {
        Int64(range.count) <= Int64(Analyst.firstWindows) * pages.pageFrames
    }

    /// Returns the features of the seconds that begin in a section, and of the second around the section's start; nil
    /// if the features are no longer wanted.
    private func seconds(of range: Range<Int64>, isFirst: Bool) -> [MaterialFeatures]? {
        let rate = Int64(clip.sampleRate)
        let first = range.lowerBound / rate * rate
        var seconds: [MaterialFeatures] = []
        let last = pages.page(of: range.upperBound - 1)
        var frames: MaterialFrames?
        let firstPage = pages.page(of: first)
        for page in firstPage...(isFirst ? min(last, firstPage + Analyst.firstWindows) : last) {
            if isAbandoned { return nil }
            // The clip reports frames that cannot be decoded.
            guard let found = secondsOfPage(page, frames: &frames) else { break }
            seconds += found.filter { $0.range.lowerBound >= first && $0.range.lowerBound < range.upperBound }
        }
        return seconds
    }

    /// - Parameter frames: The remainder of the previous pages, replaced by the remainder for the next page: pages
    ///   reach into each other.
    private func secondsOfPage(_ page: Int, frames: inout MaterialFrames?) -> [MaterialFeatures]? {
        if let known = knownSeconds[page] { return known }
        let start = Int64(page) * pages.pageFrames
        let piece = start..<min(start + pages.pageFrames, clip.frameCount)
        let context = Int64(MaterialFeatures.contextFrames(sampleRate: clip.sampleRate))
        guard let block = recording.block(piece.lowerBound - context..<piece.upperBound + context) else { return nil }
        let found = MaterialFeatures.seconds(in: block, within: piece, of: 0..<clip.frameCount, frames: &frames)
        knownSeconds[page] = found
        return found
    }
}

extension SectionMaterial {
    /// Creates the material of a section by the user's choice.
    fileprivate init(material: MaterialChoice, of range: Range<Int64>) {
        let reason = "asked for"
        self.init(
            material: material, score: nil, reason: reason, isLone: false,
            passages: [SectionPassage(clipFrames: range, material: material, score: nil, reason: reason)])
    }

    /// Creates the material of a judged section: the majority, and each passage.
    fileprivate init(
        _ passages: [MaterialPassage], _ whole: MaterialDecision, isLone: Bool, in range: Range<Int64>
    ) {
        let told = passages.map {
            SectionPassage(
                clipFrames: $0.range, material: $0.material == .speech ? .speech : .music, score: $0.decision.score,
                reason: $0.decision.reason)
        }
        let speech = told.reduce(0) { $0 + ($1.material == .speech ? $1.clipFrames.count : 0) }
        let share = Int((100 * Double(speech) / Double(range.count)).rounded())
        let reason = told.count == 1 ? told[0].reason : "\(share) % speech, in \(told.count) passages"
        self.init(
            material: 2 * speech > range.count ? .speech : .music, score: whole.score, reason: reason,
            isLone: isLone && told.allSatisfy { $0.material == .music }, passages: told)
    }
}

// MARK: - Splices
//
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
    private func hasPulses(_ section: SectionMaterial) -> Bool? {
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
    private func splicePlan(for part: ScorePart) -> SplicePlan? {
        let motion = PlanMotion(part)
        return splicePlan(of: part.clipStart..<part.clipEnd, outputs: 0..<motion.frameCount, part, motion)
    }

    /// Returns the splices of a run of a part, ending at the run's last output frame. Returns nil if the run cannot be
    /// decoded, or is no longer wanted.
    ///
    /// - Parameters:
    ///   - clipFrames: the frames of the part's view of the clip.
    ///   - outputs: the frames of the voice for these clip frames.
    private func splicePlan(
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
    private func speech(_ range: Range<Int64>, of part: ScorePart) -> SpeechAnalysis? {
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
private struct SpeechPiece: Hashable {
    var view: ClipView
    var range: Range<Int64>
}

// MARK: - Voices
//
// Used by the worker only: the places of a speaking voice over music. Each page is judged with the pages within five
// seconds, so the answer for a page depends on the recording alone.

extension Analyst {
    /// Returns the changes of the voice's period in a page; no change without speech.
    private func voicePeriods(in page: Int) -> [VoicePeriod] {
        guard let voice = voice(in: page), !voice.periods.isEmpty else { return [] }
        let range = frames(of: page)
        let reach = Int64((VoiceEvidence.reach + 1) * clip.sampleRate)
        let first = pages.page(of: max(0, range.lowerBound - reach))
        let last = pages.page(of: min(clip.frameCount - 1, range.upperBound + reach))
        let evidence = (first...last).flatMap { self.voice(in: $0)?.evidence ?? [] }
        return VoicePeriod.audible(voice.periods, in: range, evidence: evidence, sampleRate: clip.sampleRate)
    }

    /// Returns the pitch of the voice in a page; nil if the page cannot be decoded.
    private func voice(in page: Int) -> VoicePitch? {
        if let known = knownVoices[page] { return known }
        let range = frames(of: page)
        var measured: MaterialFrames?
        let context = Int64(VoicePitch.contextFrames(sampleRate: clip.sampleRate))
        guard !range.isEmpty, let seconds = secondsOfPage(page, frames: &measured),
            let block = recording.block(range.lowerBound - context..<range.upperBound + context)
        else { return nil }
        let voice = VoicePitch(block, within: range, seconds: seconds, points: &voicePoints)
        knownVoices[page] = voice
        return voice
    }
}

// MARK: - Pages
//
// Used by the worker only: the attacks of each page. A page that cannot be decoded has no attacks; the clip's failure
// has the cause.

extension Analyst {
    private func frames(of page: Int) -> Range<Int64> {
        let start = Int64(page) * pages.pageFrames
        return start..<max(start, min(start + pages.pageFrames, clip.frameCount))
    }

    /// Prepares the attacks around a page and publishes the result.
    private func makeReady(_ page: AttackPage) {
        for neighbour in page.neighbourhood
        where 0..<pages.pageCount ~= neighbour.number && !cache.holds(neighbour) {
            cache.keep(attacks(in: neighbour), of: neighbour)
        }
        cache.show(page)
    }

    /// Returns the attacks in a page; nil if the page cannot be decoded.
    private func attacks(in page: AttackPage) -> AttackMaterial? {
        let range = frames(of: page.number)
        let context = max(
            OnsetMap.contextFrames(sampleRate: clip.sampleRate),
            AttackMaterial.contextFrames(sampleRate: clip.sampleRate))
        guard let block = recording.block(range.lowerBound - Int64(context)..<range.upperBound + Int64(context))
        else { return nil }
        // Onsets are found by their attack but belong to a page by their cut, which is up to some milliseconds earlier.
        let margin = Int64(clip.sampleRate / 20)
        let found =
            onsets[page.number] ?? OnsetMap.onsets(in: block, within: range.lowerBound..<range.upperBound + margin)
        onsets[page.number] = found
        // A stretcher with one band has windows of one length.
        let around = range.lowerBound - Int64(clip.sampleRate) / 2..<range.upperBound + Int64(clip.sampleRate) / 2
        let steady = page.bands == .three ? SteadySound.changes(in: block, within: around) : []
        let voice = page.bands == .three ? voicePeriods(in: page.number) : []
        return AttackMaterial(onsets: found, in: range, of: block, steady: steady, voice: voice, bands: page.bands)
    }
}
