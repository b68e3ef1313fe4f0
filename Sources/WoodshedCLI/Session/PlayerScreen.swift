// The redrawn part of the terminal during playback: a title, the waveform, the sections, and the status line.
import Terminal
import WoodshedPractice

/// The screen of a run. It is drawn below printed lines, in the terminal's main buffer. A killed process leaves nothing
/// to restore, and messages stay readable above the screen.
final class PlayerScreen {
    private let session: PracticeSession
    private let title: String
    private let line: StatusLine
    private let rows: SectionRows
    private let picture: PlayerPicture
    private let hasList: Bool
    /// True to draw only the status line, so longer messages above it stay in view.
    var isFolded = false
    /// The selection in the list of sections; nil outside the list.
    private(set) var chooser: SectionChooser?

    /// - Parameters:
    ///   - hasList: True to list sections under a line with the title.
    ///   - showsWaveform: True to show the waveform from the beginning.
    init(
        _ session: PracticeSession, title: String, traits: TerminalTraits, hasList: Bool, showsWaveform: Bool
    ) {
        (self.session, self.title, self.hasList) = (session, title, hasList)
        let glyphs = traits.glyphs
        let depth = ColourDepth.told(usesColour: traits.usesColour, environment: environmentVariable)
        line = StatusLine(glyphs: glyphs)
        rows = SectionRows(glyphs: glyphs, depth: depth)
        picture = PlayerPicture(clip: session.player.clip, glyphs: glyphs, depth: depth)
        // Without redrawing, no waveform is computed.
        if showsWaveform, traits.drawsStatus { picture.toggle() }
    }

    /// True if the waveform is computed and shown.
    var isWaveformReady: Bool { picture.isReady }

    /// Shows or hides the waveform.
    func toggleWaveform() { picture.toggle() }

    // MARK: The choice in the list

    /// Opens the list at the playing section, or closes it. A single section leaves nothing to choose.
    func toggleList() {
        let canChoose = chooser == nil && session.sections.count > 1
        chooser = canChoose ? SectionChooser(at: session.currentNumber - 1) : nil
    }

    /// Applies a key's action to the list; nil outside the list.
    func choose(_ action: ListAction, _ size: TerminalSize) -> SectionChooser.Outcome? {
        let count = session.sections.count
        chooser?.clamp(to: count)
        guard var choice = chooser, count > 0 else { return nil }
        let outcome = choice.take(action, count: count, page: room(size, listed: count).list - 1)
        chooser = outcome == .goesOn ? choice : nil
        return outcome
    }

    /// The chosen section in words, for use without a visible list; nil outside the list.
    var choiceWords: String? {
        let sections = session.sections
        guard let chooser, sections.indices.contains(chooser.index) else { return nil }
        let name = sections[chooser.index].section.name.map { ", \($0)" } ?? ""
        return "list: \(chooser.index + 1) of \(sections.count)\(name)"
    }

    private func room(_ size: TerminalSize, listed: Int) -> ScreenRoom {
        ScreenRoom(size, sectionCount: listed, hasWave: picture.isReady, hasHeader: hasList)
    }

    // MARK: Drawing

    /// Returns the lines from the top, each at least one column narrower than the terminal.
    ///
    /// - Parameters:
    ///   - view: The contents of the status line.
    ///   - pauseReason: Reason for the pause; nil during playback.
    ///   - hardIDs: Identities of the saved sections marked as hard.
    func lines(
        _ view: StatusView, pauseReason: PauseReason?, hardIDs: Set<Int>, _ size: TerminalSize
    ) -> [String] {
        if isFolded { return [line.text(view, columns: size.columns)] }
        let player = session.player
        let rate = Double(player.clip.sampleRate)
        let listed = ListedSections(sections: hasList ? listedSections : [], rate: rate, hardIDs: hardIDs)
        let room = room(size, listed: listed.count)
        var (view, lines) = (view, [String]())
        if room.header > 0 {
            lines.append(header(view, pauseReason, room))
            // The header already shows the title.
            view.title = ""
        }
        let sections = player.score.sections
        if case .section(let number, of: _, pass: _, passes: _) = view.part, sections.indices.contains(number - 1) {
            lines += picture.lines(
                section: sections[number - 1].range, place: Int64(view.position * rate),
                bands: listed.bands(in:), room: room)
        }
        chooser?.clamp(to: session.sections.count)
        lines += rows.lines(
            listed, current: session.currentNumber - 1, isPlaying: !session.marks.isRunning, chosen: chooser?.index,
            room)
        // Without room for the list, the selection replaces the status line.
        if room.list == 0, let words = choiceWords {
            return lines + [fitted(printable(words), cells: room.cells, ellipsis: line.glyphs == .unicode ? "…" : "~")]
        }
        return lines + [line.text(view, columns: size.columns)]
    }

    /// The sections of the list; empty if the recording is one section that is not saved.
    private var listedSections: [(section: Section, savedID: Int?)] {
        let sections = session.sections
        return sections.count > 1 || sections.first?.savedID != nil ? sections : []
    }

    /// The loop set by ear; nil while sections play.
    private var loopText: String? {
        let marks = session.marks
        guard marks.isRunning, let range = marks.range else { return nil }
        let rate = Double(session.player.clip.sampleRate)
        func exact(_ frame: Int64) -> String { clockText(Double(frame) / rate, decimals: 3) }
        return "loop \(exact(range.lowerBound))-\(exact(range.upperBound))"
    }

    /// Returns the title and the state.
    private func header(_ view: StatusView, _ pauseReason: PauseReason?, _ room: ScreenRoom) -> String {
        let ellipsis = line.glyphs == .unicode ? "…" : "~"
        let state: String =
            switch view.state {
            case .playing: loopText ?? ""
            case .paused: "paused" + (pauseReason.map { " (\($0.name))" } ?? "")
            case .stopped: "stopped"
            }
        guard !state.isEmpty else { return fitted(printable(title), cells: room.cells, ellipsis: ellipsis) }
        let stateCells = displayWidth(state) + 2
        let name = fitted(printable(title), cells: max(0, room.cells - stateCells), ellipsis: ellipsis)
        return fitted(name + "  " + state, cells: room.cells, ellipsis: "")
    }
}
