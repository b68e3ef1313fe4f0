import AudioFiles

/// The devices without a card: blocks go to a file or nowhere, at the pace of the monotonic clock or at none.
///
/// Under the real clock it behaves like a card: a buffer of the requested periods is filled first, then a block is asked
/// for whenever there is room for one, and a block that comes too late is an xrun.
final class ClockedBackend: OutputBackend {
    let configuration: StreamConfiguration
    private let clock: StreamClock
    /// Where the sound goes; nil for nowhere.
    private let writer: WaveWriter?

    /// The `null` device.
    init(discarding request: StreamRequest) {
        clock = request.clock
        writer = nil
        configuration = Self.configuration(request, formatName: "FLOAT", deviceName: OutputDevice.null.description)
    }

    /// A file, which appears under its name when the stream has ended.
    init(writing path: String, _ request: StreamRequest) throws(DeviceError) {
        clock = request.clock
        do {
            writer = try WaveWriter(
                path: path, sampleRate: request.sampleRate, channelCount: request.channelCount,
                format: request.fileFormat)
        } catch {
            throw DeviceError(error)
        }
        configuration = Self.configuration(
            request, formatName: request.fileFormat.rawValue, deviceName: OutputDevice.file(path: path).description)
    }

    func run(_ renderer: BlockRenderer, wake: WakeSignal) throws(DeviceError) {
        switch clock {
        case .virtual: try runFreely(renderer, wake: wake)
        case .real: try runPaced(renderer, wake: wake)
        }
        // After a stop as well: what was played is kept, in a valid file.
        do { try writer?.finish() } catch { throw DeviceError(error) }
    }

    func discard() { writer?.cancel() }

    private func runFreely(_ renderer: BlockRenderer, wake: WakeSignal) throws(DeviceError) {
        let period = configuration.periodFrames
        while !wake.isRaised {
            let valid = try makeBlock(renderer)
            renderer.publish(framesWritten: renderer.framesRendered, delayFrames: 0)
            guard valid == period else { return }
        }
    }

    private func runPaced(_ renderer: BlockRenderer, wake: WakeSignal) throws(DeviceError) {
        let period = configuration.periodFrames
        var isEnded = false
        while !isEnded, !wake.isRaised, renderer.framesRendered < configuration.bufferFrames {
            isEnded = try makeBlock(renderer) < period
        }
        var card = PacedClock(
            sampleRate: configuration.sampleRate, bufferFrames: configuration.bufferFrames,
            prefilled: renderer.framesRendered, now: MonotonicTime.now())
        renderer.publish(framesWritten: card.framesWritten, delayFrames: card.framesWritten)
        while !isEnded {
            wake.sleep(until: card.roomTime(for: period))
            guard !wake.isRaised else { return }
            let valid = try makeBlock(renderer)
            let gapFrame = card.framesWritten
            let now = MonotonicTime.now()
            let lost = card.write(valid, now: now)
            if lost > 0 { renderer.reportXrun(atFrame: gapFrame, lostFrames: lost) }
            renderer.publish(framesWritten: card.framesWritten, delayFrames: card.delay(at: now))
            isEnded = valid < period
        }
        wake.sleep(until: card.endTime)
        renderer.publish(framesWritten: card.framesWritten, delayFrames: card.delay(at: MonotonicTime.now()))
    }

    /// Has one block filled and takes it; returns how many of its frames are valid.
    private func makeBlock(_ renderer: BlockRenderer) throws(DeviceError) -> Int {
        let valid = renderer.render(configuration.periodFrames)
        do { try unsafe writer?.write(renderer.channels, frameCount: valid) } catch { throw DeviceError(error) }
        return valid
    }

    private static func configuration(
        _ request: StreamRequest, formatName: String, deviceName: String
    ) -> StreamConfiguration {
        StreamConfiguration(
            sampleRate: request.sampleRate, channelCount: request.channelCount, periodFrames: request.periodFrames,
            bufferFrames: request.periodFrames * request.periodCount, formatName: formatName, accessName: "direct",
            deviceName: deviceName)
    }
}

extension DeviceError {
    /// What writing a file's trouble means for the stream; its words stay.
    init(_ error: AudioFileError) {
        let kind: Kind =
            switch error.kind {
            case .diskFull: .diskFull
            case .permissionDenied: .permissionDenied
            case .invalidRequest: .invalidRequest
            case .cannotCreate, .isDirectory, .notFound: .cannotCreate
            default: .io
            }
        self.init(kind: kind, message: error.message, remedy: error.remedy)
    }
}
