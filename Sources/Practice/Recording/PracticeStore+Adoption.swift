internal import AudioFiles
public import Store
public import Takes

/// A take of an interrupted session, found by a later start.
public struct AdoptedTake: Sendable, Hashable {
    /// The take in the list.
    public let take: StoredTake
    /// True if the file had to be completed: the recording program was killed, or the power failed.
    public let wasUnfinished: Bool
}

extension PracticeStore {
    /// Lists the takes of sessions that could not list their takes: the program was killed, the disk was full or the
    /// store could not be changed. Completes the files, and keeps their position on their models.
    ///
    /// Takes recorded without a session stay as they are: see ``/Takes/UnfinishedTakes/find()``.
    /// - Returns: The takes, the latest first. Takes with unreadable files stay registered.
    /// - Throws: `AudioFileError` if the registry cannot be read; `StoreError` if a take cannot be listed; the take
    ///   then stays registered.
    ///
    /// Real-time safe: no.
    @discardableResult
    public func adoptTakes(from registry: UnfinishedTakes = UnfinishedTakes()) throws -> [AdoptedTake] {
        var adopted: [AdoptedTake] = []
        for unfinished in try registry.find() {
            guard let text = unfinished.attachment, let attachment = TakeAttachment(text),
                let (frames, receipt) = try? unfinished.recoverLeavingReceipt()
            else { continue }
            guard frames > 0 else {
                receipt.settle()
                continue
            }
            let known = try take(
                inFileAt: unfinished.path, begunAt: unfinished.startTime, frameCount: frames)
            let sound = StoredTake.Sound(
                time: known?.sound.time ?? unfinished.startTime, sampleRate: unfinished.sampleRate,
                channelCount: unfinished.channelCount, frameCount: frames, device: attachment.device)
            let take = try addTake(
                inFileAt: unfinished.path, sound, model: attachment.model, of: attachment.recording)
            receipt.settle()
            adopted.append(AdoptedTake(take: take, wasUnfinished: known?.sound.frameCount != frames))
        }
        return adopted
    }
}
