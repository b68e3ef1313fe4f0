public import Clips

/// An item of a queue: what plays, and by which number it is known.
public struct QueueItem: Sendable, Hashable, Identifiable {
    /// The number of an item: unique in its queue, never reused.
    public struct ID: Sendable, Hashable, CustomStringConvertible {
        let number: UInt64
        /// The number in decimal digits.
        public var description: String { "\(number)" }
    }

    /// The number by which the queue knows it.
    public let id: ID
    /// A path, or whatever else the program's opener understands.
    public let source: String
}

/// An opened item: what a queue's opener returns.
public struct QueueSound: Sendable {
    /// The recording, at the engine's rate.
    public var clip: Clip
    /// The part of it that plays, in frames of the clip; nil for all. A part inside the recording begins and ends with its own samples.
    public var range: Range<Int64>?
    /// The gain that brings it to the level of the others, in dB: see ``LevelGain``.
    public var decibels: Double

    /// An opened item; the range is checked when it is played.
    public init(_ clip: Clip, range: Range<Int64>? = nil, decibels: Double = 0) {
        (self.clip, self.range, self.decibels) = (clip, range, decibels)
    }
}
