// Keys that change the recording's saved sections while the recording plays.
import Explanations
import WoodshedPractice

/// Carries out the keys of the saved sections.
struct SectionKeys {
    let session: PracticeSession
    let keeper: SectionKeeper
    /// True if the session plays the saved sections and follows every change.
    let follows: Bool
    /// The saved sections to play, and the own settings that apply.
    let choice: SavedChoice
    /// Called on the keeper's thread.
    let tell: @Sendable (KeptNews) -> Void

    /// A key's arguments, captured at the press: the recording plays on while a name is typed.
    struct Order: Equatable, Sendable {
        let key: KeyAction.Sections
        /// Frames of the recording's file.
        var frames: Range<Int64>?
        var section: Int?
    }

    /// Returns the order for a key, or throws the reason for a refusal.
    func order(_ key: KeyAction.Sections) throws(SessionError) -> Order {
        switch key {
        case .mark:
            let frame = clip.fileFrame(forFrame: try session.markFrame())
            return Order(key: key, frames: frame..<frame)
        case .save:
            guard let loop = loopFrames else { throw .noLoop }
            return Order(key: key, frames: loop)
        case .rename, .remove, .toggleHard:
            // A saved loop counts as its section.
            if session.marks.isRunning { return Order(key: key, frames: loopFrames) }
            guard let id = session.currentSavedID else { throw Self.notSaved }
            return Order(key: key, section: id)
        case .undo, .redo: return Order(key: key)
        }
    }

    /// The loop, in frames of the recording's file; nil without a loop.
    private var loopFrames: Range<Int64>? {
        guard let range = session.marks.range else { return nil }
        let (start, end) = (clip.fileFrame(forFrame: range.lowerBound), clip.fileFrame(forFrame: range.upperBound))
        return start..<max(start + 1, min(end, clip.info.frameCount))
    }

    private static let notSaved = SessionError(
        .noSections, "the playing section is not saved", remedy: "Press S to save a loop, or m to mark a point.")

    /// Carries out an order on the keeper's thread.
    ///
    /// - Parameter name: The typed name.
    /// - Returns: The refusal, if too many orders wait for the disk.
    func carryOut(_ order: Order, name: String = "") -> String? {
        let (session, keeper, follows, choice, tell) = (session, keeper, follows, choice, tell)
        return keeper.post(.order) {
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

    /// Starts following changes of the sections by other programs, such as `woodshed sections` in another terminal.
    func followOthers() {
        let (session, keeper) = (session, keeper)
        keeper.post(.single) {
            // A key that needs the store reports why the store is unreadable.
            guard let kept = try? keeper.kept(session.player.clip.info) else { return }
            // Subscribes before reading the list, so later changes are reported.
            let changes = kept.store.changes
            guard (try? kept.list()) != nil else { return }
            // Takes over changes since the plan was made.
            takeOver(kept)
            Task.detached {
                for await keys in changes where keys.contains(kept.recording.key) {
                    keeper.post(.refresh) { takeOver(kept) }
                }
            }
        }
    }

    /// Plays the sections in the store if they differ from the playing sections.
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

    /// Plays the saved sections from now on, or the whole recording if there are none.
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
