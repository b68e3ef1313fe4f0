// The marks that recordings carry in their own files, and the sections they make; read without decoding, by a few small reads.

/// The marks of a recording, in order.
///
/// A mark lies within the recording or at its end; what a file tells of beyond is left out, and a range that reaches beyond
/// ends with the recording. Of marks at the same place, or of the same range, the first one that has a name stands for all.
public struct FileMarks: Sendable, Equatable {
    /// The most marks that are read of a file.
    package static let countLimit = FileLimits.markCount
    /// The most bytes of a name in UTF-8, as many as a take's mark may have; the rest is cut off.
    static let nameByteLimit = 4096

    /// By frame; at one frame places come first, then ranges, the longest first.
    public let marks: [FileMark]
    /// The recording's length in frames.
    public let frameCount: Int64

    /// Puts marks in order and leaves out what a recording cannot have.
    ///
    /// - Parameters:
    ///   - marks: In any order; the first 4096 count.
    ///   - frameCount: The recording's length in frames.
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

    /// The ranges into which the marks divide the recording, by their beginning.
    ///
    /// From each place to the next one, and from the last one to the end, is a section; what lies in front of the first belongs to
    /// none. A range is a section of its own, whatever lies in it.
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
