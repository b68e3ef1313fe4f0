// The keys that change the sections kept with the recording, while it plays.
import Explanations
import Woodshed

/// Carries out the keys of the saved sections.
struct SectionKeys {
    let session: PracticeSession
    let keeper: SectionKeeper
    /// Whether the session plays what is saved, and follows every change.
    let follows: Bool
    /// Which of the saved sections are played, and how.
    let choice: SavedChoice
    /// Called on the keeper's thread.
    let tell: @Sendable (KeptNews) -> Void

    /// What a key needs to be carried out, as it is when the key is pressed: while a name is typed, the recording plays on.
    struct Order: Equatable, Sendable {
        let key: KeyAction.Sections
        /// Frames of the recording's file.
        var frames: Range<Int64>?
        var section: Int?
    }

    /// What follows from a key, or why nothing can.
    func order(_ key: KeyAction.Sections) throws(SessionError) -> Order {
        switch key {
        case .mark:
            let frame = clip.fileFrame(forFrame: try session.markFrame())
            return Order(key: key, frames: frame..<frame)
        case .save:
            guard let loop = loopFrames else { throw .noLoop }
            return Order(key: key, frames: loop)
        case .rename, .remove, .toggleHard:
            // A loop that was saved is its section.
            if session.marks.isRunning { return Order(key: key, frames: loopFrames) }
            guard let id = session.currentSavedID else { throw Self.notSaved }
            return Order(key: key, section: id)
        case .undo, .redo: return Order(key: key)
        }
    }

    /// The loop, in frames of the recording's file; nil if there is none.
    private var loopFrames: Range<Int64>? {
        guard let range = session.marks.range else { return nil }
        let (start, end) = (clip.fileFrame(forFrame: range.lowerBound), clip.fileFrame(forFrame: range.upperBound))
        return start..<max(start + 1, min(end, clip.info.frameCount))
    }

    private static let notSaved = SessionError(
        .noSections, "what plays is not a saved section", remedy: "Press S to save a loop, or m to mark a point.")

    /// Carries out an order on the keeper's thread.
    ///
    /// - Parameter name: What was typed.
    func carryOut(_ order: Order, name: String = "") {
        let (session, keeper, follows, choice, tell) = (session, keeper, follows, choice, tell)
        keeper.post(isOrder: true) {
            do {
                let kept = try keeper.kept(session.player.clip.info)
                let before = try kept.list()
                let change: SectionChange
                switch order.key {
                case .undo: change = try kept.store.undo(kept.recording.key)
                case .redo: change = try kept.store.redo(kept.recording.key)
                default:
                    guard let edit = Self.edit(order, name: name, in: before) else { throw Self.notSaved }
                    change = try kept.store.apply(edit, to: kept.recording)
                }
                let list = try kept.list()
                keeper.note(list)
                if follows { try Self.play(list, on: session, choice) }
                tell(.changed(change, list, Self.words(order, change, list, kept)))
            } catch let error as any ExplainedError {
                tell(.refused([error.message, error.remedy]))
            } catch {
                tell(.refused(["\(error)"]))
            }
        }
    }

    /// Plays what another program makes of the sections, from now on: `woodshed sections` in another terminal, for example.
    func followOthers() {
        let (session, keeper) = (session, keeper)
        keeper.post {
            // A key that needs the store tells why it cannot be read.
            guard let kept = try? keeper.kept(session.player.clip.info) else { return }
            // Before the list is read: what changes after that is told.
            let changes = kept.store.changes
            guard (try? kept.list()) != nil else { return }
            // What has changed since the plan was made.
            takeOver(kept)
            Task.detached {
                for await keys in changes where keys.contains(kept.recording.key) {
                    keeper.post { takeOver(kept) }
                }
            }
        }
    }

    /// Plays the sections as they are in the store, if they are not the ones that are played.
    private func takeOver(_ kept: KeptRecording) {
        do {
            let list = try kept.list()
            guard let before = keeper.note(list), before != list else { return }
            if follows { try Self.play(list, on: session, choice) }
            let change = before.change(to: list, summary: "changed by another program")
            let count = counted(list.sections.count, "section")
            tell(.changed(change, list, "\(change.summary), \(count)"))
        } catch let error as any ExplainedError {
            tell(.refused([error.message, error.remedy]))
        } catch {
            tell(.refused(["\(error)"]))
        }
    }

    private static func edit(_ order: Order, name: String, in list: SectionList) -> SectionEdit? {
        switch order.key {
        case .mark: return order.frames.map { .mark(frame: $0.lowerBound, name: name) }
        case .save: return order.frames.map { .add([SectionDraft($0, name: name)]) }
        case .rename, .remove, .toggleHard:
            let isMeant = { (section: SavedSection) in
                order.section.map { $0 == section.id } ?? (section.frames == order.frames)
            }
            guard let section = list.sections.first(where: isMeant) else { return nil }
            switch order.key {
            case .rename: return .rename(id: section.id, name: name)
            case .remove: return .remove(ids: [section.id])
            default: return .setHard(id: section.id, !section.isHard)
            }
        case .undo, .redo: return nil
        }
    }

    /// Plays what is saved from now on, or the whole recording if nothing is.
    private static func play(_ list: SectionList, on session: PracticeSession, _ choice: SavedChoice) throws {
        let timeline = Timeline(session.player.clip)
        let sections = try choice.sections(of: list, timeline)
        if !sections.isEmpty {
            try session.setSections(sections.map(\.section), savedIDs: sections.map(\.savedID))
        } else if !choice.isRestricted {
            try session.setSections([try TimeRange.whole.section(of: timeline)])
        }
    }

    private static func words(
        _ order: Order, _ change: SectionChange, _ list: SectionList, _ kept: KeptRecording
    ) -> String {
        let count = counted(list.sections.count, "section")
        guard !change.isEmpty else {
            return order.key == .mark ? "a section begins there already" : "nothing to change"
        }
        switch order.key {
        case .mark: return "marked \(order.frames.map { kept.clock($0.lowerBound) } ?? ""), \(count)"
        case .save:
            let number = change.added.first.flatMap { list.number(ofID: $0.id) } ?? 0
            return "saved as section \(number) of \(list.sections.count)"
        case .undo: return "undid: \(change.summary), \(count)"
        case .redo: return "did again: \(change.summary), \(count)"
        case .rename, .remove, .toggleHard: return "\(change.summary), \(count)"
        }
    }

    private var clip: Clip { session.player.clip }
}
