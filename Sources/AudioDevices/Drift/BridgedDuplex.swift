import Files
import Glibc
import Synchronization

/// A duplex stream of two devices with a clock each, on two device threads. The output's thread calls the callbacks.
///
/// If only the input is interrupted, the input is silent during the interruption and the output plays on. The loss of
/// either side ends both.
final class BridgedDuplex: DuplexStream, ScheduledStream {
    /// Longest wait for the input's first frames, in ns; then the output starts without them.
    private static let startPatience: Int64 = 1_000_000_000

    private let output: StreamCore
    private let input: StreamCore
    private let bridge: ClockBridge
    let clock = StreamClock.real
    let inputConfiguration: StreamConfiguration

    /// Takes over both devices; closes both if the initialiser throws.
    init(output: any StreamBackend, input: any StreamBackend, _ request: StreamRequest) throws(DeviceError) {
        let plan = BridgePlan(output: output.outputConfiguration, input: input.inputConfiguration)
        guard let bridge = ClockBridge(plan) else {
            output.discard()
            input.discard()
            throw DeviceError(
                kind: .io,
                message: "there is no memory to join \(output.outputConfiguration.deviceName) and "
                    + input.inputConfiguration.deviceName, remedy: "Close other programs, and try again.")
        }
        self.bridge = bridge
        inputConfiguration = input.inputConfiguration.delivered(like: output.outputConfiguration)
        do throws(DeviceError) {
            self.output = try StreamCore(output, request)
        } catch {
            input.discard()
            throw error
        }
        self.input = try StreamCore(input, request)
    }

    var outputConfiguration: StreamConfiguration { output.outputConfiguration }
    var position: StreamPosition { output.ledger.position }
    var inputPosition: CapturePosition { output.ledger.inputPosition }
    var asksForPriority: Bool { output.asksForPriority }

    var statistics: StreamStatistics {
        let played = output.statistics
        return StreamStatistics(
            xruns: played.xruns, lostFrames: played.lostFrames, blocks: played.blocks,
            framesRendered: played.framesRendered, renderTime: played.renderTime, scheduling: played.scheduling,
            overruns: played.overruns, lostInputFrames: played.lostInputFrames, framesCaptured: played.framesCaptured,
            incidentsMissed: played.incidentsMissed + input.statistics.incidentsMissed,
            inputClockPPM: bridge.reader.ppm)
    }

    func takeIncidents() -> [StreamIncident] {
        let offset = bridge.reader.numberOffset
        let recorded = input.ledger.takeIncidents().map { $0.moved(by: offset) }
        return (output.ledger.takeIncidents() + recorded).sorted { $0.hostTime < $1.hostTime }
    }

    func start(_ callbacks: DuplexCallbacks) throws(DeviceError) {
        // The output's thread delivers the recorded frames, so its ledger counts these frames.
        let (reader, writer, ledger) = (bridge.reader, bridge.writer, output.ledger)
        let recording = StreamWork(
            process: { block in
                writer.take(block.input)
                return block.input.frameCount
            },
            overrun: { _, _ in writer.noteRestart() }, moment: { writer.observe($0) })
        let playing = StreamWork(
            process: { block in
                let delivery = reader.read(block.output.frameCount, outputFrame: block.output.outputFrame)
                if delivery.lostFrames > 0 {
                    ledger.countOverrun(lostFrames: delivery.lostFrames)
                    callbacks.overrun(delivery.lostFrom, delivery.lostFrames)
                }
                ledger.countCaptured(delivery.block.frameCount)
                ledger.publish(
                    CapturePosition(
                        nextFrame: delivery.block.inputFrame + Int64(delivery.block.frameCount),
                        waitingFrames: Int64(delivery.waitingFrames)))
                return callbacks.process(
                    DuplexBlock(
                        input: delivery.block, output: block.output, roundTripFrames: delivery.roundTripFrames))
            },
            xrun: { frame, lost in
                reader.noteOutputRestart(silentFrames: lost)
                callbacks.xrun(frame, lost)
            },
            moment: { reader.observe($0) })
        try input.start(recording, whenOver: output.wake)
        // Waits, so that the frames recorded while the output's first frame is heard can be delivered.
        let deadline = MonotonicTime.now() + Self.startPatience
        while !writer.isRunning, !output.wake.isRaised, MonotonicTime.now() < deadline { usleep(500) }
        do throws(DeviceError) {
            try output.start(playing, whenOver: input.wake)
        } catch {
            input.stop()
            throw error
        }
    }

    func stop() {
        input.wake.raise()
        output.stop()
        // From a callback, the output's thread must not wait for the input's thread.
        if !output.isOnDeviceThread { input.stop() }
    }

    func waitUntilFinished() throws(DeviceError) {
        let ends = [output, input].map { core in Result { () throws(DeviceError) in try core.waitUntilFinished() } }
        for end in ends { try end.get() }
    }
}

extension StreamConfiguration {
    /// Returns the configuration of the input as delivered after conversion to the output's clock.
    fileprivate func delivered(like output: StreamConfiguration) -> StreamConfiguration {
        StreamConfiguration(
            sampleRate: output.sampleRate, channelCount: channelCount, periodFrames: output.periodFrames,
            bufferFrames: bufferFrames, formatName: formatName, accessName: accessName, deviceName: deviceName)
    }
}
