public import Clips

/// An item of a queue: the source to play, and its number.
public struct QueueItem: Sendable, Hashable, Identifiable {
    /// The number of an item: unique in its queue, never reused.
    public struct ID: Sendable, Hashable, CustomStringConvertible {
        let number: UInt64
        /// The number in decimal digits.
        public var description: String { "\(number)" }
    }

    /// Number of the item in the queue.
    public let id: ID
    /// A path, or any other text that the program's opener understands.
    public let source: String
}

/// An opened item, as returned by a queue's opener.
public struct QueueSound: Sendable {
    /// The recording, at the engine's rate.
    var clip: Clip
    /// Part to play, in frames of the clip; nil for the whole clip. A part inside the recording begins and ends with
    /// its own samples.
    var range: Range<Int64>?
    /// Gain that brings the item to the common level, in dB: see ``LevelGain``.
    var decibels: Double

    /// Creates an opened item. Playing the item checks the range.
    ///
    /// - Parameters:
    ///   - clip: the recording, at the engine's rate.
    ///   - range: the part to play, in frames of the clip; nil for the whole clip. A part inside the recording begins
    ///     and ends with its own samples.
    ///   - decibels: the gain that brings the item to the common level, in dB.
    public init(_ clip: Clip, range: Range<Int64>? = nil, decibels: Double = 0) {
        (self.clip, self.range, self.decibels) = (clip, range, decibels)
    }
}
