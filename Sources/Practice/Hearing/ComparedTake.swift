package import AudioFiles
package import Clips
package import Store

/// A take from the store with its model, for comparison: at the same place as in a ``HeardPair``.
package struct ComparedTake: Sendable {
    /// The model of the take, at the speed and pitch of the recording session.
    package let passage: ComparedPassage
    private let take: Clip
    private let start: Double

    /// Opens a take.
    ///
    /// - Parameters:
    ///   - take: A take with a model.
    ///   - recording: The recording.
    ///   - key: The recording's identity in the store.
    /// - Throws: `HearingError`; `ScoreError` for a passage that cannot be played.
    package init(_ take: StoredTake, in recording: Clip, key: RecordingKey) throws {
        let opened = try OpenedTake(take, in: recording, key: key)
        let layout = try opened.layout()
        passage = try opened.passage(layout)
        (self.take, start) = (opened.clip, Double(layout.takeStart) / Double(recording.sampleRate))
    }

    /// Compares the take with its model. Takes some 3 % of the longer duration, and more if the model has another
    /// speed. Real-time safe: no.
    ///
    /// - Throws: As `TakeComparison.init(of:with:start:)`.
    package func comparison() throws -> TakeComparison {
        try TakeComparison(of: take, with: passage, start: start)
    }
}
