public import AudioFiles
internal import DSP
public import Sections

/// One rating of a section. A review that was made is never changed or removed.
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
    /// The days after which the section is due again.
    public let intervalDays: Int
    /// What was known of the playing that was rated.
    public let evidence: ReviewEvidence
}

/// What is known of the playing that a review is about. All of it may be missing.
public struct ReviewEvidence: Sendable, Hashable {
    /// The speed that was reached: 1 is the recording's own.
    public var speed: Double?
    /// How much later than the model the take begins, in seconds.
    public var offsetSeconds: Double?
    /// How far the take strays from an even tempo, in seconds.
    public var spreadSeconds: Double?
    /// How long the take is for the model.
    public var lengthRatio: Double?
    /// How far the melody differs, in cents.
    public var pitchCents: Double?
    /// How far the loudness differs, in decibels.
    public var energyDecibels: Double?

    /// What is known of some playing.
    public init(speed: Double? = nil) { self.speed = speed }

    /// Whether a comparison is known.
    public var hasComparison: Bool {
        [offsetSeconds, spreadSeconds, lengthRatio, pitchCents, energyDecibels].contains { $0 != nil }
    }

    /// Adds the measures of a comparison of a take with the section.
    public mutating func note(_ comparison: TakeComparison) {
        (offsetSeconds, spreadSeconds) = (comparison.offsetSeconds, comparison.measures.spreadSeconds)
        (lengthRatio, pitchCents) = (comparison.measures.lengthRatio, comparison.measures.pitchCents)
        energyDecibels = comparison.measures.energyDecibels
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

    /// Whether it is due.
    public var isDue: Bool { overdueDays >= 0 }
}
