// The waveform of the playing section, above the status line.
import Synchronization
import Terminal
import Woodshed

/// The section's waveform with its edges and the play position. The waveform is computed during playback and cached
/// like any other waveform.
final class PlayerPicture {
    private let clip: Clip
    private let pen: PlayerPicturePen
    private let pending = PendingWaveform()
    private var isAsked = false
    private(set) var isShown = false
    /// The last drawing, reused while only the mark moves between redraws.
    private var drawn: (window: Range<Int64>, rows: Int, columns: Int, lines: [String])?

    /// Context before and after the section: an eighth of its length, because the neighbouring sound helps to set the
    /// edges.
    private static let context: Int64 = 8

    init(clip: Clip, glyphs: Glyphs, depth: ColourDepth) {
        self.clip = clip
        pen = PlayerPicturePen(glyphs: glyphs, depth: depth)
    }

    /// Shows or hides the waveform. A recording in memory has no waveform.
    func toggle() {
        isShown.toggle()
        guard isShown, !isAsked, !clip.info.path.isEmpty else { return }
        isAsked = true
        let (path, pending) = (clip.info.path, pending)
        BlockingThread.startInBackground { pending.fill(from: path) }
    }

    /// True if the waveform is computed and shown.
    var isReady: Bool { isShown && pending.waveform != nil }

    /// Returns the lines for a section and a position; empty while the waveform is computed, or without room.
    ///
    /// - Parameters:
    ///   - section: Frames of the clip.
    ///   - place: A frame of the clip.
    ///   - bands: Returns the sections within frames of the clip.
    ///   - room: Number of lines for each part.
    func lines(
        section: Range<Int64>, place: Int64, bands: (_ window: Range<Int64>) -> [SectionBand], room: ScreenRoom
    ) -> [String] {
        guard isShown, room.wave > 0, !section.isEmpty, let waveform = pending.waveform else { return [] }
        let context = Int64(section.count) / Self.context
        let window = max(0, section.lowerBound - context)..<min(clip.frameCount, section.upperBound + context)
        if drawn.map({ $0.window != window || $0.rows != room.wave || $0.columns != room.columns }) ?? true {
            // The clip may have the device's rate, while the waveform has the file's rate.
            let start = clip.fileFrame(forFrame: window.lowerBound)
            let frames = start..<max(start + 1, clip.fileFrame(forFrame: window.upperBound))
            drawn = (window, room.wave, room.columns, pen.wave(waveform, frames, room))
        }
        guard let wave = drawn?.lines, !wave.isEmpty else { return [] }
        func share(_ frame: Int64) -> Double { Double(frame - window.lowerBound) / Double(window.count) }
        let marks = pen.marks(
            place: share(place), edges: share(section.lowerBound)...share(section.upperBound), room)
        let rate = Double(clip.sampleRate)
        let stack = SectionBands(start: Double(window.lowerBound) / rate, length: Double(window.count) / rate)
        return wave + [marks]
            + stack.lines(bands(window), cells: room.cells, glyphs: pen.glyphs, depth: pen.depth).prefix(room.bands)
    }

    /// Passes the waveform from the reading thread.
    private final class PendingWaveform: Sendable {
        private let stored = Mutex<Waveform?>(nil)

        var waveform: Waveform? { stored.withLock { $0 } }

        /// The player reports errors of reading.
        func fill(from path: String) {
            guard let supply = try? WaveformSupply(path: path, usesCache: true),
                let waveform = try? supply.waveform(draws: false)
            else { return }
            stored.withLock { $0 = waveform }
            supply.keep()
        }
    }
}

/// Draws the waveform for a size of the terminal: a pure function of its arguments.
struct PlayerPicturePen {
    let glyphs: Glyphs
    let depth: ColourDepth

    /// Returns the wave, all channels mixed; empty without room.
    func wave(_ waveform: Waveform, _ frames: Range<Int64>, _ room: ScreenRoom) -> [String] {
        guard room.wave > 0, room.cells > 0 else { return [] }
        let style: WaveStyle = glyphs == .unicode ? .half : .ascii
        let columns = waveform.summary(frames: frames, columns: room.cells)
        let pixels = WavePixels(columns, rows: room.wave * style.pixels.rows, scale: .linear)
        return WaveCells(style: style, colour: .bands, depth: depth).lines(pixels)
    }

    /// Returns a line with the edges of the playing range, and a mark under the position. Both are shares of the shown
    /// range.
    func marks(place: Double, edges: ClosedRange<Double>, _ room: ScreenRoom) -> String {
        let cells = room.cells
        guard cells > 0 else { return "" }
        var line = [Character](repeating: " ", count: cells)
        func put(_ mark: Character, at cell: Int) { line[min(max(cell, 0), cells - 1)] = mark }
        put(glyphs == .unicode ? "╰" : "[", at: Int(edges.lowerBound * Double(cells)))
        put(glyphs == .unicode ? "╯" : "]", at: Int((edges.upperBound * Double(cells)).rounded(.up)) - 1)
        if place >= 0, place < 1 { put(glyphs == .unicode ? "▲" : "^", at: Int(place * Double(cells))) }
        while line.last == " " { line.removeLast() }
        return String(line)
    }
}
