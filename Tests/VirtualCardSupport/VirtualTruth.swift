internal import VirtualCard

/// A direction of a card.
public enum VirtualDirection: UInt32, Sendable, CaseIterable {
    case playback, capture

    var c: virtual_card_direction { virtual_card_direction(rawValue) }
}

/// Faults of a running stream, as VirtualCard.h describes them.
public enum VirtualFault: UInt32, Sendable, CaseIterable, CustomStringConvertible {
    case xrun, suspend, suspendPrepare, suspendLie, unplug, stall, freeze, short, death, hang

    var c: virtual_card_fault_kind { virtual_card_fault_kind(rawValue) }

    /// The name in a schedule.
    public var description: String { unsafe String(cString: virtual_card_fault_name(c)) }
}

/// Operations that can be made to fail without a running stream.
public enum VirtualOperation: UInt32, Sendable, CaseIterable {
    case open, prepare, start, transfer

    var c: virtual_card_operation { virtual_card_operation(rawValue) }
}

/// The true events of a direction since the card was made.
public struct VirtualTruth: Sendable, Hashable {
    /// Whether a program has the direction open.
    public let isOpen: Bool
    /// Whether the device moves frames.
    public let isRunning: Bool
    /// The device frame of the stream's frame 0, at the last start or resume.
    public let startFrame: Int64
    /// The device frame being played or recorded.
    public let deviceFrame: Int64
    /// The number of openings that wait for an answer.
    public let waiting: Int
    /// The number of openings.
    public let opens: Int
    /// The number of starts.
    public let starts: Int
    /// The number of stops in XRUN, by a fault or by itself.
    public let xruns: Int
    /// Faults by kind, injected or by schedule.
    public let faults: [VirtualFault: Int]
    /// Frames written or read by the program.
    public let framesTransferred: Int
    /// Frames moved by the running device.
    public let framesMoved: Int
    /// Frames of time between the stop of a stream by a fault and its next start, and in freezes.
    public let silentFrames: Int
    /// Written frames discarded by a fault.
    public let droppedFrames: Int
    /// The number of the program's checks of a poll's result.
    public let wakes: Int
    /// The number of checks without anything to do.
    public let idleWakes: Int

    init(_ truth: virtual_card_truth) {
        isOpen = truth.is_open
        isRunning = truth.is_running
        startFrame = truth.start_frame
        deviceFrame = truth.device_frame
        waiting = Int(truth.waiting)
        opens = Int(truth.opens)
        starts = Int(truth.starts)
        xruns = Int(truth.xruns)
        var counts: [VirtualFault: Int] = [:]
        unsafe withUnsafeBytes(of: truth.faults) { bytes in
            for fault in VirtualFault.allCases {
                let count = unsafe bytes.load(fromByteOffset: Int(fault.rawValue) * 8, as: UInt64.self)
                if count > 0 { counts[fault] = Int(count) }
            }
        }
        faults = counts
        framesTransferred = Int(truth.frames_transferred)
        framesMoved = Int(truth.frames_moved)
        silentFrames = Int(truth.silent_frames)
        droppedFrames = Int(truth.dropped_frames)
        wakes = Int(truth.wakes)
        idleWakes = Int(truth.idle_wakes)
    }
}

/// A fault in the card's record.
public struct VirtualRecord: Sendable, Hashable {
    /// The kind of fault.
    public let fault: VirtualFault
    /// To which direction.
    public let direction: VirtualDirection
    /// False for the stream's own underrun or overrun.
    public let wasInjected: Bool
    /// Where the device stood.
    public let deviceFrame: Int64
    /// Frames since the last start.
    public let streamFrame: Int64
    /// Frames since the card was made.
    public let movedFrame: Int64
    /// Nanoseconds by the card's clock.
    public let time: Int64
    /// The number of frames for which the stream stood still; nil during the standstill, or without a standstill.
    public let gapFrames: Int64?
    /// The number of written frames lost by the fault, unheard.
    public let droppedFrames: Int

    init(_ record: virtual_card_record) {
        fault = VirtualFault(rawValue: record.kind.rawValue) ?? .xrun
        direction = VirtualDirection(rawValue: record.direction.rawValue) ?? .playback
        wasInjected = record.was_injected
        deviceFrame = record.device_frame
        streamFrame = record.stream_frame
        movedFrame = record.moved_frame
        time = record.time
        gapFrames = record.gap_frames < 0 ? nil : record.gap_frames
        droppedFrames = Int(record.dropped_frames)
    }
}
