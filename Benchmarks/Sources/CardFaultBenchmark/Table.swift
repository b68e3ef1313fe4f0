import Foundation
import VirtualCardSupport

/// The contest in one direction, as a table in Markdown: each fault alone, then mixtures.
struct Table {
    let direction: VirtualDirection
    let tools: Tools
    let seeds: [UInt64]

    /// Single faults, half a second after the start.
    static let single = [
        "", "xrun@24000", "suspend@24000", "suspend-prepare@24000", "suspend-lie@24000", "unplug@24000:300",
        "stall@24000:300", "freeze@24000:300", "short@24000:20", "death@24000",
    ]

    func run() throws {
        say("\n| \(direction) | " + Contender.allCases.map { $0.name(direction) }.joined(separator: " | ") + " |")
        say("| --- |" + String(repeating: " --- |", count: Contender.allCases.count))
        for schedule in Self.single {
            let cells = try Contender.allCases.map { contender in
                Self.cell(
                    try Trial(contender: contender, direction: direction, schedule: schedule, seconds: 2.5).run(tools))
            }
            let fault = schedule.replacingOccurrences(of: "@24000", with: "")
            say("| \(fault.isEmpty ? "none" : fault) | \(cells.joined(separator: " | ")) |")
        }
        for seed in seeds {
            let schedule = Self.mixture(seed)
            let cells = try Contender.allCases.map { contender in
                let outcome = try Trial(contender: contender, direction: direction, schedule: schedule, seconds: 4).run(
                    tools)
                return "\(outcome.faultCount) of 6: " + Self.cell(outcome)
            }
            say("| seed \(seed) | \(cells.joined(separator: " | ")) |")
        }
    }

    private static func cell(_ outcome: Trial.Outcome) -> String {
        var words = [outcome.state.rawValue]
        if outcome.state == .ended, let code = outcome.exitCode { words[0] += " with \(code)" }
        if let gap = outcome.gapMilliseconds, outcome.faultCount > 0 {
            words.append(String(format: "%.1f ms", gap))
            words.append("\(outcome.lostFrames) frames")
        }
        words.append(outcome.tells ? "told" : "not told")
        words.append("\(Int((outcome.processorSeconds * 1000).rounded())) ms CPU")
        if !outcome.endsWhenAsked { words.append("KILLED") }
        if outcome.isDisturbed { words.append("an xrun of its own") }
        return words.joined(separator: ", ")
    }

    /// Six survivable faults, a sixth to half a second apart.
    private static func mixture(_ seed: UInt64) -> String {
        let kinds = ["xrun", "suspend", "suspend-prepare", "suspend-lie", "stall:200", "freeze:100", "short:5"]
        var state = seed
        return (0..<6).map { index in
            let kind = kinds[Int(next(&state) % UInt64(kinds.count))].split(separator: ":")
            let frame = 16_000 * (index + 1) + Int(next(&state) % 8_000)
            return "\(kind[0])@\(frame)" + (kind.count > 1 ? ":\(kind[1])" : "")
        }.joined(separator: " ")
    }

    /// SplitMix64 (Steele, Lea and Flood, 2014).
    private static func next(_ state: inout UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
