// Kept data of a recording, loaded by `practice` at its start and stored at its end.
import Terminal
import WoodshedPractice

/// A recording's saved sections, settings and position, for a run.
final class Keeping {
    let keeper: SectionKeeper
    private let copies: CopySearch
    /// True if the run plays the saved sections and follows their changes, because no option chose other sections.
    private let follows: Bool
    private let choice: SavedChoice
    /// Moment for showing sections' texts, unless a recipe sets the moment.
    private let textMoment: TextMoment
    /// Steps for each section, and the moments of its text.
    var recipe: Recipe?
    /// True to mix a take and its model when both are played together.
    var mixesBoth = false
    /// Texts of sections, by section identity.
    private(set) var texts: [Int: String] = [:]
    /// Identities of the sections marked as hard.
    private(set) var hardIDs: Set<Int> = []
    /// True if the user listens and may want to continue from this place later.
    private var remembers: Bool
    /// Stored data at the start of the run; nil if absent or unreadable.
    private var found: StoredRecording?
    /// Message at the start of the run: the resumed place, and changed settings.
    private(set) var greeting: String?
    private var isOpened = false
    /// Settings from the configuration file, for every recording.
    private let configured: KeptSettings
    /// Practice progress, logged during the run.
    let progress: SessionProgress

    /// A place less than this many seconds from either end does not count as a place to resume.
    private static let endSeconds = 2.0
    /// Wait for the disk at the end of the run, in seconds: twice the store's wait for another program.
    static let patience = 10.0

    /// - Throws: A `CommandFailure` for an unreadable configuration file.
    init(
        file: String, follows: Bool, choice: SavedChoice, textMoment: TextMoment, remembers: Bool,
        asks: Bool = false
    ) throws(CommandFailure) {
        keeper = SectionKeeper(file: file)
        copies = CopySearch(keeper)
        progress = SessionProgress(keeper, remembers: remembers, asks: asks)
        configured = try SettingsLayers().kept
        (self.follows, self.choice, self.textMoment, self.remembers) = (follows, choice, textMoment, remembers)
    }

    /// Takes over the texts and the hard marks of a list's sections.
    func take(_ list: SectionList) {
        hardIDs = Set(list.sections.filter(\.isHard).map(\.id))
        texts = Dictionary(uniqueKeysWithValues: list.sections.filter { !$0.text.isEmpty }.map { ($0.id, $0.text) })
    }

    /// Returns the moment of a section's text in a pass, counted from 1.
    func textMoment(inPass pass: Int) -> TextMoment { recipe?.text(inPass: pass) ?? textMoment }

    /// Returns the saved sections for the plan.
    func saved(_ clip: Clip) -> SavedSections {
        let (keeper, follows) = (keeper, follows)
        open(clip)
        return SavedSections(areDefault: follows, choice: choice) {
            do {
                let list = try keeper.kept(clip.info).list()
                // From here on, changes by other programs are noticed.
                keeper.note(list)
                return list
            } catch {
                // `open` already reported the error. Unless a section was named, the recording still plays.
                if follows { return nil }
                throw error
            }
        }
    }

    /// Returns the settings kept with the recording, over the configured settings.
    func settings(_ clip: Clip) -> KeptSettings {
        open(clip)
        return configured.overlaid(by: KeptSettings(found?.settings ?? [:]))
    }

    private func open(_ clip: Clip) {
        guard !isOpened else { return }
        isOpened = true
        do {
            let kept = try keeper.kept(clip.info)
            found = try kept.store.recording(kept.recording.key)
            take(try kept.list())
        } catch let error as StoreError where error.kind == .noHome {
            // Normal for a service without a home. A key that needs a home reports the error.
        } catch let error as any ExplainedError {
            StandardStream.error.note(error.text)
        } catch {
            StandardStream.error.note("woodshed: " + printable("\(error)"))
        }
    }

    /// Resumes at the end of the last run: at the last section, or at the position in a recording without sections.
    func goOn(_ plan: SessionPlan, _ clip: Clip) -> SessionPlan {
        open(clip)
        let settings = self.settings(clip)
        guard remembers, follows, let found else { return plan }
        var (plan, words) = (plan, [String]())
        if let position = found.position {
            let frame = clip.frame(forFileFrame: position)
            let sections = plan.practice.sections
            let isSaved = plan.savedIDs.contains { $0 != nil }
            let endFrames = Int64(Self.endSeconds * Double(clip.sampleRate))
            // If sections overlap, the last section in the list is resumed.
            let place = sections.indices.last { sections[$0].range.contains(frame) }
            if let place, isSaved, place > 0 {
                plan.firstSection = place + 1
                let name = sections[place].name.map { ", " + $0 } ?? ""
                words.append("section \(place + 1) of \(sections.count)\(name)")
            } else if !isSaved, frame > endFrames, frame < clip.frameCount - endFrames {
                plan.firstFrame = frame
                words.append(clockText(Double(frame) / Double(clip.sampleRate)))
            }
        }
        if let speed = settings.speed, choice.speed { words.append(percentText(speed.factor)) }
        if let pitch = settings.pitch { words.append(semitoneText(pitch.semitones)) }
        greeting = words.isEmpty ? nil : "going on: " + words.joined(separator: ", ")
        return plan
    }

    /// Returns the recording in the store; nil if it cannot be kept.
    func kept(_ clip: Clip) -> KeptRecording? {
        open(clip)
        return try? keeper.kept(clip.info)
    }

    /// Starts the search for copies of the recording during playback.
    func searchCopies(_ clip: Clip, tell: @escaping @Sendable (KeptNews) -> Void) {
        guard remembers else { return }
        copies.start(clip.info, file: keeper.file) { tell(.offered($0)) }
    }

    /// Returns the handler of keys that change the saved sections.
    func keys(of session: PracticeSession, tell: @escaping @Sendable (KeptNews) -> Void) -> SectionKeys {
        SectionKeys(session: session, keeper: keeper, follows: follows, choice: choice, tell: tell)
    }

    /// Leaves the stored place and settings as they are.
    func dropPlace() { remembers = false }

    /// Stores the position, speed, pitch, strip, passes and gap of an ending session. `finish` waits for the store.
    ///
    /// - Parameter tell: Called on the keeper's thread if the store refuses.
    func remember(_ session: PracticeSession, isCompleted: Bool, tell: @escaping @Sendable (KeptNews) -> Void) {
        copies.end()
        guard remembers else { return }
        let (keeper, status, clip) = (keeper, session.player.statusAfterMoves, session.player.clip)
        var settings = KeptSettings(found?.settings ?? [:])
        if let speed = session.speed {
            settings.set(speed: speed.factor)
        } else if case .constant(let speed) = session.plan.practice.speeds {
            settings.set(speed: speed.factor)
        }
        settings.set(semitones: session.pitch.semitones)
        settings.set(strip: session.player.strip)
        settings.set(passes: session.passes)
        settings.set(gap: session.gap)
        // A session played to its end starts from the beginning the next time.
        let isOver = isCompleted
        let position = isOver ? nil : clip.fileFrame(forFrame: status.clipFrame)
        keeper.post(.single) { [texts = settings.texts] in
            do {
                let kept = try keeper.kept(clip.info)
                func remember() throws {
                    try kept.store.remember(kept.recording, position: position, settings: texts)
                }
                // Another program may lock the store for longer than a single attempt waits.
                do { try remember() } catch let error as StoreError where error.kind == .busy { try remember() }
            } catch let error as StoreError where error.kind == .noHome {
                // There was no place to store from the beginning.
            } catch let error as any ExplainedError {
                tell(.refused(["woodshed: the place is not remembered: " + error.message]))
            } catch {
                tell(.refused(["woodshed: the place is not remembered: \(error)"]))
            }
        }
    }

    /// Waits until all changes, ratings and settings are written.
    ///
    /// - Returns: Words for the user if the disk does not answer.
    func finish() -> [String] {
        copies.end()
        guard !keeper.finish(seconds: Self.patience) else { return [] }
        return ["woodshed: the disk does not answer; the place and the last changes may not be kept"]
    }
}
