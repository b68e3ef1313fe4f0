// The requests of the control side to the render thread: trivial values in a ring, applied in order, each at an exact frame.
internal import DSP

/// One request to a player's render state. Real-time safe: yes, it is trivial.
struct PlayerCommand: Sendable, BitwiseCopyable {
    enum Code: UInt8, Sendable, BitwiseCopyable {
        /// Play from the first pass of section `moved.to`, from clip frame `value` if the section has it.
        case start
        /// Fade out and keep the place; `value` is the reason.
        case pause
        /// Continue from the place of the pause, if its reason is `value` or `value` is `anyReason`.
        case resume
        /// Hold the sound at the current place.
        case freeze
        /// Continue from the place of the frozen sound.
        case unfreeze
        /// Fade out and finish; `value` is the reason.
        case stop
        /// Play from clip frame `value`, in this pass if its section contains it.
        case seek
        /// Play from the first pass of section `value`.
        case skip
        /// Play the score in `score`, continuing at the current clip frame.
        case replaceScore
        /// Play the score in `score`, which differs only in its speed, within the current voice if possible;
        /// `value` is the length of the glide in frames.
        case changeSpeed
        /// Continue with the score in `score`, which is the one at the address `value` with more known about it.
        case adoptScore
        /// Glide to the gain `gain`.
        case gain
        /// Change to the strip `strip`.
        case strip
    }

    /// For `resume`: any reason.
    static let anyReason: Int64 = -1

    var code: Code
    /// The output frame at which to act; -1, or a frame in the past, means at once.
    var frame: Int64 = -1
    var value: Int64 = 0
    var gain: Float = 1
    var strip = StripSettings.neutral
    var score = RenderScore.none
    /// For a new score: where the section that plays has gone. For a start: the section, as its target, or `SectionMove.chosen`.
    var moved = SectionMove()
    /// For a change of speed that a voice was told for the frame `frame`: the layer of that voice.
    var toldLayer: Int64?

    /// True if the command may change the audible layers, which requires that few are audible.
    var changesLayers: Bool { code != .gain && code != .strip && code != .adoptScore }

    /// True if the command replaces the current score by another one.
    var replacesScore: Bool { code == .replaceScore || code == .changeSpeed }

    /// Whether this command makes an earlier change of the score inaudible, if both were requested for the same frame with nothing but
    /// such changes between them.
    ///
    /// A new score and a step replace everything before them. A glide still begins at the speed of the step or the score before it.
    func supersedes(_ earlier: PlayerCommand) -> Bool {
        code == .replaceScore || value == 0 || earlier.code == .changeSpeed && earlier.value > 0
    }

    /// Takes over the role of a change that it supersedes: a change that adds a layer still adds one.
    mutating func standIn(for earlier: PlayerCommand) {
        guard earlier.code == .replaceScore else { return }
        code = .replaceScore
        moved = moved.after(earlier.moved)
    }

    /// True if the command carries `score`, which must be returned.
    var bringsScore: Bool { code == .replaceScore || code == .changeSpeed || code == .adoptScore }
}

/// Where a section of one score is in the next one, which has other sections. Trivial.
struct SectionMove: Sendable, BitwiseCopyable {
    /// Places in the old and in the new score, from 0; -1 if it keeps its place.
    var from: Int32 = -1
    var to: Int32 = -1
    /// The pass in which it goes on, from 0; -1 for the one that plays.
    var pass: Int32 = -1
    /// Whether the section at `to` begins anew at its first frame, whichever section plays.
    var begins = false
    /// Whether the section that moves begins anew if it has not the frame that plays; otherwise another section that has it goes on.
    var staysWithin = false

    /// For a start: where earlier requests have moved the player to.
    static let chosen: Int32 = -2

    /// Whether it concerns the section at a place in the old score.
    private func concerns(_ section: Int) -> Bool { begins || from >= 0 && section == Int(from) }

    /// Changes a place in the old score to the one in the new score.
    func apply(to place: inout Place) {
        guard concerns(place.section) else { return }
        place.section = Int(to)
        if pass >= 0 { place.pass = Int(pass) }
        // Before every section: a place that no score has is fitted to the section's beginning.
        if begins { (place.isRest, place.clipFrame, place.pass) = (false, -1, 0) }
    }

    /// The place in the new score of a section that is left; -1 if it is not the one that goes on.
    func place(leaving section: Int) -> Int { concerns(section) ? begins ? -1 : Int(to) : section }

    /// Both moves, this one last.
    func after(_ earlier: SectionMove) -> SectionMove {
        if begins { return self }
        if from < 0 { return earlier }
        // Another section than the one that begins in between: it stays as it is.
        guard earlier.to == from else { return earlier.begins ? earlier : self }
        return SectionMove(
            from: earlier.from, to: to, pass: pass >= 0 ? pass : earlier.pass, begins: earlier.begins,
            staysWithin: staysWithin)
    }
}

/// What a score holds for the render thread. The control side owns the memory, as long as the storage exists: `ScoreStorage`.
@safe
struct ScoreTables {
    let parts: UnsafePointer<ScorePart>
    /// The method of each part.
    let choices: UnsafePointer<VoiceChoice>
    let partCount: Int
    /// Whether the first part follows the last.
    let repeats: Bool
    /// As in `ClipPlaces`.
    let edges: UnsafePointer<Int64>
    let owners: UnsafePointer<Int32>
    let edgeCount: Int
}

/// The parts of a score in memory that the render thread can read. The control side owns the memory: `ScoreStorage`.
@safe
struct RenderScore: @unchecked Sendable, BitwiseCopyable {
    /// Valid while the storage that made this exists, which is until the render side returns it.
    private let tables: UnsafePointer<ScoreTables>?
    /// Memory for a repeated pass.
    let recording: PassMemory
    /// The player's voices, from the first score that needs them on.
    let voices: VoicePool

    static var none: RenderScore { unsafe RenderScore(nil, recording: .none, voices: .none) }

    init(_ tables: UnsafePointer<ScoreTables>?, recording: PassMemory, voices: VoicePool) {
        unsafe self.tables = tables
        self.recording = recording
        self.voices = voices
    }

    /// Identifies the storage, so that the control side knows which score was returned.
    var address: Int { unsafe tables.map { Int(bitPattern: $0) } ?? 0 }

    private var partCount: Int {
        guard let tables = unsafe tables else { return 0 }
        return unsafe tables.pointee.partCount
    }

    private var repeats: Bool {
        guard let tables = unsafe tables else { return false }
        return unsafe tables.pointee.repeats
    }

    /// A part. `index` must be in `0 ..< partCount`; every caller takes it from this score's own cursor.
    func part(_ index: Int) -> ScorePart {
        guard let tables = unsafe tables, index >= 0, unsafe index < tables.pointee.partCount else { return .empty }
        return unsafe tables.pointee.parts[index]
    }

    /// Whether no part follows a part.
    func isLast(_ index: Int) -> Bool { !repeats && index + 1 == partCount }

    /// The part that follows a part; the empty part if there is none.
    func next(after index: Int) -> (part: ScorePart, index: Int) {
        let next = repeats && index + 1 == partCount ? 0 : index + 1
        return (part(next), next)
    }

    /// The method with which a part is played.
    func choice(_ index: Int) -> VoiceChoice {
        guard let tables = unsafe tables, index >= 0, unsafe index < tables.pointee.partCount else { return .plain }
        return unsafe tables.pointee.choices[index]
    }

    /// The part that contains a pass of a section.
    func partIndex(section: Int, pass: Int) -> Int? {
        guard let index = lastPartIndex(section: section, pass: pass) else { return nil }
        let part = part(index)
        return pass >= part.firstPass && pass < part.firstPass + part.passCount ? index : nil
    }

    /// The part that contains the last pass of a section.
    func lastPartIndex(section: Int) -> Int? { lastPartIndex(section: section, pass: .max) }

    /// The last part of a section that does not begin after a pass. The parts are in the order of their sections and passes.
    private func lastPartIndex(section: Int, pass: Int) -> Int? {
        guard let tables = unsafe tables else { return nil }
        var (low, high) = unsafe (0, tables.pointee.partCount)
        while low < high {
            let middle = low + (high - low) / 2
            let (other, first) = unsafe (
                tables.pointee.parts[middle].section, tables.pointee.parts[middle].firstPass
            )
            if other < section || other == section && first <= pass { low = middle + 1 } else { high = middle }
        }
        guard low > 0, unsafe tables.pointee.parts[low - 1].section == section else { return nil }
        return low - 1
    }

    /// The first part in which a frame of the clip is heard.
    func partIndex(holding clipFrame: Int64) -> Int? {
        guard let tables = unsafe tables else { return nil }
        var (low, high) = unsafe (0, tables.pointee.edgeCount)
        while low < high {
            let middle = low + (high - low) / 2
            if unsafe tables.pointee.edges[middle] <= clipFrame { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let owner = unsafe Int(tables.pointee.owners[low - 1])
        return owner >= 0 ? owner : nil
    }
}

/// Owns the parts that the render thread reads and everything they refer to. Created and released on the control side only.
@safe
final class ScoreStorage: @unchecked Sendable {
    /// The most bytes in which a player keeps a pass: 64 MiB, three minutes of stereo at 44.1 kHz.
    static let recordingLimit = 64 << 20

    let score: Score
    /// What is known of the score. Keeps the data that the voices' choices refer to.
    let preparation: Preparation
    /// The request for its preparation, if that is not finished.
    let ticket: Int?
    private let parts: UnsafeMutableBufferPointer<ScorePart>
    private let choices: UnsafeMutableBufferPointer<VoiceChoice>
    private let edges: UnsafeMutableBufferPointer<Int64>
    private let owners: UnsafeMutableBufferPointer<Int32>
    private let tables: UnsafeMutablePointer<ScoreTables>
    private let pass: PassStorage?
    private let voices: VoiceStorage?

    /// - Parameters:
    ///   - preparation: made for this score.
    ///   - ticket: of the request whose result is still expected.
    ///   - voices: the player's, if it has any.
    ///   - pass: the player's memory for repeated passes, if there is any.
    init(
        _ score: Score, _ preparation: Preparation, ticket: Int? = nil, voices: VoiceStorage? = nil,
        pass: PassStorage? = nil
    ) {
        self.score = score
        self.preparation = preparation
        self.ticket = ticket
        self.voices = voices
        self.pass = pass
        unsafe parts = Self.copy(of: score.parts)
        unsafe choices = Self.copy(of: preparation.voices)
        unsafe edges = Self.copy(of: score.places.edges)
        unsafe owners = Self.copy(of: score.places.owners)
        unsafe tables = .allocate(capacity: 1)
        guard let parts = unsafe parts.baseAddress, let choices = unsafe choices.baseAddress,
            let edges = unsafe edges.baseAddress, let owners = unsafe owners.baseAddress
        else { preconditionFailure("a score has a section") }
        unsafe tables.initialize(
            to: ScoreTables(
                parts: UnsafePointer(parts), choices: UnsafePointer(choices), partCount: score.parts.count,
                repeats: score.plan.repeats, edges: UnsafePointer(edges), owners: UnsafePointer(owners),
                edgeCount: score.places.edges.count))
    }

    /// Elements at an address that does not change.
    private static func copy<Element: BitwiseCopyable>(of elements: [Element]) -> UnsafeMutableBufferPointer<Element> {
        let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = unsafe memory.initialize(from: elements)
        return unsafe memory
    }

    deinit {
        unsafe tables.deallocate()
        unsafe parts.deallocate()
        unsafe choices.deallocate()
        unsafe edges.deallocate()
        unsafe owners.deallocate()
    }

    /// Whether it brings voices to the render side.
    var hasVoices: Bool { voices != nil }

    var renderScore: RenderScore {
        unsafe RenderScore(tables, recording: pass?.memory ?? .none, voices: voices?.pool ?? .none)
    }
}

extension ScorePart {
    /// The value of a missing part: one frame of nothing, never played.
    static var empty: ScorePart {
        ScorePart(
            section: 0, clipStart: 0, clipEnd: 1, curve: SpeedCurve(speed: 1), pitch: .original, firstPass: 0,
            passCount: 1,
            sectionPasses: 1, gapFrames: 0,
            joint: .hard)
    }
}
