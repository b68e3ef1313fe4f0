/// The devices without a card: blocks go to a file or nowhere, at the pace of the monotonic clock or at none.
///
/// Under the real clock it behaves like a card: a buffer of the requested periods is filled first, then a block is asked
/// for whenever there is room for one, and a block that comes too late is an xrun.
final class ClockedBackend: OutputBackend {
    let configuration: StreamConfiguration
    private let clock: StreamClock

    /// The `null` device.
    init(discarding request: StreamRequest) {
        clock = request.clock
        configuration = StreamConfiguration(
            sampleRate: request.sampleRate, channelCount: request.channelCount, periodFrames: request.periodFrames,
            bufferFrames: request.periodFrames * request.periodCount, formatName: "FLOAT", accessName: "direct",
            deviceName: "null")
    }

    func run(_ renderer: BlockRenderer, wake: WakeSignal) throws(DeviceError) {
        switch clock {
        case .virtual: try runFreely(renderer, wake: wake)
        case .real: try runPaced(renderer, wake: wake)
        }
    }

    func discard() {}

    private func runFreely(_ renderer: BlockRenderer, wake: WakeSignal) throws(DeviceError) {
        let period = configuration.periodFrames
        while !wake.isRaised {
            let valid = renderer.render(period)
            renderer.publish(framesWritten: renderer.framesRendered, delayFrames: 0)
            guard valid == period else { return }
        }
    }

    private func runPaced(_ renderer: BlockRenderer, wake: WakeSignal) throws(DeviceError) {
        let period = configuration.periodFrames
        var isEnded = false
        while !isEnded, !wake.isRaised, renderer.framesRendered < configuration.bufferFrames {
            isEnded = renderer.render(period) < period
        }
        var card = PacedClock(
            sampleRate: configuration.sampleRate, bufferFrames: configuration.bufferFrames,
            prefilled: renderer.framesRendered, now: MonotonicTime.now())
        renderer.publish(framesWritten: card.framesWritten, delayFrames: card.framesWritten)
        while !isEnded {
            wake.sleep(until: card.roomTime(for: period))
            guard !wake.isRaised else { return }
            let valid = renderer.render(period)
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
}
