import Foundation
import VirtualCardSupport

/// One program on one card with one schedule of faults, watched from outside.
struct Trial {
    static let sampleRate = 48_000
    /// Long enough that a busy machine is not counted as a fault of the program.
    static let periodFrames = 1024
    static let bufferFrames = 4096

    let contender: Contender
    let direction: VirtualDirection
    let schedule: String
    /// From the start of the stream to the end of the watch.
    let seconds: Double

    /// The outcome of a program's run.
    enum State: String {
        case neverStarted = "never started"
        case goesOn = "goes on"
        case ended = "ends"
        case stuck = "STUCK"
    }

    struct Outcome {
        var state = State.neverStarted
        var tells = false
        /// The longest standstill after a fault; nil where the device never moved again.
        var gapMilliseconds: Double?
        /// The number of faults of the schedule that happened.
        var faultCount = 0
        /// Frames of silence or of holes by the card's record, and frames discarded unheard.
        var lostFrames = 0
        /// Of the processor, from the first fault to the end of the watch.
        var processorSeconds = 0.0
        /// Whether the stream ran dry, or full, by no fault of the schedule.
        var isDisturbed = false
        var endsWhenAsked = true
        var exitCode: Int32?
    }

    /// Once, or again where the machine was too busy for the program to come in time: three times at most.
    func run(_ tools: Tools) throws -> Outcome {
        var outcome = try runOnce(tools)
        for _ in 0..<2 where outcome.isDisturbed { outcome = try runOnce(tools) }
        return outcome
    }

    private func runOnce(_ tools: Tools) throws -> Outcome {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("card-faults-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = VirtualCardOptions()
        if direction == .playback { options.playbackFaults = schedule } else { options.captureFaults = schedule }
        let card = try VirtualCardRig(options)
        let child = try Child(
            contender.command(direction, tools), configuration: try configure(card, tools, in: folder), folder: folder)
        var outcome = watch(child, card)
        outcome.endsWhenAsked = child.end()
        outcome.tells = contender.tells(child.output)
        return outcome
    }

    /// The card as the default device: PortAudio opens no other device that has an argument.
    private func configure(_ card: VirtualCardRig, _ tools: Tools, in folder: URL) throws -> URL {
        let plugIn = URL(fileURLWithPath: tools.benchmark).deletingLastPathComponent().path + "/libVirtualCardPlugIn.so"
        let text = """
            pcm_type.virtual_card { lib "\(plugIn)" }
            pcm.!default { type virtual_card card "\(card.cardName)" hint { show on description "Virtual card" } }

            """
        let file = folder.appendingPathComponent("asound.conf")
        try text.write(to: file, atomically: false, encoding: .utf8)
        return file
    }

    private func watch(_ child: Child, _ card: VirtualCardRig) -> Outcome {
        var outcome = Outcome()
        guard card.waits(until: { card.truth(direction).framesMoved > 0 || !child.isRunning }), child.isRunning else {
            outcome.exitCode = child.exitCode
            return outcome
        }
        let started = Date()
        var firstProcessor: Double?
        var movedAt: [(time: Date, frames: Int)] = []
        while Date().timeIntervalSince(started) < seconds, child.isRunning {
            usleep(20_000)
            movedAt.append((Date(), card.truth(direction).framesMoved))
            let isFaulty = !card.records.isEmpty || schedule.isEmpty && Date().timeIntervalSince(started) > 0.5
            guard isFaulty, let processor = child.processorSeconds else { continue }
            outcome.processorSeconds = processor - (firstProcessor ?? processor)
            firstProcessor = firstProcessor ?? processor
        }
        let recent = movedAt.first { $0.time.timeIntervalSinceNow > -0.5 }?.frames ?? 0
        let goesOn = (movedAt.last?.frames ?? 0) > recent
        outcome.state = !child.isRunning ? .ended : goesOn ? .goesOn : .stuck
        outcome.exitCode = child.exitCode
        judge(card, &outcome)
        return outcome
    }

    /// The card's own record of the run.
    private func judge(_ card: VirtualCardRig, _ outcome: inout Outcome) {
        let records = card.records.filter { $0.direction == direction }
        let injected = records.filter(\.wasInjected)
        outcome.faultCount = injected.count
        // A stall is long enough for the buffer to run dry, or full, behind it.
        outcome.isDisturbed = records.count - injected.count > injected.count { $0.fault == .stall }
        let truth = card.truth(direction)
        outcome.lostFrames = truth.silentFrames + truth.droppedFrames
        guard outcome.state == .goesOn else { return }
        outcome.gapMilliseconds = Double(records.compactMap(\.gapFrames).max() ?? 0) / Double(Self.sampleRate) * 1000
    }
}
