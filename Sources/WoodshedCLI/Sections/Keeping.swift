// What `practice` finds of a recording when it begins, and leaves when it ends.
import Terminal
import Woodshed

/// The saved sections, the settings and the place of one recording, for one run.
final class Keeping {
    let keeper: SectionKeeper
    private let copies: CopySearch
    /// Whether the saved sections are played, and changes of them followed: no option has chosen others.
    private let follows: Bool
    private let choice: SavedChoice
    /// When the texts of sections are shown, unless the recipe says so.
    private let textMoment: TextMoment
    /// How sections are played, and when their texts are shown.
    var recipe: Recipe?
    /// Whether a take and its model are mixed when both are heard at once.
    var mixesBoth = false
    /// The texts of sections, by their identities.
    private(set) var texts: [Int: String] = [:]
    /// The identities of the sections that are marked as hard.
    private(set) var hardIDs: Set<Int> = []
    /// Whether somebody listens, who may want to go on here another time.
    private let remembers: Bool
    /// What was kept when the run began; nil if nothing was, or if it cannot be read.
    private var found: StoredRecording?
    /// What the user is told at the beginning: where it goes on, and how.
    private(set) var greeting: String?
    private var isOpened = false
    /// What the configuration file says for every recording.
    private let configured: KeptSettings
    /// What is written down of the run.
    let progress: SessionProgress

    /// A place that is nearer to the end than this, in seconds, is the end.
    private static let endSeconds = 2.0
    /// How long the run waits at its end for the disk, in seconds: twice as long as the store waits for another program.
    static let patience = 10.0

    /// - Throws: A `CommandFailure` for a configuration file that cannot be read.
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

    /// Takes from a list what is shown of its sections.
    func take(_ list: SectionList) {
        hardIDs = Set(list.sections.filter(\.isHard).map(\.id))
        texts = Dictionary(uniqueKeysWithValues: list.sections.filter { !$0.text.isEmpty }.map { ($0.id, $0.text) })
    }

    /// When the text of a section is shown in a pass, from 1.
    func textMoment(inPass pass: Int) -> TextMoment { recipe?.text(inPass: pass) ?? textMoment }

    /// The saved sections, as the plan wants them.
    func saved(_ clip: Clip) -> SavedSections {
        let (keeper, follows) = (keeper, follows)
        open(clip)
        return SavedSections(areDefault: follows, choice: choice) {
            do {
                let list = try keeper.kept(clip.info).list()
                // A change by another program is one from here on.
                keeper.note(list)
                return list
            } catch {
                // Told by `open`; unless a section was asked for by name, there is a recording to play all the same.
                if follows { return nil }
                throw error
            }
        }
    }

    /// The settings that are kept with the recording.
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
            // A service without a home; whoever presses a key that needs one is told.
        } catch let error as any ExplainedError {
            StandardStream.error.note(error.text)
        } catch {
            StandardStream.error.note("woodshed: " + printable("\(error)"))
        }
    }

    /// Begins where the last run ended: with the section that played, or at its place in a recording without sections.
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
            // Of sections that overlap, the one that begins last.
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

    /// The recording in the store; nil if it cannot be kept.
    func kept(_ clip: Clip) -> KeptRecording? {
        open(clip)
        return try? keeper.kept(clip.info)
    }

    /// Looks for copies of the recording while it plays.
    func searchCopies(_ clip: Clip, tell: @escaping @Sendable (KeptNews) -> Void) {
        guard remembers else { return }
        copies.start(clip.info, file: keeper.file) { tell(.offered($0)) }
    }

    /// The keys that change the saved sections.
    func keys(of session: PracticeSession, tell: @escaping @Sendable (KeptNews) -> Void) -> SectionKeys {
        SectionKeys(session: session, keeper: keeper, follows: follows, choice: choice, tell: tell)
    }

    /// Remembers the place, the speed, the pitch, the strip, the passes and the gap of a session that ends; `finish` waits for it.
    ///
    /// - Parameter tell: Called on the keeper's thread if the store refuses.
    func remember(_ session: PracticeSession, isCompleted: Bool, tell: @escaping @Sendable (KeptNews) -> Void) {
        copies.end()
        guard remembers else { return }
        let (keeper, status, clip) = (keeper, session.player.status, session.player.clip)
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
        // A session that was played to its end begins again the next time.
        let isOver = isCompleted
        let position = isOver ? nil : clip.fileFrame(forFrame: status.clipFrame)
        keeper.post { [texts = settings.texts] in
            do {
                let kept = try keeper.kept(clip.info)
                func remember() throws {
                    try kept.store.remember(kept.recording, position: position, settings: texts)
                }
                // Another program may hold the store for longer than one attempt waits.
                do { try remember() } catch let error as StoreError where error.kind == .busy { try remember() }
            } catch let error as StoreError where error.kind == .noHome {
                // There was no place for it from the beginning.
            } catch let error as any ExplainedError {
                tell(.refused(["woodshed: the place is not remembered: " + error.message]))
            } catch {
                tell(.refused(["woodshed: the place is not remembered: \(error)"]))
            }
        }
    }

    /// Waits until everything is written that was changed, rated and remembered.
    ///
    /// - Returns: Words for the user if the disk does not answer.
    func finish() -> [String] {
        copies.end()
        guard !keeper.finish(seconds: Self.patience) else { return [] }
        return ["woodshed: the disk does not answer; the place and the last changes may not be kept"]
    }
}
