public import AudioFiles

/// A stretch of uninterrupted practice: one section, or one range, of one recording, on one day.
public struct PracticeEntry: Sendable, Hashable {
    /// The recording.
    public var key: RecordingKey
    /// The identity of the saved section; nil for a range that is not saved.
    public var sectionID: Int?
    /// The name of the section at the time of practice; empty for none.
    public var name: String
    /// The range, in frames of the recording's file.
    public var frames: Range<Int64>
    /// Start of the practice, in seconds since 1970.
    public var began: Int64
    /// Time of the last sound, in seconds since 1970.
    public var ended: Int64
    /// Playing time in seconds: includes the gaps between passes, excludes pauses.
    public var seconds: Double
    /// Number of complete passes.
    public var passes: Int
    /// The speeds of the complete passes; nil if there are none.
    public var speeds: Speeds?

    /// Speeds of complete passes, as factors of the recording's own speed. A pass with several speeds counts with the
    /// lowest.
    public struct Speeds: Sendable, Hashable {
        /// The lowest speed.
        public var lowest: Double
        /// The highest speed.
        public var highest: Double
        /// The speed of the last pass.
        public var last: Double

        /// Creates the speeds of passes.
        public init(lowest: Double, highest: Double, last: Double) {
            (self.lowest, self.highest, self.last) = (lowest, highest, last)
        }
    }

    /// Creates an entry.
    public init(
        key: RecordingKey, sectionID: Int? = nil, name: String = "", frames: Range<Int64>, began: Int64, ended: Int64,
        seconds: Double, passes: Int = 0, speeds: Speeds? = nil
    ) {
        (self.key, self.sectionID, self.name, self.frames) = (key, sectionID, name, frames)
        (self.began, self.ended, self.seconds) = (began, ended, seconds)
        (self.passes, self.speeds) = (passes, speeds)
    }
}
