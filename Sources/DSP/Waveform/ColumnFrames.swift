// The edges of a picture's columns.

/// The frames of a picture's columns, from left to right, each as a range of absolute frames.
///
/// Every frame belongs to one column. Columns are as equal as whole frames allow; with more columns than frames, some
/// columns show the same frame.
package struct ColumnFrames: Sequence, IteratorProtocol, Sendable {
    /// The start of the next column, and the fraction of a frame to add to it, in `columnCount`ths.
    private var (frame, fraction): (Int64, Int)
    private var columnsLeft: Int
    private let columnCount: Int
    private let (framesPerColumn, restPerColumn): (Int64, Int)
    private let fewestFrames: Int64

    /// Divides `frames` into the columns of a picture.
    ///
    /// - Parameters:
    ///   - frames: Any range, also outside a recording; at most `Int64.max` frames.
    ///   - count: The number of columns, 0 or more.
    package init(of frames: Range<Int64>, count: Int) {
        precondition(count >= 0, "A picture has 0 or more columns.")
        (frame, fraction) = (frames.lowerBound, 0)
        (columnCount, columnsLeft) = (count, count)
        let (quotient, remainder) = frames.count.quotientAndRemainder(dividingBy: Swift.max(count, 1))
        (framesPerColumn, restPerColumn) = (Int64(quotient), remainder)
        fewestFrames = frames.isEmpty ? 0 : 1
    }

    /// Returns the range of the next column.
    ///
    /// Real-time safe: yes.
    package mutating func next() -> Range<Int64>? {
        if columnsLeft == 0 { return nil }
        columnsLeft -= 1
        let start = frame
        // Addition instead of division, because a division takes as long as a whole column of a picture.
        frame += framesPerColumn
        fraction += restPerColumn
        if fraction >= columnCount {
            fraction -= columnCount
            frame += 1
        }
        return start..<Swift.max(start + fewestFrames, frame)
    }
}
