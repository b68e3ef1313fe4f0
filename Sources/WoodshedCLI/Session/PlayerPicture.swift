// The waveform of the playing section, above the status line.
import Synchronization
import Woodshed

/// The section's waveform with a mark at the play position; made while the section plays, and cached like any other.
final class PlayerPicture {
    private let clip: Clip
    private let pen: PlayerPicturePen
    private let pending = PendingWaveform()
    private var isAsked = false
    private(set) var isShown = false
    /// The last drawing, because only the mark moves from one redraw to the next.
    private var drawn: (frames: Range<Int64>, size: TerminalSize, lines: [String])?

    init(clip: Clip, glyphs: Glyphs, depth: ColourDepth) {
        self.clip = clip
        pen = PlayerPicturePen(glyphs: glyphs, depth: depth)
    }

    /// Shows or hides it. A recording in memory has none.
    func toggle() {
        isShown.toggle()
        guard isShown, !isAsked, !clip.info.path.isEmpty else { return }
        isAsked = true
        let (path, pending) = (clip.info.path, pending)
        BlockingThread.start { pending.fill(from: path) }
    }

    /// The lines for a section and a place in it, in frames of the clip; none while it is being made, or without room.
    func lines(section: Range<Int64>, place: Int64, size: TerminalSize) -> [String] {
        guard isShown, let waveform = pending.waveform else { return [] }
        // The clip's rate may be the device's, a waveform's is the file's.
        let frames =
            clip.fileFrame(
                forFrame: section.lowerBound)..<max(
                clip.fileFrame(forFrame: section.lowerBound) + 1, clip.fileFrame(forFrame: section.upperBound))
        if drawn.map({ $0.frames != frames || $0.size != size }) ?? true {
            drawn = (frames, size, pen.wave(waveform, frames, size))
        }
        guard let lines = drawn?.lines, !lines.isEmpty else { return [] }
        let share = Double(clip.fileFrame(forFrame: place) - frames.lowerBound) / Double(frames.count)
        return lines + [pen.mark(at: share, size)]
    }

    /// Where the thread that reads the recording stores its waveform.
    private final class PendingWaveform: Sendable {
        private let stored = Mutex<Waveform?>(nil)

        var waveform: Waveform? { stored.withLock { $0 } }

        /// Errors of reading are reported by the player.
        func fill(from path: String) {
            guard let supply = try? WaveformSupply(path: path, usesCache: true),
                let waveform = try? supply.waveform(draws: false)
            else { return }
            stored.withLock { $0 = waveform }
            supply.keep()
        }
    }
}

/// Draws it for a size of the terminal: a pure function of its arguments.
struct PlayerPicturePen {
    let glyphs: Glyphs
    let depth: ColourDepth

    /// The heights of terminals from which on the waveform gets a number of lines.
    private static func rows(_ size: TerminalSize) -> Int { size.rows >= 16 ? 6 : size.rows >= 10 ? 3 : 0 }

    /// The wave, all channels mixed; no lines where there is no room.
    func wave(_ waveform: Waveform, _ frames: Range<Int64>, _ size: TerminalSize) -> [String] {
        let (rows, cells) = (Self.rows(size), size.columns - 1)
        guard rows > 0, cells >= StatusLine.minimumColumns else { return [] }
        let style: WaveStyle = glyphs == .unicode ? .half : .ascii
        let columns = waveform.summary(frames: frames, columns: cells)
        let pixels = WavePixels(columns, rows: rows * style.pixels.rows, scale: .linear)
        return WaveCells(style: style, colour: .bands, depth: depth).lines(pixels)
    }

    /// A line with a mark under the place; empty for one outside.
    func mark(at share: Double, _ size: TerminalSize) -> String {
        let cells = size.columns - 1
        guard share >= 0, share < 1, cells > 0 else { return "" }
        return String(repeating: " ", count: Int(share * Double(cells))) + (glyphs == .unicode ? "▲" : "^")
    }
}
