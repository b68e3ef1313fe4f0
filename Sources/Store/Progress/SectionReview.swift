public import AudioFiles
public import Sections

/// A rating of a section. A review is never changed or removed.
public struct SectionReview: Sendable, Hashable {
    /// The recording.
    public let key: RecordingKey
    /// The identity of the saved section, which may have been removed since.
    public let sectionID: Int
    /// Time of the review, in seconds since 1970.
    public let time: Int64
    /// The player's rating.
    public let rating: ReviewRating
    /// The state of memory before; nil for the first review of a section.
    package let before: MemoryState?
    /// The state of memory after.
    package let after: MemoryState
    /// Days until the section is due again.
    public let intervalDays: Int
    /// Measures of the rated playing.
    package let evidence: ReviewEvidence
}

/// Measures of the playing in a review. Any measure may be missing.
package struct ReviewEvidence: Sendable, Hashable {
    /// The speed reached, as a factor: 1 is the recording's own speed.
    package var speed: Double?
    /// Delay of the take's start against the model, in seconds.
    package var offsetSeconds: Double?
    /// The mean distance of the take from an even tempo, in seconds.
    package var spreadSeconds: Double?
    /// The length of the take divided by the length of the model: above 1 is slower.
    package var lengthRatio: Double?
    /// The mean distance of the melody from the model's melody, in cents.
    package var pitchCents: Double?
    /// The mean distance of the loudness from the model's loudness, in dB.
    package var energyDecibels: Double?

    /// Creates evidence with a speed as a factor, or without measures.
    package init(speed: Double? = nil) { self.speed = speed }

    /// True if the evidence contains a comparison.
    package var hasComparison: Bool {
        [offsetSeconds, spreadSeconds, lengthRatio, pitchCents, energyDecibels].contains { $0 != nil }
    }
}

/// A rated section and its due day.
public struct ScheduledSection: Sendable, Hashable {
    /// The recording.
    public let recording: PracticeRecording
    /// The section in its current state.
    public let section: SavedSection
    /// The section's place in the recording's list, from 1.
    public let number: Int
    /// The last review.
    public let review: SectionReview
    /// Number of reviews.
    package let reviewCount: Int
    /// The due day, in days of `PracticeCalendar`.
    package let dueDay: Int
    /// Days overdue: below 0 if due later, 0 if due today.
    public let overdueDays: Int
    /// The probability of recall: 0 to 1.
    package let retrievability: Double
    /// The speed of the last complete pass; nil if there was none.
    package let lastSpeed: Double?

    /// True if the recording's file was replaced in place, as far as the store has seen. The path now holds another
    /// recording, in which the section's frames mean something else.
    public let isReplaced: Bool

    /// True if the section is due.
    package var isDue: Bool { overdueDays >= 0 }
}
