package import AudioFiles

/// A stretch of uninterrupted practice: one section, or one range, of one recording, on one day.
package struct PracticeEntry: Sendable, Hashable {
    /// The recording.
    package var key: RecordingKey
    /// The identity of the saved section; nil for a range that is not saved.
    package var sectionID: Int?
    /// The name of the section at the time of practice; empty for none.
    package var name: String
    /// The range, in frames of the recording's file.
    package var frames: Range<Int64>
    /// Start of the practice, in seconds since 1970.
    package var began: Int64
    /// Time of the last sound, in seconds since 1970.
    package var ended: Int64
    /// Playing time in seconds: includes the gaps between passes, excludes pauses.
    package var seconds: Double
    /// Number of complete passes.
    package var passes: Int
    /// The speeds of the complete passes; nil if there are none.
    package var speeds: Speeds?

    /// Speeds of complete passes, as factors of the recording's own speed. A pass with several speeds counts with the
    /// lowest.
    package struct Speeds: Sendable, Hashable {
        /// The lowest speed.
        package var lowest: Double
        /// The highest speed.
        package var highest: Double
        /// The speed of the last pass.
        package var last: Double

        /// Creates the speeds of passes.
        package init(lowest: Double, highest: Double, last: Double) {
            (self.lowest, self.highest, self.last) = (lowest, highest, last)
        }
    }

    /// Creates an entry.
    package init(
        key: RecordingKey, sectionID: Int? = nil, name: String = "", frames: Range<Int64>, began: Int64, ended: Int64,
        seconds: Double, passes: Int = 0, speeds: Speeds? = nil
    ) {
        (self.key, self.sectionID, self.name, self.frames) = (key, sectionID, name, frames)
        (self.began, self.ended, self.seconds) = (began, ended, seconds)
        (self.passes, self.speeds) = (passes, speeds)
    }
}
