internal import DSP
internal import Glibc
internal import Realtime

/// Combines the capture thread's windows of levels into ten reports a second. One thread at a time.
final class LevelReporter {
    /// The combined levels of one channel.
    private struct Sum {
        var peak: Float = 0
        var squares = 0.0
        var frameCount = 0
        var overs: Int64 = 0
        var firstOverFrame: Int64?
        var hold: PeakHold
    }

    private let capture: CaptureStage
    private let events: EventBroadcast<RecorderEvent>
    private var sums: [Sum]
    private var windowCount = 0

    private static let windowsPerReport = CaptureStage.windowsPerSecond / 10

    init(_ capture: CaptureStage, events: EventBroadcast<RecorderEvent>, channelCount: Int, sampleRate: Int) {
        self.capture = capture
        self.events = events
        let hold = PeakHold(PeakHold.Parameters(sampleRate: sampleRate))
        sums = Array(repeating: Sum(hold: hold), count: channelCount)
    }

    /// Reports the levels measured since the last call.
    func step() {
        while let window = capture.windows.pop() {
            add(window)
            guard window.channel == sums.count - 1 else { continue }
            windowCount += 1
            if windowCount == Self.windowsPerReport { report(window.endFrame) }
        }
    }

    private func add(_ window: LevelWindow) {
        let levels = window.levels
        var sum = sums[window.channel]
        sum.peak = max(sum.peak, levels.peak)
        sum.squares += Double(levels.meanSquare) * Double(levels.frameCount)
        sum.frameCount += levels.frameCount
        if levels.overs > 0, sum.firstOverFrame == nil {
            let frame = levels.firstOverFrame + window.unmeasuredFrames
            sum.firstOverFrame = frame
            events.tell(.over(channel: window.channel, inputFrame: frame))
        }
        sum.overs = levels.overs
        sums[window.channel] = sum
    }

    private func report(_ frame: Int64) {
        for channel in sums.indices {
            sums[channel].hold.feed(20 * log10(Double(sums[channel].peak)), frameCount: sums[channel].frameCount)
        }
        let channels = sums.map { sum in
            RecorderLevels.Channel(
                peak: sum.peak, heldDecibels: sum.hold.decibels,
                rms: Float((sum.squares / Double(max(1, sum.frameCount))).squareRoot()),
                overs: sum.overs, firstOverFrame: sum.firstOverFrame)
        }
        events.tell(.levels(RecorderLevels(inputFrame: frame, channels: channels)))
        for channel in sums.indices {
            (sums[channel].peak, sums[channel].squares, sums[channel].frameCount) = (0, 0, 0)
        }
        windowCount = 0
    }
}
