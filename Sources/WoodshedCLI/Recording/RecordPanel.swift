// The panel redrawn while recording, as a pure function of its contents and the width. Tests check every width.
import Glibc
import Terminal
import Woodshed

/// The contents of the panel.
struct RecordView: Equatable {
    /// Levels of a channel, in dB of full scale.
    struct Channel: Equatable {
        var peak = -Double.infinity
        var held = -Double.infinity
        var overs: Int64 = 0
    }

    var state: RecorderWord
    /// Recorded time, without pauses.
    var seconds: Double
    var file: String
    var device: String
    /// Short-term loudness of the take's last three seconds, in LUFS; nil before the take.
    var loudness: Double?
    /// Recording time that fits on the disk, in seconds; nil if unknown.
    var secondsLeft: Double?
    var channels: [Channel]
    /// Numbers of the shown input channels, from 0; nil for all channels.
    var inputChannels: [Int]?
    /// The peaks of the last tenths of a second, in dB, the newest last; shown before there is a take.
    var history: [Double]
    /// The take's last tenths of a second, the newest last; empty before the take.
    var wave: [WaveformColumn] = []
    /// A question to the user, which replaces the first line.
    var question: String?
}

/// The state in a word.
enum RecorderWord: String {
    case ready = "READY"
    case recording = "REC"
    case paused = "PAUSED"
    case stopped = "STOPPED"
}

/// Lays out the panel for a width: a line of facts, a picture of the last seconds, a line for each channel.
struct RecordPanel {
    /// With more channels than this, only the loudest channel is shown.
    static let channelLines = 8
    private static let minimumColumns = 20
    /// The waveform's height if the terminal is high enough.
    private static let pictureLines = 6
    /// The lowest level shown, in dB.
    private static let floor = -60.0

    let glyphs: Glyphs
    var depth = ColourDepth.none

    /// Returns as many lines as fit on a terminal of this size.
    func lines(_ view: RecordView, _ size: TerminalSize) -> [String] {
        let isHigh = size.rows >= Self.pictureLines + Self.channelLines + 4
        let pictureLines = isHigh && !view.wave.isEmpty ? Self.pictureLines : 1
        return Array(lines(view, columns: size.columns, pictureLines: pictureLines).prefix(max(1, size.rows - 1)))
    }

    /// Returns at most `channelLines` + 1 + `pictureLines` lines of at most `columns - 1` cells; none below 20 columns.
    func lines(_ view: RecordView, columns: Int, pictureLines: Int = 1) -> [String] {
        guard columns >= Self.minimumColumns else { return [] }
        let cells = columns - 1
        var lines = [view.question.map { fitted($0, cells: cells, ellipsis: ellipsis) } ?? facts(view, cells: cells)]
        lines += picture(view, cells: cells, lines: pictureLines)
        if view.channels.count <= Self.channelLines {
            for (index, channel) in view.channels.enumerated() {
                lines.append(meter(channel, name: name(index, of: view), cells: cells))
            }
        } else if let loudest = view.channels.indices.max(by: { view.channels[$0].held < view.channels[$1].held }) {
            var channel = view.channels[loudest]
            channel.overs = view.channels.reduce(0) { $0 + $1.overs }
            lines.append(meter(channel, name: "\(number(loudest, of: view))/\(view.channels.count)", cells: cells))
        }
        return lines
    }

    // MARK: Facts

    /// Returns state and time always; other facts if there is room, the least important left out first.
    private func facts(_ view: RecordView, cells: Int) -> String {
        let dot = glyphs == .unicode ? "●" : "*"
        let state = (view.state == .recording ? dot + " " : "") + view.state.rawValue
        let left = view.secondsLeft.map { "\(durationText($0)) left" }
        let loudness = view.loudness.map { $0 > -99.9 ? fixed($0, decimals: 1) + " LUFS" : "-inf LUFS" }
        let all = [
            "\(state) \(clockText(view.seconds))", fitted(printable(view.file), cells: 30, ellipsis: ellipsis),
            loudness,
            left,
            fitted(printable(view.device), cells: 40, ellipsis: ellipsis),
        ].compactMap { $0 }
        for count in stride(from: all.count, through: 1, by: -1) {
            let line = all.prefix(count).joined(separator: "  ")
            if displayWidth(line) <= cells { return line }
        }
        return fitted(all[0], cells: cells, ellipsis: "")
    }

    // MARK: The picture

    /// Returns bars of the highest peaks in one line; with more lines and a take, the waveform.
    private func picture(_ view: RecordView, cells: Int, lines: Int) -> [String] {
        if lines > 1 {
            let style: WaveStyle = glyphs == .unicode ? .half : .ascii
            let columns = Self.last(view.wave, cells, filling: .empty)
            let pixels = WavePixels(columns, rows: lines * style.pixels.rows, scale: .decibels(floor: Self.floor))
            return WaveCells(style: style, colour: .bands, depth: depth).lines(pixels)
        }
        let levels =
            view.wave.isEmpty ? view.history : view.wave.map { 20 * log10(Double(max(0, -$0.minimum, $0.maximum))) }
        return [Self.last(levels.map(bar), cells, filling: " ").joined()]
    }

    /// Returns the last `count` elements, aligned right.
    private static func last<Element>(_ elements: [Element], _ count: Int, filling: Element) -> [Element] {
        Array(repeating: filling, count: max(0, count - elements.count)) + elements.suffix(count)
    }

    private func bar(_ decibels: Double) -> String {
        let steps = glyphs == .unicode ? ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] : ["_", ".", "-", "=", "#"]
        let share = Self.share(decibels)
        return steps[min(steps.count - 1, Int(share * Double(steps.count)))]
    }

    // MARK: Meters

    private func name(_ channel: Int, of view: RecordView) -> String {
        if view.inputChannels != nil { return number(channel, of: view) }
        return switch view.channels.count {
        case 1: " "
        case 2: channel == 0 ? "L" : "R"
        default: number(channel, of: view)
        }
    }

    /// Returns the channel's number at the input, from 1.
    private func number(_ channel: Int, of view: RecordView) -> String {
        guard let chosen = view.inputChannels, chosen.indices.contains(channel) else { return String(channel + 1) }
        return String(chosen[channel] + 1)
    }

    /// Returns a bar with the held peak, the held peak as a number, and the overs. Without room for a bar, the bar is
    /// left out.
    private func meter(_ channel: RecordView.Channel, name: String, cells: Int) -> String {
        let number = decibelText(channel.held)
        let level = String(repeating: " ", count: max(0, 8 - displayWidth(number))) + number
        let overs = channel.overs > 0 ? "  CLIPPED \(channel.overs)" : ""
        let rest = name + " " + level + overs
        let width = min(60, cells - displayWidth(rest) - 1)
        guard width >= 5 else { return fitted(rest, cells: cells, ellipsis: "") }
        return name + " " + bar(channel, width: width) + " " + level + overs
    }

    private func bar(_ channel: RecordView.Channel, width: Int) -> String {
        let (on, off, hold) = glyphs == .unicode ? ("▇", "·", "│") : ("#", ".", "|")
        let full = Int((Self.share(channel.peak) * Double(width)).rounded())
        var cells = Array(repeating: on, count: full) + Array(repeating: off, count: width - full)
        if channel.held > Self.floor {
            let place = Int((Self.share(channel.held) * Double(width)).rounded()) - 1
            cells[min(max(place, 0), width - 1)] = hold
        }
        return cells.joined()
    }

    private static func share(_ decibels: Double) -> Double { min(max((decibels - floor) / -floor, 0), 1) }

    private var ellipsis: String { glyphs == .unicode ? "…" : "..." }
}

/// Returns a duration in its largest unit: `84 min`, `3 h`, `45 s`.
func durationText(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds < 1e9 else { return "very long" }
    switch max(0, seconds) {
    case ..<100: return "\(Int(max(0, seconds))) s"
    case ..<6000: return "\(Int(seconds / 60)) min"
    case ..<360_000: return "\(Int(seconds / 3600)) h"
    default: return "\(Int(seconds / 86_400)) days"
    }
}
