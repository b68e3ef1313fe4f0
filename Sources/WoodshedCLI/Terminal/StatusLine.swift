// The redrawn line during playback: a pure function of its contents and the width, so tests check all widths. It knows
// neither terminals, cursors nor colours.
import AudioFiles
import Terminal

/// The contents of the line, from the engine's status.
struct StatusView: Equatable {
    enum State: Equatable {
        case playing
        case paused
        case stopped
    }

    /// The playing part of a session or a queue.
    enum Part: Equatable {
        /// Numbers of the section and of its pass, from 1; 0 before the first. Nil passes are endless.
        case section(Int, of: Int, pass: Int, passes: Int?)
        /// Number of the recording in a queue, from 1; 0 before the first.
        case recording(Int, of: Int)

        /// "2 of 23", for the section or the recording.
        var words: String {
            switch self {
            case .section(let number, of: let count, pass: _, passes: _), .recording(let number, of: let count):
                "\(number) of \(count)"
            }
        }
    }

    /// The title; empty if another line shows the title.
    var title: String
    var state: State
    var part: Part
    var speed: Double
    /// Change of pitch in semitones; 0 is not shown.
    var semitones = 0.0
    /// True if the recording plays backwards.
    var isReversed = false
    /// True if the sound of the position is held.
    var isFrozen = false
    /// The play position, in seconds of the recording.
    var position: Double
    /// The recording's length in seconds.
    var length: Double
    /// The louder channel's recent peak, full scale = 0; nil hides the level.
    var peakDecibels: Double?
    /// The rest of the gap, in seconds; nil during a pass.
    var restSeconds: Double?
    /// Level of the recorded input, full scale = 0; nil without recording.
    var inputDecibels: Double?
    /// True while a take is recorded.
    var isRecording = false
    /// Text in place of the level while there is no device.
    var notice: String?
}

/// Returns "pass 2 of 5", or "pass 2" for endless passes.
func passText(_ pass: Int, of passes: Int?) -> String { "pass \(pass)" + (passes.map { " of \($0)" } ?? "") }

/// Lays out the status for a width. If there is little room, fields are left out, the least important first.
struct StatusLine {
    /// Minimum width: nothing useful fits into fewer columns, and nothing is drawn.
    static let minimumColumns = 20

    let glyphs: Glyphs

    /// Returns the text for a terminal of `columns`, at most `columns - 1` cells wide: many terminals wrap at the
    /// character after a full line. Empty below `minimumColumns`.
    func text(_ view: StatusView, columns: Int) -> String {
        guard columns >= Self.minimumColumns else { return "" }
        for detail in 0..<Self.details {
            let line = compose(view, detail: detail)
            if displayWidth(line) <= columns - 1 { return line }
        }
        return fitted(compose(view, detail: Self.details - 1), cells: columns - 1, ellipsis: "")
    }

    private static let details = 7

    private func compose(_ view: StatusView, detail: Int) -> String {
        let clock = clock(view)
        // A gap has no play position to show.
        let place = view.restSeconds == nil ? clock + " / " + clockText(view.length) : clock
        let pitch = view.semitones == 0 ? "" : " " + semitoneText(view.semitones)
        let speed = (view.isFrozen ? "frozen" : percentText(view.speed)) + pitch
        switch detail {
        case 0...3:
            var fields: [String] = []
            if detail == 0, !view.title.isEmpty {
                fields.append(fitted(printable(view.title), cells: 30, ellipsis: ellipsis))
            }
            switch view.part {
            case .section(_, of: let count, pass: let pass, passes: let passes):
                if count > 1 { fields.append("section \(view.part.words)") }
                fields.append(passText(pass, of: passes))
            case .recording: fields.append(view.part.words)
            }
            fields.append(speed)
            fields.append(place)
            if let input = view.inputDecibels, detail <= 2 { fields.append("in " + padded(decibelText(input), to: 8)) }
            if let notice = view.notice {
                if detail <= 2 { fields.append(notice) }
            } else if let peak = view.peakDecibels {
                if detail <= 1 { fields.append(meter(peak) + " " + padded(decibelText(peak), to: 8)) }
                if detail == 2 { fields.append(padded(decibelText(peak), to: 8)) }
            }
            return fields.joined(separator: "  ")
        case 4:
            return "\(place)  \(counts(view.part))  \(speed)"
        case 5:
            return "\(clock)  \(counts(view.part))  \(speed)"
        default:
            let speed = view.isFrozen ? "frozen" : percentText(view.speed).filter { $0 != " " }
            return "\(clock) \(shortCounts(view.part)) \(speed)"
        }
    }

    /// Returns the state and the position, or "your turn" and the time left.
    private func clock(_ view: StatusView) -> String {
        let mark = view.isRecording ? (glyphs == .unicode ? "● " : "REC ") : ""
        return mark + place(view)
    }

    private func place(_ view: StatusView) -> String {
        guard let rest = view.restSeconds else { return symbol(view) + " " + clockText(view.position) }
        let words = "your turn \(fixed(rest, decimals: 1)) s"
        return view.state == .playing ? words : symbol(view) + " " + words
    }

    private func counts(_ part: StatusView.Part) -> String {
        guard case .section(let number, of: let count, pass: _, passes: _) = part, count > 1 else {
            return shortCounts(part)
        }
        return "\(number)/\(count)  \(shortCounts(part))"
    }

    /// Returns the numbers of the pass or of the recording.
    private func shortCounts(_ part: StatusView.Part) -> String {
        switch part {
        case .section(_, of: _, pass: let pass, passes: let passes): "\(pass)" + (passes.map { "/\($0)" } ?? "")
        case .recording(let number, of: let count): "\(number)/\(count)"
        }
    }

    private var ellipsis: String { glyphs == .unicode ? "…" : "..." }

    private func symbol(_ view: StatusView) -> String {
        switch (view.state, glyphs) {
        case (.playing, .unicode) where view.isReversed: "◀"
        case (.playing, .ascii) where view.isReversed: "<"
        case (.playing, .unicode): "▶"
        case (.paused, .unicode): "⏸\u{FE0E}"
        case (.stopped, .unicode): "■"
        case (.playing, .ascii): ">"
        case (.paused, .ascii): "="
        case (.stopped, .ascii): "."
        }
    }

    /// Returns ten cells, from -60 dB to full scale.
    private func meter(_ decibels: Double) -> String {
        let share = min(max((decibels + 60) / 60, 0), 1)
        let full = Int((share * 10).rounded())
        let (on, off) = glyphs == .unicode ? ("▇", "·") : ("#", ".")
        return String(repeating: on, count: full) + String(repeating: off, count: 10 - full)
    }

    private func padded(_ text: String, to cells: Int) -> String {
        String(repeating: " ", count: max(0, cells - displayWidth(text))) + text
    }
}
