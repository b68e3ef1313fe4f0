public import AudioFiles
public import Sections

/// A rating of a section. A review is never changed or removed.
public struct SectionReview: Sendable, Hashable {
    /// The recording.
    public let key: RecordingKey
    /// The identity of the saved section, which may have been removed since.
    public let sectionID: Int
    /// When it was made, in seconds since 1970.
    public let time: Int64
    /// How it went.
    public let rating: ReviewRating
    /// What was remembered before; nil for the first review of a section.
    package let before: MemoryState?
    /// What is remembered since.
    package let after: MemoryState
    /// The number of days after which the section is due again.
    public let intervalDays: Int
    /// Measures of the playing that was rated.
    public let evidence: ReviewEvidence
}

/// Measures of the playing that a review rates. Any of them may be missing.
public struct ReviewEvidence: Sendable, Hashable {
    /// The speed that was reached, as a factor: 1 is the recording's own.
    public var speed: Double?
    /// How much later than the model the take begins, in seconds.
    public var offsetSeconds: Double?
    /// The mean distance of the take from an even tempo, in seconds.
    public var spreadSeconds: Double?
    /// The length of the take divided by that of the model: above 1 is slower.
    public var lengthRatio: Double?
    /// The mean distance of the melody from the model's, in cents.
    public var pitchCents: Double?
    /// The mean distance of the loudness from the model's, in dB.
    public var energyDecibels: Double?

    /// Evidence with a speed as a factor, or with nothing.
    public init(speed: Double? = nil) { self.speed = speed }

    /// Whether it contains a comparison.
    public var hasComparison: Bool {
        [offsetSeconds, spreadSeconds, lengthRatio, pitchCents, energyDecibels].contains { $0 != nil }
    }
}

/// A section that was rated, and when it is due.
public struct ScheduledSection: Sendable, Hashable {
    /// The recording.
    public let recording: PracticeRecording
    /// The section as it is now.
    public let section: SavedSection
    /// Its place in the recording's list, from 1.
    public let number: Int
    /// Its last review.
    public let review: SectionReview
    /// How often it was reviewed.
    public let reviewCount: Int
    /// The day on which it is due, as `PracticeCalendar` counts days.
    public let dueDay: Int
    /// By how many days it is overdue; below 0 if it is due later, 0 if it is due today.
    public let overdueDays: Int
    /// The probability that it is still remembered: 0 to 1.
    public let retrievability: Double
    /// The speed of the last pass of it that was played as a whole; nil if none was.
    public let lastSpeed: Double?

    /// Whether the file of the recording was changed in place, as far as the store has seen: another recording is there now, in which the
    /// section's frames mean something else. `PracticeStore.adopt(_:for:)` moves the sections with their reviews to that one.
    public let isReplaced: Bool

    /// Whether it is due.
    public var isDue: Bool { overdueDays >= 0 }
}
