// The requests of the control side to the render thread: trivial values in a ring, applied in order, each at an exact
// frame.
internal import DSP

/// One request to a player's render state. Real-time safe: yes, because trivial.
struct PlayerCommand: Sendable, BitwiseCopyable {
    enum Code: UInt8, Sendable, BitwiseCopyable {
        /// Play from the first pass of section `moved.to`, from clip frame `value` if the section has this frame.
        case start
        /// Fade out and keep the place; `value` is the reason.
        case pause
        /// Continue from the place of the pause, if the pause has the reason `value` or `value` is `anyReason`.
        case resume
        /// Freeze the sound at the current place.
        case freeze
        /// Continue from the place of the frozen sound.
        case unfreeze
        /// Fade out and finish; `value` is the reason.
        case stop
        /// Play from clip frame `value`, in this pass if its section contains the frame.
        case seek
        /// Play from the first pass of section `value`.
        case skip
        /// Play the score in `score`, continuing at the current clip frame.
        case replaceScore
        /// Play the score in `score`, which differs only in its speed, within the current voice if possible; `value` is
        /// the length of the glide in frames.
        case changeSpeed
        /// Continue with the score in `score`, a version of the score at address `value` after further analysis.
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
    /// For a new score: the new position of the section that plays. For a start: the section, as its target, or
    /// `SectionMove.chosen`.
    var moved = SectionMove()
    /// For a change of speed scheduled in a voice at the frame `frame`: the layer of that voice.
    var toldLayer: Int64?
    /// Number of a move to a known place in the next block, from 1 in the order of the requests; 0 for other requests.
    var moveNumber: Int64 = 0

    /// True if the command may change the audible layers, which requires that few layers are audible.
    var changesLayers: Bool { code != .gain && code != .strip && code != .adoptScore }

    /// True if the command replaces the current score by another score.
    var replacesScore: Bool { code == .replaceScore || code == .changeSpeed }

    /// Returns true if this command makes an earlier change of the score inaudible. Both requests name the same frame,
    /// with nothing but such changes between these two.
    ///
    /// A new score and a step replace all earlier changes. A glide still begins at the speed of the earlier step or
    /// score.
    func supersedes(_ earlier: PlayerCommand) -> Bool {
        code == .replaceScore || value == 0 || earlier.code == .changeSpeed && earlier.value > 0
    }

    /// Takes over the role of a superseded change: if the earlier change adds a layer, this change adds a layer too.
    mutating func standIn(for earlier: PlayerCommand) {
        guard earlier.code == .replaceScore else { return }
        code = .replaceScore
        moved = moved.after(earlier.moved)
        moveNumber = max(moveNumber, earlier.moveNumber)
    }

    /// True if the command carries `score`, which must be returned.
    var bringsScore: Bool { code == .replaceScore || code == .changeSpeed || code == .adoptScore }
}

/// Position of a section of one score in the next score, which has other sections. Trivial.
struct SectionMove: Sendable, BitwiseCopyable {
    /// Places in the old and in the new score, from 0; -1 for an unchanged place.
    var from: Int32 = -1
    var to: Int32 = -1
    /// The pass at which to continue, from 0; -1 for the current pass.
    var pass: Int32 = -1
    /// True if the section at `to` begins anew at its first frame, whichever section plays.
    var begins = false
    /// True if the moving section begins anew when it lacks the current frame or gap; false if another section with
    /// this frame continues.
    var staysWithin = false

    /// For a start: the place chosen by earlier requests.
    static let chosen: Int32 = -2

    /// Returns true if the move concerns the section at a place in the old score.
    private func concerns(_ section: Int) -> Bool { begins || from >= 0 && section == Int(from) }

    /// Changes a place in the old score to the matching place in the new score.
    func apply(to place: inout Place) {
        guard concerns(place.section) else { return }
        place.section = Int(to)
        if pass >= 0 { place.pass = Int(pass) }
        // Before every section: a place outside every score is fitted to the section's beginning.
        if begins { (place.isRest, place.clipFrame, place.pass) = (false, -1, 0) }
    }

    /// Returns the place in the new score of a section left by the player; -1 if another section continues.
    func place(leaving section: Int) -> Int { concerns(section) ? begins ? -1 : Int(to) : section }

    /// Returns the combination of both moves, this move last.
    func after(_ earlier: SectionMove) -> SectionMove {
        if begins { return self }
        if from < 0 { return earlier }
        // Another section than the beginning section in between: no change.
        guard earlier.to == from else { return earlier.begins ? earlier : self }
        return SectionMove(
            from: earlier.from, to: to, pass: pass >= 0 ? pass : earlier.pass, begins: earlier.begins,
            staysWithin: staysWithin)
    }
}

/// Contents of a score for the render thread. The control side owns the memory, as long as the storage exists:
/// `ScoreStorage`.
@safe
struct ScoreTables {
    let parts: UnsafePointer<ScorePart>
    /// The method of each part.
    let choices: UnsafePointer<VoiceChoice>
    let partCount: Int
    /// True if the first part follows the last.
    let repeats: Bool
    /// As in `ClipPlaces`.
    let edges: UnsafePointer<Int64>
    let owners: UnsafePointer<Int32>
    let edgeCount: Int
}

/// The parts of a score in memory that the render thread can read. The control side owns the memory: `ScoreStorage`.
@safe
struct RenderScore: @unchecked Sendable, BitwiseCopyable {
    /// Valid as long as its storage, which exists until the render side returns the score.
    private let tables: UnsafePointer<ScoreTables>?
    /// Memory for a repeated pass.
    let recording: PassMemory
    /// The player's voices, from the first score that needs voices on.
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

    /// Returns a part. `index` must be in `0 ..< partCount`; every caller takes the index from this score's own cursor.
    func part(_ index: Int) -> ScorePart {
        guard let tables = unsafe tables, index >= 0, unsafe index < tables.pointee.partCount else { return .empty }
        return unsafe tables.pointee.parts[index]
    }

    /// Returns true if no part follows a part.
    func isLast(_ index: Int) -> Bool { !repeats && index + 1 == partCount }

    /// Returns the part that follows a part; the empty part if there is none.
    func next(after index: Int) -> (part: ScorePart, index: Int) {
        let next = repeats && index + 1 == partCount ? 0 : index + 1
        return (part(next), next)
    }

    /// Returns the method of a part.
    func choice(_ index: Int) -> VoiceChoice {
        guard let tables = unsafe tables, index >= 0, unsafe index < tables.pointee.partCount else { return .plain }
        return unsafe tables.pointee.choices[index]
    }

    /// Returns the index of the part that contains a pass of a section.
    func partIndex(section: Int, pass: Int) -> Int? {
        guard let index = lastPartIndex(section: section, pass: pass) else { return nil }
        let part = part(index)
        return pass >= part.firstPass && pass < part.firstPass + part.passCount ? index : nil
    }

    /// Returns the index of the part that contains the last pass of a section.
    func lastPartIndex(section: Int) -> Int? { lastPartIndex(section: section, pass: .max) }

    /// Returns the index of the last part of a section that begins at or before a pass. The parts are in the order of
    /// their sections and passes.
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

    /// Returns the index of the first part that plays a frame of the clip.
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

/// Owns the parts that the render thread reads, with everything behind their pointers. Threads: created and released on
/// the control side only.
@safe
final class ScoreStorage: @unchecked Sendable {
    /// Maximum size of a kept pass: 64 MiB, three minutes of stereo at 44.1 kHz.
    static let recordingLimit = 64 << 20

    let score: Score
    /// Results of the analysis so far. Keeps the data behind the voices' choices alive.
    let preparation: Preparation
    /// The request for its preparation; nil once the preparation is complete.
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
    ///   - ticket: of the request with a result still to come.
    ///   - voices: the player's voices, if any.
    ///   - pass: the player's memory for repeated passes, if any.
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

    /// Returns a copy of the elements at an address that does not change.
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

    /// True if the storage brings voices to the render side.
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
