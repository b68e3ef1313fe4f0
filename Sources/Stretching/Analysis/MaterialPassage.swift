/// A passage of a section that is all speech or all music.
///
/// A change of passage costs as much as a few seconds of plain evidence, and a section's passages are the passages with
/// the least total cost (Viterbi, 1967). A doubtful second therefore changes nothing, at the beginning or at the end:
/// the decision considers the whole section. Changes lie at whole seconds; the player finds a soft place near each
/// change.
package struct MaterialPassage: Sendable, Hashable {
    /// In frames of the recording. The passages of a section follow one another without gaps.
    package let range: Range<Int64>
    package let decision: MaterialDecision
    /// Speech or music.
    package var material: Material { decision.material }

    /// The evidence for a change, in units of ``MaterialFeatures/score``. A short remark in music, or a few chords in
    /// speech, are passages if they last three seconds and are beyond doubt.
    static let changePrice = 12.0

    /// A section as one passage.
    package init(_ seconds: [MaterialFeatures], all section: Range<Int64>) {
        self.init(range: section, decision: MaterialDecision(seconds))
    }

    private init(range: Range<Int64>, decision: MaterialDecision) {
        self.range = range
        self.decision = decision
    }

    /// Returns the passages of a section, at least one.
    ///
    /// - Parameters:
    ///   - seconds: Seconds as returned by ``MaterialFeatures/seconds(in:within:of:)`` for the section, in any order.
    ///     Silent seconds, which are missing, belong to either side.
    ///   - section: In frames of the recording; not empty.
    ///
    /// Real-time safe: no.
    package static func passages(
        of seconds: [MaterialFeatures], in section: Range<Int64>, sampleRate: Int
    ) -> [MaterialPassage] {
        let rate = Int64(sampleRate)
        let first = section.lowerBound.gridIndex(step: rate)
        let end = (section.upperBound - 1).gridIndex(step: rate) + 1
        var evidence = [Double](repeating: 0, count: Int(end - first))
        for second in seconds {
            let index = Int(second.range.lowerBound.gridIndex(step: rate) - first)
            if evidence.indices.contains(index) { evidence[index] = second.score }
        }
        var found = runs(of: cheapest(evidence)).map { run in
            let range = (first + Int64(run.lowerBound)) * rate..<(first + Int64(run.upperBound)) * rate
            return passage(of: seconds, in: range.clamped(to: section))
        }
        // A run without a voice is music after all, and forms one passage with its neighbours.
        var index = 1
        while index < found.count {
            guard found[index].material == found[index - 1].material else {
                index += 1
                continue
            }
            let range = found[index - 1].range.lowerBound..<found[index].range.upperBound
            found[index - 1] = passage(of: seconds, in: range)
            found.remove(at: index)
            index = max(1, index - 1)
        }
        return found
    }

    private static func passage(of seconds: [MaterialFeatures], in range: Range<Int64>) -> MaterialPassage {
        MaterialPassage(range: range, decision: MaterialDecision(seconds.filter { $0.range.overlaps(range) }))
    }

    /// Returns for each second whether the second is speech, so that evidence and changes together cost least.
    static func cheapest(_ evidence: [Double]) -> [Bool] {
        // Cost of the best path to a second that ends as music, and as speech; and whether each path changed at this
        // second.
        var (music, speech) = (0.0, 0.0)
        var changes: [(toMusic: Bool, toSpeech: Bool)] = []
        changes.reserveCapacity(evidence.count)
        for value in evidence {
            let change = (toMusic: speech + changePrice < music, toSpeech: music + changePrice < speech)
            let (fromMusic, fromSpeech) = (music, speech)
            music = (change.toMusic ? fromSpeech + changePrice : fromMusic) + value
            speech = (change.toSpeech ? fromMusic + changePrice : fromSpeech) - value
            changes.append(change)
        }
        var isSpeech = speech < music
        var result = [Bool](repeating: false, count: evidence.count)
        for index in evidence.indices.reversed() {
            result[index] = isSpeech
            if isSpeech ? changes[index].toSpeech : changes[index].toMusic { isSpeech.toggle() }
        }
        return result
    }

    private static func runs(of values: [Bool]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        for index in 1..<max(1, values.count) where values[index] != values[index - 1] {
            runs.append(start..<index)
            start = index
        }
        return runs + [start..<values.count]
    }
}
