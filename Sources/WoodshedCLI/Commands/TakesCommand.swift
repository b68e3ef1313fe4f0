// `woodshed takes`: lists and changes the kept takes.
import ArgumentParser
import Explanations
import Files
import Glibc
import JSON
import Terminal
import WoodshedPractice

struct TakesCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "takes",
        abstract: "List, play, name, export and delete takes.",
        discussion: """
            EXAMPLES
              woodshed takes                              list all, the newest first
              woodshed takes song.mp3 --section Solo      list takes of a section
              woodshed takes play 12                      or @1, the newest
              woodshed takes rename 12 "slow, clean"
              woodshed takes note 12 "late after the rest"
              woodshed takes rate 12 4                    1 to 5; none clears the rating
              woodshed takes export 12 solo.flac          or opus, ogg, mp3, m4a
              woodshed takes export 12 both.wav --pair    the model left, the take right
              woodshed takes add old.wav                  list another recording as a take
              woodshed takes rm 3-7 9                     undo restores them
              woodshed takes --trash                      list deleted takes
              woodshed takes empty --yes                  delete them for good

            A take is a recording made by `woodshed record` or `woodshed practice --record`. The number of a take \
            never changes. Its sound is an ordinary audio file. A deleted take stays in place as a hidden file until \
            the trash is emptied.
            """)

    @Argument(
        help: .init(
            "A recording, to list its takes; or list, play, rename, note, rate, export, add, rm, restore, undo or empty, with arguments.",
            valueName: "word"),
        completion: .list(TakeAction.allCases.map(\.rawValue)))
    var words: [String] = []

    @Option(name: .long, help: "List only takes of this saved section.")
    var section: String?

    @Option(
        name: .long, parsing: .unconditional, help: .init("List only the newest n takes.", valueName: "n"),
        transform: { try boundedInteger($0, in: 1...1_000_000) })
    var newest: Int?

    @Flag(name: .long, help: "List the trash.")
    var trash = false

    @Flag(name: .long, help: "Keep listing: print a line for each take added or changed by any process.")
    var follow = false

    @Flag(name: .long, help: "With export: put the model on the left, the take on the right.")
    var pair = false

    @Flag(name: .long, help: "With --pair: match the loudness of both.")
    var match = false

    @Option(name: .long, help: "With --pair: the present file of the model.", completion: .file())
    var model: String?

    @Flag(name: .long, help: "With empty: delete the files in the trash for good.")
    var yes = false

    @OptionGroup(visibility: .hidden) var strip: StripOptions
    @OptionGroup(visibility: .hidden) var device: DeviceOptions
    @OptionGroup(visibility: .hidden) var loss: LossOptions
    @OptionGroup(visibility: .hidden) var screen: ScreenOptions
    @OptionGroup var messages: MessageOptions

    func perform() throws {
        let (action, words) = TakeAction.parsed(words)
        try check(action, words)
        TakeAdoption.run(quiet: messages.quiet)
        let store = try PracticeStore(.user)
        let changes = TakeChanges(store: store, messages: messages)
        switch action {
        case .list: try list(words.first, in: store)
        case .play: try play(try TakeWord.heard(words[0], in: store))
        case .rename: try changes.edit(words[0], .rename(words[1]), "named")
        case .note: try changes.edit(words[0], .note(words[1]), "noted")
        case .rate: try changes.edit(words[0], .rate(try TakeChanges.rating(words[1])), "rated")
        case .export where pair:
            let take = try TakeWord.take(words[0], in: store)
            let file = PairFile(take: take, store: store, recording: model, matches: match, messages: messages)
            try noteWritten(words[1], try file.write(to: words[1]))
        case .export: try export(try TakeWord.heard(words[0], in: store), to: words[1])
        case .add: try changes.add(words)
        case .rm: try changes.delete(try TakeWord.takes(words, in: store))
        case .restore:
            try changes.restore(
                try TakeWord.takes(words, in: store), next: "List the rest with: woodshed takes --trash")
        case .undo:
            let (takes, deletion) = try store.lastDeletion()
            try changes.restore(takes, of: deletion, next: "Restore the rest with: woodshed takes undo")
        case .empty: try changes.empty(isConfirmed: yes)
        }
        store.tellRepair()
    }

    /// Refuses words and options foreign to the action.
    private func check(_ action: TakeAction, _ words: [String]) throws(CommandFailure) {
        let remedy = "Write: woodshed takes \(action.usage)"
        guard action.wordCount.contains(words.count) else {
            let isShort = words.count < action.wordCount.lowerBound
            throw CommandFailure(
                .usage,
                isShort
                    ? "'\(action.rawValue)' needs more words"
                    : "'\(action.rawValue)' takes no word '\(words.last ?? "")'",
                remedy: remedy)
        }
        let given = [
            ("--section", section != nil), ("--newest", newest != nil), ("--trash", trash), ("--follow", follow),
            ("--yes", yes), ("--pair", pair), ("--match", match), ("--model", model != nil),
        ].filter(\.1).map(\.0)
        if let option = given.first(where: { !action.options.contains($0) }) {
            throw CommandFailure(.usage, "'\(action.rawValue)' does not take \(option)", remedy: remedy)
        }
        if match || model != nil, !pair {
            throw CommandFailure(.usage, "--match and --model belong to --pair", remedy: remedy)
        }
        if section != nil, words.isEmpty {
            throw CommandFailure(.usage, "--section needs the recording of the section", remedy: remedy)
        }
    }

    // MARK: Listing

    private func list(_ file: String?, in store: PracticeStore) throws {
        var filter = TakeFilter(isTrash: trash, limit: newest)
        if let file {
            let kept = try KeptRecording(file: RecordingWord.file(file), store: store)
            filter.key = kept.recording.key
            if let section { filter.sectionID = try kept.list().meant(by: section).id }
        }
        // Subscribes before reading the list, so no change between the two steps is missed.
        let changes = follow ? store.takeChanges : nil
        let takes = try store.takes(filter)
        try write(takes, in: store)
        if let changes { return try followChanges(changes, filter, in: store) }
        if messages.json || messages.quiet { return }
        Recovery.mention()
        if takes.isEmpty {
            StandardStream.error.note(trash ? "The trash is empty." : "There are no takes yet.")
            if !trash { StandardStream.error.note("next: woodshed record") }
            return
        }
        let storage = try store.takeStorage()
        let inTrash = storage.trash > 0 ? "; \(sizeText(UInt64(storage.trash))) in the trash" : ""
        StandardStream.error.note("\(sizeText(UInt64(storage.kept))) in all takes\(inTrash)")
        StandardStream.error.note("next: woodshed takes \(trash ? "restore" : "play") \(takes[0].number)")
    }

    private func write(_ takes: [StoredTake], in store: PracticeStore) throws {
        let isTerminal = StandardStream.output.isTerminal
        let table = TakeTable(takes: takes, store: store, columns: isTerminal ? terminalSize().columns : nil)
        if messages.json {
            for line in table.json { try StandardStream.output.line(line.text) }
        } else {
            for line in table.lines(header: isTerminal && !messages.plain && !follow) {
                try StandardStream.output.line(line)
            }
        }
    }

    /// Writes each added or changed take, until a signal or a closed pipe ends the program.
    private func followChanges(
        _ changes: some AsyncSequence<Set<Int>, Never> & Sendable, _ filter: TakeFilter, in store: PracticeStore
    ) throws {
        let inbox = try Inbox<Set<Int>>()
        let task = Task { for await numbers in changes { inbox.put(numbers) } }
        defer { task.cancel() }
        while true {
            var waits = [
                pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0),
                // Requests no events: poll() still reports a reader that closed the pipe.
                pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
            ]
            if unsafe poll(&waits, 2, -1) < 0, errno != EINTR { return }
            if waits[1].revents != 0 { throw CommandFailure(.closedPipe) }
            var all = filter
            all.limit = nil
            for number in inbox.take().reduce(into: Set<Int>(), { $0.formUnion($1) }).sorted() {
                guard let take = try store.take(number) else {
                    if messages.json { try StandardStream.output.line(TakeChanges.removed(number).text) }
                    continue
                }
                let isMeant =
                    (filter.key == nil || take.model?.key == filter.key)
                    && (filter.sectionID == nil || take.model?.sectionID == filter.sectionID)
                if isMeant { try write([take], in: store) }
            }
        }
    }

    // MARK: Hearing and exporting

    private func play(_ take: StoredTake) throws {
        let playing = Playing(
            file: take.currentPath, strip: strip, device: device, loss: loss, screen: screen, messages: messages)
        try playing.run { clip in
            SessionPlan(PracticePlan(sections: [try Section(0..<clip.frameCount)]))
        }
    }

    private func export(_ take: StoredTake, to target: String) throws {
        let signals = Signals.install()
        let place = try TakePlace(target, format: nil, now: time(nil))
        guard let path = place.path else {
            throw CommandFailure(
                .usage, "a take is exported to a file, not to a pipe",
                remedy: "Write: woodshed takes \(TakeAction.export.usage)")
        }
        if let format = place.format.export {
            let marks =
                (try? AudioFileInfo(path: take.currentPath)).flatMap { try? FileDetails(of: $0).marks.marks } ?? []
            let conversion = Conversion(
                take: take.currentPath, target: path, format: format,
                marks: marks.map { TakeMark(name: $0.name, frame: $0.frame) }, signals: signals, messages: messages)
            try noteWritten(path, try conversion.run())
        } else {
            try copy(take, to: path, as: place.format)
            try noteWritten(path, .success)
        }
    }

    /// Reports a complete file. A signal that came too late to cancel the file still gives the exit status.
    private func noteWritten(_ path: String, _ ending: ExitStatus) throws(CommandFailure) {
        messages.note("wrote \(path)")
        if ending != .success { throw CommandFailure(ending) }
    }

    /// Copies the take, for a target in the take's own format.
    private func copy(_ take: StoredTake, to path: String, as format: RecordFormat) throws {
        guard take.path.lowercased().hasSuffix(".\(format.rawValue)") else {
            throw CommandFailure(
                .usage, "take \(take.number) is no .\(format.rawValue) file, and cannot become one",
                remedy: "Export it as flac, opus, ogg, mp3 or m4a.")
        }
        do throws(FileFault) {
            let source = try unsafe RegularFile(take.currentPath)
            let file = try WholeFile(path)
            var offset: Int64 = 0
            while true {
                let bytes = try FileBytes.bytes(of: source.descriptor, at: offset, count: 1 << 20)
                if bytes.isEmpty { break }
                try file.append(bytes)
                offset += Int64(bytes.count)
            }
            try file.commit(replaces: false)
        } catch {
            throw error.code == EEXIST
                ? AudioFileError.creatingNew(path, errno: error.code)
                : AudioFileError.writing(path, errno: error.code, creating: error.isCreating)
        }
    }
}
