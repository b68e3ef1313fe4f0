/// A named place or range that a recording's file tells of.
public struct FileMark: Sendable, Equatable {
    /// What it is called; may be empty. Text from outside: it may hold anything but a zero.
    public let name: String
    /// The frame it is in front of, from 0 on.
    public let frame: Int64
    /// For a range the frame behind its last one, greater than `frame`; `nil` for a place.
    public let endFrame: Int64?

    /// A mark; one whose end is not behind its beginning is a place.
    package init(name: String, frame: Int64, endFrame: Int64? = nil) {
        self.name = name
        self.frame = frame
        self.endFrame = endFrame.flatMap { $0 > frame ? $0 : nil }
    }
}

/// A named range of a recording, as its marks divide it.
public struct FileSection: Sendable, Equatable {
    /// What it is called; may be empty.
    public let name: String
    /// In frames of the recording; at least one.
    public let frames: Range<Int64>
}
