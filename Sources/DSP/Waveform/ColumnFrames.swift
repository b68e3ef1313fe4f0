// Where the columns of a picture begin and end.

/// The frames of a picture's columns, from left to right, each as the range of its absolute frames.
///
/// Every frame belongs to one column. Columns are as equal as whole frames allow; where there are more columns than frames, some
/// show the same one.
package struct ColumnFrames: Sequence, IteratorProtocol, Sendable {
    /// Where the next column begins, and by what fraction of a frame later it should, in `columnCount`ths.
    private var (frame, fraction): (Int64, Int)
    private var columnsLeft: Int
    private let columnCount: Int
    private let (framesPerColumn, restPerColumn): (Int64, Int)
    private let fewestFrames: Int64

    /// The columns of a picture of `frames`.
    ///
    /// - Parameters:
    ///   - frames: Anywhere, also where no recording is; at most `Int64.max` of them.
    ///   - count: How many columns, 0 or more.
    package init(of frames: Range<Int64>, count: Int) {
        precondition(count >= 0, "A picture has 0 or more columns.")
        (frame, fraction) = (frames.lowerBound, 0)
        (columnCount, columnsLeft) = (count, count)
        let (quotient, remainder) = frames.count.quotientAndRemainder(dividingBy: Swift.max(count, 1))
        (framesPerColumn, restPerColumn) = (Int64(quotient), remainder)
        fewestFrames = frames.isEmpty ? 0 : 1
    }

    /// The frames of the next column.
    ///
    /// Real-time safe: yes.
    package mutating func next() -> Range<Int64>? {
        if columnsLeft == 0 { return nil }
        columnsLeft -= 1
        let start = frame
        // Added up instead of divided, as a division takes as long as a whole column of a picture.
        frame += framesPerColumn
        fraction += restPerColumn
        if fraction >= columnCount {
            fraction -= columnCount
            frame += 1
        }
        return start..<Swift.max(start + fewestFrames, frame)
    }
}
