import Clips
import EngineHarness
import Synchronization

@testable import Engine
@testable import Practice
@testable import Store

/// A session without a device: the clock is the number of rendered frames, less a buffer of inaudible frames.
final class SessionHarness {
    let session: PracticeSession
    let harness: Harness
    private let rendered = RenderedFrames()
    private(set) var output: [Float] = []

    /// Rendered frames so far, from which the session computes the audible place.
    final class RenderedFrames: Sendable {
        let audible = Atomic<Int64>(0)
    }

    /// - Parameters:
    ///   - bufferFrames: Rendered frames that are not audible yet.
    ///   - mostWaiting: As for the session.
    ///   - startFrame: The output frame of the first sound; nil for the first block.
    ///   - beforeStart: Called with the session before the start.
    init(
        _ samples: [Float], rate: Int, plan: SessionPlan, bufferFrames: Int64 = 0, mostWaiting: Int = .max,
        startFrame: Int64? = nil, beforeStart: (PracticeSession) -> Void = { _ in }
    ) throws {
        let clip = try Clip.inMemory([samples], sampleRate: rate)
        var made: Harness?
        let rendered = rendered
        session = try PracticeSession(
            clip: clip, plan: plan, mostWaiting: mostWaiting,
            audibleFrame: { max(0, rendered.audible.load(ordering: .relaxed) - bufferFrames) },
            makePlayer: { clip, score, _ in
                guard made == nil else { throw Missing() }
                let harness = Harness([samples], clip: clip, score: score)
                made = harness
                return harness.player
            })
        guard let made else { throw Missing() }
        harness = made
        beforeStart(session)
        session.start(at: startFrame)
    }

    private struct Missing: Error {}

    var player: Player { harness.player }
    var frame: Int { output.count }

    /// Renders some frames, in blocks of a length.
    ///
    /// - Parameter beforeBlock: Called before each block, after serving the control side for the block.
    @discardableResult
    func play(_ frames: Int, block: Int = 64, beforeBlock: () -> Void = {}) -> [Float] {
        let sound = harness.render(frames, from: output.count) {
            beforeBlock()
            return block
        }[0]
        output += sound
        rendered.audible.store(Int64(output.count), ordering: .relaxed)
        return sound
    }
}
