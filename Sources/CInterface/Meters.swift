public import CWoodshed
internal import DSP
internal import Realtime

/// A meter opened by a C program.
final class MeterBox: Handled, @unchecked Sendable {
    static var kind: HandleKind { .meter }

    let channelCount: Int
    private let lock = ConditionLock()
    /// Guarded by the lock.
    private var meter: ProgrammeMeter

    init(sampleRate: Int, channelCount: Int) {
        self.channelCount = channelCount
        meter = ProgrammeMeter(.init(sampleRate: sampleRate, channelCount: channelCount))
    }

    /// - Parameter channels: As many channels as the meter has.
    func add(_ channels: [UnsafeMutablePointer<Float>], frameCount: Int) {
        lock.withLock {
            unsafe channels.withUnsafeBufferPointer { channels in
                guard let first = channels.baseAddress else { return }
                unsafe meter.process(first, frameCount: frameCount)
            }
        }
    }

    func finish() -> ProgrammeReading {
        lock.withLock {
            defer { meter.reset() }
            return meter.finish()
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_meter_open(
    _ sampleRate: Int32, _ channels: Int32, _ meter: UnsafeMutablePointer<OpaquePointer?>?
) -> woodshed_status {
    answer {
        try unsafe Argument.give(meter, "the place for the meter") {
            let rates = LoudnessMeter.sampleRates
            guard rates.contains(Int(sampleRate)), (1...64).contains(channels) else {
                throw ArgumentError(
                    "a meter has \(channels) channels at \(sampleRate) Hz",
                    remedy: "Pass \(rates.lowerBound) to \(rates.upperBound) Hz, and 1 to 64 channels.")
            }
            return try unsafe Handles.open(MeterBox(sampleRate: Int(sampleRate), channelCount: Int(channels)))
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_meter_add(
    _ meter: OpaquePointer?, _ channels: UnsafePointer<UnsafePointer<Float>?>?, _ frames: Int32
) -> woodshed_status {
    answer {
        let box: MeterBox = try unsafe Handles.object(meter)
        guard let channels = unsafe channels else { throw ArgumentError.missing("channels") }
        guard frames >= 0 else { throw ArgumentError("the block has \(frames) frames", remedy: "Pass 0 or more.") }
        let buffers = unsafe try (0..<box.channelCount).map { channel in
            guard let samples = unsafe channels[channel] else { throw ArgumentError.missing("a channel") }
            // The meter only reads.
            return unsafe UnsafeMutablePointer(mutating: samples)
        }
        unsafe box.add(buffers, frameCount: Int(frames))
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_meter_finish(
    _ meter: OpaquePointer?, _ loudness: UnsafeMutablePointer<woodshed_loudness>?
) -> woodshed_status {
    answer {
        let box: MeterBox = try unsafe Handles.object(meter)
        guard let loudness = unsafe loudness else { throw ArgumentError.missing("the loudness") }
        // This check precedes the reset of the meter, because a refusal must leave the measurement untouched.
        _ = try unsafe Struct.size(of: UnsafePointer(loudness), "the loudness")
        try unsafe Struct.write(woodshed_loudness(box.finish()), to: loudness, "the loudness")
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_meter_close(_ meter: OpaquePointer?) -> woodshed_status {
    answer { _ = try unsafe Handles.close(meter) as MeterBox? }
}

extension woodshed_loudness {
    /// A reading in the form of the header.
    init(_ reading: ProgrammeReading) {
        self.init()
        size = UInt32(MemoryLayout<woodshed_loudness>.stride)
        integrated = reading.loudness.integrated
        maximum_momentary = reading.loudness.maximumMomentary
        maximum_short_term = reading.loudness.maximumShortTerm
        range = reading.loudness.range ?? -1
        (true_peak, sample_peak) = (reading.truePeakDecibels, reading.samplePeakDecibels)
        (overs, frames) = (reading.overs, reading.frameCount)
    }
}
