import AudioFiles
import Explanations
import Files

/// The devices without a card: blocks go to a file or nowhere, and come from a file or from silence, at the pace of the
/// monotonic clock or as fast as possible.
///
/// Under the real clock an output behaves like a card: a buffer of the requested periods is filled first. Then a block
/// is requested whenever the buffer has room, and a late block is an xrun. An input waits for its reader: frames of a
/// file are never lost.
final class ClockedBackend: StreamBackend {
    let outputConfiguration: StreamConfiguration
    let inputConfiguration: StreamConfiguration
    let blockFrames: Int
    let clock: StreamClock
    /// The file for output; nil without a file.
    private let writer: (any SoundWriter)?
    /// The file for input; nil for silence.
    private let source: RecordedInput?

    /// Makes a backend for at least one side; a `system` device does not belong here and counts as missing.
    init(
        output: OutputDevice? = nil, input: InputDevice? = nil, _ request: StreamRequest,
        inputRequest: StreamRequest? = nil
    ) throws(DeviceError) {
        guard !request.isExclusive else {
            throw DeviceError(
                kind: .invalidRequest,
                message: "\(output?.description ?? input?.description ?? "") is not a sound card, "
                    + "so it cannot be opened exclusively",
                remedy: "Name a card, such as hw:0, or leave out --exclusive.")
        }
        clock = request.clock == .real ? .real : .virtual
        blockFrames = request.periodFrames
        let file = try output.flatMap { (output) throws(DeviceError) in try OpenedFile(output, request) }
        writer = file?.writer
        let sampleRate = file?.sampleRate ?? request.sampleRate
        var recorded: RecordedInput?
        if case .file(let path) = input {
            // In a duplex stream the rate is the output's; alone, the file is recorded at its own rate.
            do throws(DeviceError) {
                recorded = try RecordedInput(path: path, sampleRate: output == nil ? nil : sampleRate)
            } catch {
                writer?.cancel()
                throw error
            }
        }
        source = recorded
        outputConfiguration =
            output.map {
                .clocked(
                    request, sampleRate: sampleRate, formatName: file?.formatName ?? "FLOAT",
                    deviceName: $0.description)
            } ?? .absent
        inputConfiguration =
            input.map { [recorded] in
                .clocked(
                    inputRequest ?? request, sampleRate: recorded?.sampleRate,
                    channelCount: recorded?.channelCount, formatName: "FLOAT", deviceName: $0.description)
            } ?? .absent
    }

    func run(_ worker: BlockWorker, wake: WakeSignal) throws(StreamFault) {
        do throws(DeviceError) {
            switch (clock, hasOutput) {
            case (.real, true): try runPaced(worker, wake: wake)
            case (.real, false): try recordPaced(worker, wake: wake)
            default: try runFreely(worker, wake: wake)
            }
            // Also after a stop: the frames played so far are kept, in a valid file.
            do { try writer?.finish() } catch { throw DeviceError(error) }
        } catch {
            throw .file(error)
        }
    }

    func discard() { writer?.cancel() }

    private var hasOutput: Bool { outputConfiguration.channelCount > 0 }
    private var hasInput: Bool { inputConfiguration.channelCount > 0 }

    private func runFreely(_ worker: BlockWorker, wake: WakeSignal) throws(DeviceError) {
        while !wake.isRaised {
            let valid = try makeBlock(worker)
            if hasOutput { worker.publish(framesWritten: worker.outputFrame, delayFrames: 0) }
            guard valid == blockFrames else { return }
        }
    }

    private func runPaced(_ worker: BlockWorker, wake: WakeSignal) throws(DeviceError) {
        var isEnded = false
        while !isEnded, !wake.isRaised, worker.outputFrame < outputConfiguration.bufferFrames {
            isEnded = try makeBlock(worker) < blockFrames
        }
        var card = PacedClock(
            sampleRate: outputConfiguration.sampleRate, bufferFrames: outputConfiguration.bufferFrames,
            prefilled: worker.outputFrame, now: MonotonicTime.now())
        worker.publish(framesWritten: card.framesWritten, delayFrames: card.framesWritten)
        while !isEnded {
            wake.sleep(until: card.roomTime(for: blockFrames))
            guard !wake.isRaised else { return }
            let valid = try makeBlock(worker)
            let gapFrame = card.framesWritten
            let now = MonotonicTime.now()
            let lost = card.write(valid, now: now)
            if lost > 0 {
                worker.reportXrun(atFrame: gapFrame, lostFrames: lost)
                worker.report(
                    StreamIncident(
                        kind: .xrun, recovery: .restarted, side: .output, frame: gapFrame, lostFrames: lost,
                        hostTime: now))
            }
            worker.publish(framesWritten: card.framesWritten, delayFrames: card.delay(at: now))
            isEnded = valid < blockFrames
        }
        wake.sleep(until: card.endTime)
        worker.publish(framesWritten: card.framesWritten, delayFrames: card.delay(at: MonotonicTime.now()))
    }

    /// Delivers each block at the time at which a card would have recorded the block. A late reader sets the clock
    /// back: nothing is lost.
    private func recordPaced(_ worker: BlockWorker, wake: WakeSignal) throws(DeviceError) {
        let rate = inputConfiguration.sampleRate
        let slack = MonotonicTime.nanoseconds(ofFrames: Int64(inputConfiguration.bufferFrames), sampleRate: rate)
        var origin = MonotonicTime.now()
        while !wake.isRaised {
            let block = min(source?.remaining ?? .max, Int64(blockFrames))
            let due = origin + MonotonicTime.nanoseconds(ofFrames: worker.inputFrame + block, sampleRate: rate)
            wake.sleep(until: due)
            guard !wake.isRaised else { return }
            origin += max(0, MonotonicTime.now() - due - slack)
            guard try makeBlock(worker) == blockFrames else { return }
        }
    }

    /// Reads one block, processes and writes the block; returns the number of valid frames.
    private func makeBlock(_ worker: BlockWorker) throws(DeviceError) -> Int {
        var count = blockFrames
        if hasInput {
            let recorded = try fetch(worker)
            // Without an output, the end of a recording is the end of the stream.
            if !hasOutput { count = recorded }
            guard count > 0 else { return 0 }
        }
        let valid = worker.run(count)
        if hasInput { worker.publish(waitingFrames: 0) }
        if hasOutput {
            do { try unsafe writer?.write(worker.outputChannels, frameCount: valid) } catch { throw DeviceError(error) }
        }
        return valid
    }

    /// Reads a block into the worker and returns the number of recorded frames.
    private func fetch(_ worker: BlockWorker) throws(DeviceError) -> Int {
        if let source { return try unsafe source.read(into: worker.inputChannels, count: blockFrames) }
        for channel in 0..<inputConfiguration.channelCount {
            unsafe worker.inputChannels[channel].update(repeating: 0, count: blockFrames)
        }
        return blockFrames
    }
}

/// The open file of an output.
private struct OpenedFile {
    let writer: any SoundWriter
    /// The rate of the file: the requested rate, if supported by the format.
    let sampleRate: Int
    let formatName: String

    /// Creates the file of an output; nil for other outputs.
    init?(_ output: OutputDevice, _ request: StreamRequest) throws(DeviceError) {
        guard case .file(let path) = output else { return nil }
        do throws(AudioFileError) {
            let format = if let asked = request.fileFormat { asked } else { try FileFormat(named: path) }
            sampleRate = format.sampleRate(for: request.sampleRate)
            formatName = format.export == nil ? format.samples?.rawValue ?? "" : "\(format)"
            writer = try makeSoundWriter(
                path: path, format: format, sampleRate: sampleRate, channelCount: request.channelCount)
        } catch {
            throw DeviceError(error)
        }
    }
}

extension StreamConfiguration {
    /// The configuration of a missing side.
    static let absent = StreamConfiguration(
        sampleRate: 0, channelCount: 0, periodFrames: 0, bufferFrames: 0, formatName: "", accessName: "",
        deviceName: "")

    fileprivate static func clocked(
        _ request: StreamRequest, sampleRate: Int? = nil, channelCount: Int? = nil, formatName: String,
        deviceName: String
    ) -> StreamConfiguration {
        StreamConfiguration(
            sampleRate: sampleRate ?? request.sampleRate, channelCount: channelCount ?? request.channelCount,
            periodFrames: request.periodFrames, bufferFrames: request.periodFrames * request.periodCount,
            formatName: formatName, accessName: "direct", deviceName: deviceName)
    }
}

extension DeviceError {
    /// Makes the stream's error for an error of writing a file; the words stay.
    init(_ error: AudioFileError) {
        let kind: Kind =
            switch error.kind {
            case .diskFull: .diskFull
            case .permissionDenied: .permissionDenied
            case .invalidRequest: .invalidRequest
            case .cannotCreate, .isDirectory, .notFound: .cannotCreate
            case .unsupported: .formatRefused
            default: .io
            }
        self.init(
            kind: kind, message: error.message, remedy: error.remedy,
            status: error.exitStatus.ifTemporary)
    }
}
