internal import Clips
internal import Stretching

// Used by the worker only: the material of each passage of a section. The features of a second depend on the recording
// alone, so all sections share the kept features; two hours of features are half a megabyte.
extension Analyst {
    /// Number of pages behind a first answer about a long section: its first three minutes.
    static var firstWindows: Int { 32 }

    /// Returns the material of a section.
    ///
    /// - Parameter isFirst: true for a quick answer that may be wrong for a long section.
    /// - Returns: nil if the result is no longer wanted.
    func material(_ choice: MaterialChoice, of range: Range<Int64>, isFirst: Bool) -> SectionMaterial? {
        guard choice == .auto else { return SectionMaterial(material: choice, of: range) }
        if let known = materials[range] { return known }
        guard let seconds = seconds(of: range, isFirst: isFirst) else { return nil }
        if isFirst, !isWithinFirstWindows(range) {
            return SectionMaterial([MaterialPassage(seconds, all: range)], MaterialDecision(seconds), in: range)
        }
        let passages = MaterialPassage.passages(of: seconds, in: range, sampleRate: clip.sampleRate)
        let judged = SectionMaterial(passages, MaterialDecision(seconds), in: range)
        materials[range] = judged
        return judged
    }

    /// Returns true if a quick answer about a section is the whole answer.
    func isWithinFirstWindows(_ range: Range<Int64>) -> Bool {
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
    func secondsOfPage(_ page: Int, frames: inout MaterialFrames?) -> [MaterialFeatures]? {
        if let known = knownSeconds[page] { return known }
        let start = Int64(page) * pages.pageFrames
        let piece = start..<min(start + pages.pageFrames, clip.frameCount)
        let context = Int64(MaterialFeatures.contextFrames(sampleRate: clip.sampleRate))
        guard let block = recording.block(piece.lowerBound - context..<piece.upperBound + context) else { return nil }
        let found = MaterialFeatures.seconds(in: block, within: piece, frames: &frames)
        knownSeconds[page] = found
        return found
    }
}

extension SectionMaterial {
    /// Creates the material of a section by the user's choice.
    fileprivate init(material: MaterialChoice, of range: Range<Int64>) {
        let reason = "asked for"
        self.init(
            material: material, score: nil, reason: reason,
            passages: [SectionPassage(clipFrames: range, material: material, score: nil, reason: reason)])
    }

    /// Creates the material of a judged section: the majority, and each passage.
    fileprivate init(_ passages: [MaterialPassage], _ whole: MaterialDecision, in range: Range<Int64>) {
        let told = passages.map {
            SectionPassage(
                clipFrames: $0.range, material: $0.material == .speech ? .speech : .music, score: $0.decision.score,
                reason: $0.decision.reason)
        }
        let speech = told.reduce(0) { $0 + ($1.material == .speech ? $1.clipFrames.count : 0) }
        let share = Int((100 * Double(speech) / Double(range.count)).rounded())
        let reason = told.count == 1 ? told[0].reason : "\(share) % speech, in \(told.count) passages"
        self.init(
            material: 2 * speech > range.count ? .speech : .music, score: whole.score, reason: reason, passages: told)
    }
}
