// The marks in recordings' own files, and the sections between marks. Reading takes a few small reads and no decoding.

/// The marks of a recording, in order.
///
/// A mark lies within the recording or at its end. Marks beyond the end are dropped, and a range reaching beyond the
/// end is cut there. Of several marks at the same place, or of the same range, only the first named mark is kept.
public struct FileMarks: Sendable, Equatable {
    /// Largest number of marks read from a file.
    package static let countLimit = FileLimits.markCount
    /// Largest length of a name in bytes of UTF-8, the same as for a mark of a take. Longer names are cut.
    static let nameByteLimit = 4096

    /// Marks sorted by frame. At the same frame, places precede ranges, and longer ranges precede shorter ranges.
    package let marks: [FileMark]
    /// Length of the recording in frames.
    package let frameCount: Int64

    /// Sorts marks, and removes marks that are invalid for a recording.
    ///
    /// - Parameters:
    ///   - marks: Marks in any order; only the first 4096 are used.
    ///   - frameCount: Length of the recording in frames.
    ///
    /// Real-time safe: no.
    package init(_ marks: [FileMark], frameCount: Int64) {
        let frameCount = max(0, frameCount)
        var kept: [FileMark] = []
        var places: [Place: Int] = [:]
        for mark in marks.prefix(Self.countLimit) where (0...frameCount).contains(mark.frame) {
            let mark = FileMark(
                name: MarkName.short(mark.name), frame: mark.frame, endFrame: mark.endFrame.map { min($0, frameCount) })
            let place = Place(frame: mark.frame, endFrame: mark.endFrame)
            if let index = places[place] {
                if kept[index].name.isEmpty { kept[index] = mark }
            } else {
                places[place] = kept.count
                kept.append(mark)
            }
        }
        self.frameCount = frameCount
        self.marks = kept.sorted { Self.order($0) < Self.order($1) }
    }

    /// Sections of the recording between its marks, sorted by their beginning.
    ///
    /// Each place begins a section up to the next place; the last section ends with the recording. The part before the
    /// first place belongs to no section. A range is a separate section, whatever marks lie within.
    public var sections: [FileSection] {
        let places = marks.filter { $0.endFrame == nil }
        let ends = places.dropFirst().map(\.frame) + [frameCount]
        let between = zip(places, ends).map { FileSection(name: $0.name, frames: $0.frame..<max($0.frame, $1)) }
        let ranges = marks.compactMap { mark in
            mark.endFrame.map { FileSection(name: mark.name, frames: mark.frame..<$0) }
        }
        return (between + ranges).filter { !$0.frames.isEmpty }.sorted {
            ($0.frames.lowerBound, -$0.frames.upperBound) < ($1.frames.lowerBound, -$1.frames.upperBound)
        }
    }

    private struct Place: Hashable {
        let frame: Int64
        let endFrame: Int64?
    }

    private static func order(_ mark: FileMark) -> (Int64, Int64) { (mark.frame, mark.endFrame.map { -$0 } ?? .min) }
}
