public import AudioFiles
public import Clips
public import Store

/// A take from the store beside its model, to be compared: the same place of both as is heard by a ``HeardPair``.
public struct ComparedTake: Sendable {
    /// What the take was recorded against, as it sounded.
    public let passage: ComparedPassage
    private let take: Clip
    private let start: Double

    /// Opens a take.
    ///
    /// - Parameters:
    ///   - take: A take with a model.
    ///   - recording: The recording.
    ///   - key: Its identity in the store.
    /// - Throws: `HearingError`; `ScoreError` for a passage that cannot be played.
    public init(_ take: StoredTake, in recording: Clip, key: RecordingKey) throws {
        let opened = try OpenedTake(take, in: recording, key: key)
        let layout = try opened.layout()
        passage = try opened.passage(layout)
        (self.take, start) = (opened.clip, Double(layout.takeStart) / Double(recording.sampleRate))
    }

    /// Compares them. Takes some 3 % of the longer one's duration, and more if the model has another speed. Real-time safe: no.
    ///
    /// - Throws: As `TakeComparison.init(of:with:start:)`.
    public func comparison() throws -> TakeComparison {
        try TakeComparison(of: take, with: passage, start: start)
    }
}
