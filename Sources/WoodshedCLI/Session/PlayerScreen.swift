// What is redrawn while a recording plays: a title, the waveform, the sections, and the status line.
import Terminal
import Woodshed

/// The screen of one run. It is drawn below what was printed, in the terminal's own text: nothing has to be put back when the
/// process is killed, and what a key has said can be read again above it.
final class PlayerScreen {
    private let session: PracticeSession
    private let title: String
    private let line: StatusLine
    private let rows: SectionRows
    private let picture: PlayerPicture
    private let hasList: Bool
    /// Only the status line is drawn, so that longer words above it stay in view.
    var isFolded = false
    /// The choice in the list of sections; nil while nothing is chosen.
    private(set) var chooser: SectionChooser?

    /// - Parameters:
    ///   - hasList: Whether sections are listed, under a line with the title.
    ///   - showsWaveform: Whether the waveform is there from the beginning.
    init(
        _ session: PracticeSession, title: String, traits: TerminalTraits, hasList: Bool, showsWaveform: Bool
    ) {
        (self.session, self.title, self.hasList) = (session, title, hasList)
        let glyphs = traits.glyphs
        let depth = ColourDepth.told(usesColour: traits.usesColour, environment: environmentVariable)
        line = StatusLine(glyphs: glyphs)
        rows = SectionRows(glyphs: glyphs, depth: depth)
        picture = PlayerPicture(clip: session.player.clip, glyphs: glyphs, depth: depth)
        // Where nothing is redrawn, no waveform is made.
        if showsWaveform, traits.drawsStatus { picture.toggle() }
    }

    /// Whether the waveform is made and shown.
    var isWaveformReady: Bool { picture.isReady }

    /// Shows or hides the waveform.
    func toggleWaveform() { picture.toggle() }

    // MARK: The choice in the list

    /// Begins a choice at the section that plays, or ends it. Nothing can be chosen from a single section.
    func toggleList() {
        let canChoose = chooser == nil && session.sections.count > 1
        chooser = canChoose ? SectionChooser(at: session.currentNumber - 1) : nil
    }

    /// Takes a key's action in the list; nil if nothing is being chosen.
    func choose(_ action: ListAction, _ size: TerminalSize) -> SectionChooser.Outcome? {
        let count = session.sections.count
        chooser?.clamp(to: count)
        guard var choice = chooser, count > 0 else { return nil }
        let outcome = choice.take(action, count: count, page: room(size, listed: count).list - 1)
        chooser = outcome == .goesOn ? choice : nil
        return outcome
    }

    /// The section that is chosen, for somebody who does not see the list; nil if none is.
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

    /// The lines from the top, each at least one column narrower than the terminal.
    ///
    /// - Parameters:
    ///   - view: The contents of the status line.
    ///   - pauseReason: Why nothing is heard; nil while something is.
    ///   - hardIDs: The identities of the saved sections that are marked as hard.
    func lines(
        _ view: StatusView, pauseReason: PauseReason?, hardIDs: Set<Int>, _ size: TerminalSize
    ) -> [String] {
        if isFolded { return [line.text(view, columns: size.columns)] }
        let player = session.player
        let rate = Double(player.clip.sampleRate)
        let listed = hasList ? sectionRows(rate, hardIDs) : []
        let room = room(size, listed: listed.count)
        var (view, lines) = (view, [String]())
        if room.header > 0 {
            lines.append(header(view, pauseReason, room))
            // Not twice.
            view.title = ""
        }
        let sections = player.score.sections
        if sections.indices.contains(view.section - 1) {
            lines += picture.lines(
                section: sections[view.section - 1].range, place: Int64(view.position * rate),
                bands: listed.map(\.band), room: room)
        }
        chooser?.clamp(to: session.sections.count)
        lines += rows.lines(
            listed, current: session.currentNumber - 1, isPlaying: !session.marks.isRunning, chosen: chooser?.index,
            room)
        // Without room for the list, the choice takes the place of the status.
        if room.list == 0, let words = choiceWords {
            return lines + [fitted(printable(words), cells: room.cells, ellipsis: line.glyphs == .unicode ? "…" : "~")]
        }
        return lines + [line.text(view, columns: size.columns)]
    }

    private func sectionRows(_ rate: Double, _ hardIDs: Set<Int>) -> [SectionRow] {
        let sections = session.sections
        guard sections.count > 1 || sections.contains(where: { $0.savedID != nil }) else { return [] }
        return sections.enumerated().map { index, item in
            let range = item.section.range
            let band = SectionBand(
                number: index + 1, name: item.section.name ?? "", start: Double(range.lowerBound) / rate,
                end: Double(range.upperBound) / rate)
            return SectionRow(band: band, isHard: item.savedID.map(hardIDs.contains) ?? false)
        }
    }

    /// The loop that is set by ear; nil while sections play.
    private var loopText: String? {
        let marks = session.marks
        guard marks.isRunning, let range = marks.range else { return nil }
        let rate = Double(session.player.clip.sampleRate)
        func exact(_ frame: Int64) -> String { clockText(Double(frame) / rate, decimals: 3) }
        return "loop \(exact(range.lowerBound))-\(exact(range.upperBound))"
    }

    /// The title, and what goes on.
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
