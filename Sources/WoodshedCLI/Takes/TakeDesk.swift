// Finds the take for a key and prepares its sound on separate threads: no key waits for the disk.
import Synchronization
import Terminal
import WoodshedPractice

/// The takes of the playing recording.
struct TakeDesk: Sendable {
    let session: PracticeSession
    let keeper: SectionKeeper
    /// True to mix model and take on both sides when both play together.
    let mixesBoth: Bool
    /// Called on any thread.
    let tell: @Sendable (TakeNews) -> Void

    /// The playing passage at a key's press; its newest take is meant.
    struct Passage: Equatable, Sendable {
        /// The saved section; nil for an unsaved loop or range.
        var section: Int?
        /// Frames of the recording's clip.
        var frames: Range<Int64>
        /// The player's position, in frames of the clip.
        var place: Int64
    }

    /// The passage playing now.
    var passage: Passage {
        Passage(
            section: session.currentSavedID, frames: session.playingRange ?? 0..<clip.frameCount,
            place: session.player.statusAfterMoves.clipFrame)
    }

    /// Requested work, which may be cancelled.
    final class Work: Sendable {
        let number: Int
        private let cancelled = Atomic(false)

        init(number: Int) { self.number = number }

        func cancel() { cancelled.store(true, ordering: .relaxed) }
        var isCancelled: Bool { cancelled.load(ordering: .relaxed) }
    }

    /// Prepares the newest take of a passage for hearing.
    ///
    /// - Parameter old: The last pair, reused for the same take.
    func prepare(_ passage: Passage, old: HeardPair?, as work: Work) {
        BlockingThread.start { [self] in
            perform(work) {
                let (take, key) = try newestTake(of: passage)
                if let old, old.take == take, old.modelRange.contains(passage.place) || !old.isCut {
                    return tell(.ready(work.number, old))
                }
                let pair = try HeardPair(
                    of: take, in: clip, key: key, near: passage.place, mixes: mixesBoth,
                    isCancelled: { work.isCancelled })
                tell(.ready(work.number, pair))
            }
        }
    }

    /// Compares the newest take of a passage with its model.
    func compare(_ passage: Passage, as work: Work) {
        BlockingThread.startInBackground { [self] in
            perform(work) {
                let (take, key) = try newestTake(of: passage)
                let pair = try ComparedTake(take, in: clip, key: key)
                tell(.compared(work.number, take: take.number, pair, try pair.comparison()))
            }
        }
    }

    private func perform(_ work: Work, _ body: () throws -> Void) {
        do {
            try body()
        } catch let error as HearingError where error.kind == .cancelled {
            // The user cancelled the work, so no message is needed.
        } catch let error as any ExplainedError {
            tell(.refused(work.number, [error.message, error.remedy].filter { !$0.isEmpty }))
        } catch {
            tell(.refused(work.number, ["\(error)"]))
        }
    }

    private var clip: Clip { session.player.clip }

    /// Returns the newest take of a passage, and the recording's identity.
    private func newestTake(of passage: Passage) throws -> (StoredTake, RecordingKey) {
        let kept = try keeper.kept(clip.info)
        let key = kept.recording.key
        // Excludes a take still being recorded, which has no length yet.
        let takes = try kept.store.takes(TakeFilter(key: key)).filter { $0.sound.frameCount > 0 && !$0.isReplaced }
        guard let take = Self.newest(of: passage, in: takes, clip.frame) else {
            throw CommandFailure(
                .notFound,
                takes.isEmpty ? "there is no take of this recording yet" : "there is no take of this passage yet",
                remedy: "press r to record a take")
        }
        return (take, key)
    }

    /// Returns the newest take of the saved section. Without such a take, returns the newest take with at least half of
    /// its model inside the passage.
    ///
    /// - Parameter clipFrame: The frame of the clip for a frame of the file.
    static func newest(
        of passage: Passage, in takes: [StoredTake], _ clipFrame: (Int64) -> Int64
    ) -> StoredTake? {
        let own = takes.first { $0.model?.sectionID != nil && $0.model?.sectionID == passage.section }
        return own
            ?? takes.first { take in
                guard let frames = take.model?.frames, !frames.isEmpty else { return false }
                let first = clipFrame(frames.lowerBound)
                let model = first..<max(first, clipFrame(frames.upperBound))
                return 2 * model.clamped(to: passage.frames).count >= max(1, model.count)
            }
    }
}

/// Result of a request about takes.
enum TakeNews: Sendable {
    /// The pair can be heard.
    case ready(Int, HeardPair)
    /// Nothing can be heard or compared; the lines give the reason and a remedy.
    case refused(Int, [String])
    /// The playback of a take ended, on this player.
    case ended(ObjectIdentifier, FinishReason)
    /// A take's comparison is finished.
    case compared(Int, take: Int, ComparedTake, TakeComparison)
}
