public import AudioFiles

/// A stretch of practice without a break: one section, or one range, of one recording, on one day.
public struct PracticeEntry: Sendable, Hashable {
    /// The recording.
    public var key: RecordingKey
    /// The identity of the saved section; nil for a range that is not saved.
    public var sectionID: Int?
    /// The name of the section then; empty for none.
    public var name: String
    /// The range, in frames of the recording's file.
    public var frames: Range<Int64>
    /// When it began, in seconds since 1970.
    public var began: Int64
    /// When it was heard last, in seconds since 1970.
    public var ended: Int64
    /// The seconds that it was played, with the gaps between passes, without pauses.
    public var seconds: Double
    /// The passes that were played as a whole.
    public var passes: Int
    /// The speeds of these passes; nil if there are none.
    public var speeds: Speeds?

    /// Speeds of passes that were played as a whole: 1 is the recording's own. Of a pass with several speeds, the lowest counts.
    public struct Speeds: Sendable, Hashable {
        /// The lowest.
        public var lowest: Double
        /// The highest.
        public var highest: Double
        /// That of the last pass.
        public var last: Double

        /// The speeds of passes.
        public init(lowest: Double, highest: Double, last: Double) {
            (self.lowest, self.highest, self.last) = (lowest, highest, last)
        }
    }

    /// Describes what was practised.
    public init(
        key: RecordingKey, sectionID: Int? = nil, name: String = "", frames: Range<Int64>, began: Int64, ended: Int64,
        seconds: Double, passes: Int = 0, speeds: Speeds? = nil
    ) {
        (self.key, self.sectionID, self.name, self.frames) = (key, sectionID, name, frames)
        (self.began, self.ended, self.seconds) = (began, ended, seconds)
        (self.passes, self.speeds) = (passes, speeds)
    }
}
