// Finds the take that a key means, and prepares what is heard of it, on threads of their own: no key waits for the disk.
import Synchronization
import Terminal
import Woodshed

/// The takes of the recording that plays.
struct TakeDesk: Sendable {
    let session: PracticeSession
    let keeper: SectionKeeper
    /// Whether both at once are mixed on both sides.
    let mixesBoth: Bool
    /// Called on any thread.
    let tell: @Sendable (TakeNews) -> Void

    /// What plays when a key is pressed, whose newest take is meant.
    struct Passage: Equatable, Sendable {
        /// The saved section; nil for a loop or a range that is not saved.
        var section: Int?
        /// Frames of the recording's clip.
        var frames: Range<Int64>
        /// Where the player is, of the clip.
        var place: Int64
    }

    /// What plays now.
    var passage: Passage {
        let (status, sections) = (session.player.status, session.player.score.sections)
        let isKnown = sections.indices.contains(status.section - 1)
        return Passage(
            section: session.currentSavedID, frames: isKnown ? sections[status.section - 1].range : 0..<clip.frameCount,
            place: status.clipFrame)
    }

    /// Work that was asked for, and may be given up.
    final class Work: Sendable {
        let number: Int
        private let cancelled = Atomic(false)

        init(number: Int) { self.number = number }

        func cancel() { cancelled.store(true, ordering: .relaxed) }
        var isCancelled: Bool { cancelled.load(ordering: .relaxed) }
    }

    /// Makes what is heard of the newest take of a passage.
    ///
    /// - Parameter old: What was heard last; it is heard again if it is of the same take.
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

    /// Compares the newest take of a passage with what it was recorded against.
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
            // The user gave it up, and knows.
        } catch let error as any ExplainedError {
            tell(.refused(work.number, [error.message, error.remedy].filter { !$0.isEmpty }))
        } catch {
            tell(.refused(work.number, ["\(error)"]))
        }
    }

    private var clip: Clip { session.player.clip }

    /// The newest take of a passage, and the identity of the recording.
    private func newestTake(of passage: Passage) throws -> (StoredTake, RecordingKey) {
        let kept = try keeper.kept(clip.info)
        let key = kept.recording.key
        // One that is being recorded has no length yet.
        let takes = try kept.store.takes(TakeFilter(key: key)).filter { $0.sound.frameCount > 0 && !$0.isReplaced }
        guard let take = Self.newest(of: passage, in: takes, clip.frame) else {
            throw CommandFailure(
                .notFound, takes.isEmpty ? "there is no take of this recording yet" : "there is no take of this yet",
                remedy: "press r to record one while it plays")
        }
        return (take, key)
    }

    /// The newest take of the saved section; if there is none, or it is not saved, the newest one half of whose model, or more, plays.
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

/// What has become of a request about takes.
enum TakeNews: Sendable {
    /// The pair can be heard.
    case ready(Int, HeardPair)
    /// Nothing can be heard or compared; lines tell why, and what to do.
    case refused(Int, [String])
    /// What is heard has ended; the player it was.
    case ended(ObjectIdentifier, FinishReason)
    /// A take was compared.
    case compared(Int, take: Int, ComparedTake, TakeComparison)
}
