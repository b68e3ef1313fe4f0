import TestSupport
import VirtualCardSupport

/// The kind of stream in a random trial.
enum TrialMode: String, CaseIterable, Sendable {
    case playback, capture, duplex

    var directions: [VirtualDirection] {
        switch self {
        case .playback: [.playback]
        case .capture: [.capture]
        case .duplex: [.playback, .capture]
        }
    }
}

/// Twenty faults at random, for a stream of a random kind and block.
struct FaultSchedule: CustomStringConvertible {
    let mode: TrialMode
    let period: Int
    let playback: String
    let capture: String
    /// Frames in which the card may stand still by itself.
    let frozenFrames: Int64

    /// The frames that a trial moves, unless it ends earlier.
    static let frameCount = 96_000

    init(_ generator: inout SeededGenerator) {
        mode = TrialMode.allCases.randomElement(using: &generator) ?? .duplex
        period = [32, 64, 256, 1024].randomElement(using: &generator) ?? 64
        var texts: [VirtualDirection: [String]] = [:]
        var frozen: Int64 = 0
        // In half of the trials the card never stands still by itself, so that frames can be counted exactly.
        let freezes: [VirtualFault] = Bool.random(using: &generator) ? [.freeze] : []
        let kinds: [VirtualFault] = [.xrun, .suspend, .suspendPrepare, .suspendLie, .stall, .short] + freezes
        let endsBadly = Int.random(in: 0..<4, using: &generator) == 0
        for number in 0..<20 {
            let direction = mode.directions.randomElement(using: &generator) ?? .playback
            let frame = Int.random(in: 1000..<Self.frameCount, using: &generator)
            var kind = kinds.randomElement(using: &generator) ?? .xrun
            if endsBadly, number == 0 { kind = Bool.random(using: &generator) ? .unplug : .death }
            var text = "\(kind)@\(frame)"
            switch kind {
            case .stall, .freeze:
                let milliseconds = Int.random(in: 1...120, using: &generator)
                text += ":\(milliseconds)"
                if kind == .freeze { frozen += Int64(milliseconds) * 48 }
            case .short: text += ":\(Int.random(in: 1...10, using: &generator))"
            default: break
            }
            texts[direction, default: []].append(text)
        }
        playback = (texts[.playback] ?? []).joined(separator: " ")
        capture = (texts[.capture] ?? []).joined(separator: " ")
        frozenFrames = frozen
    }

    var description: String { "\(mode.rawValue) \(period) playback [\(playback)] capture [\(capture)]" }
}
