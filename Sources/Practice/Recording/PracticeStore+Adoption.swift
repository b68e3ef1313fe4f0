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
    /// - Throws: `AudioFileError` if the registry cannot be read; `StoreError` if the first take cannot be listed. If a
    ///   later take cannot be listed, returns the takes before it. All other takes stay registered for the next call.
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
            do throws(StoreError) {
                adopted.append(try adopt(unfinished, attachment, frameCount: frames))
            } catch {
                // The takes before are in the list, and no later call would find them. A busy store would hold up
                // every further take, so the rest waits for the next call.
                if adopted.isEmpty { throw error }
                return adopted
            }
            receipt.settle()
        }
        return adopted
    }

    /// Lists a completed take.
    private func adopt(
        _ unfinished: UnfinishedTake, _ attachment: TakeAttachment, frameCount: Int64
    ) throws(StoreError) -> AdoptedTake {
        let known = try take(
            inFileAt: unfinished.path, begunAt: unfinished.startTime, frameCount: frameCount)
        let sound = StoredTake.Sound(
            time: known?.sound.time ?? unfinished.startTime, sampleRate: unfinished.sampleRate,
            channelCount: unfinished.channelCount, frameCount: frameCount, device: attachment.device)
        let take = try addTake(
            inFileAt: unfinished.path, sound, model: attachment.model, of: attachment.recording)
        return AdoptedTake(take: take, wasUnfinished: known?.sound.frameCount != frameCount)
    }
}
