// The results of `bench stretch`, as text and as JSON.
@_spi(Benchmarks) import Engine
import Explanations
import Files
import JSON
import Terminal
import Woodshed

/// A measurement and its conditions.
struct BenchSheet {
    let file: String
    let clip: Clip
    let plan: PracticePlan
    let runs: Int
    let trial: RenderTrial
    /// True if any block used the heap; nil if the system cannot tell.
    let touchesHeap: Bool?

    /// The speed of all passes; nil for a changing speed.
    private var speed: Double? {
        if case .constant(let speed) = plan.speeds { speed.factor } else { nil }
    }

    var json: JSONValue {
        .object([
            .init("v", .integer(1)), .init("bench", .string("stretch")), .init("path", .string(file)),
            .init("sample_rate", .integer(clip.sampleRate)), .init("channels", .integer(clip.channelCount)),
            .init("frames", .integer(trial.frameCount)), .init("speed", speed.map { .number($0) } ?? .null),
            .init("period_frames", .integer(trial.periodFrames)),
            .init("passes", plan.passes.number.map { .integer($0) } ?? .null),
            .init("material", .string(plan.material.rawValue)), .init("quality", .string(plan.quality.rawValue)),
            .init("runs", .integer(runs)), .init("blocks", .integer(trial.blockMicroseconds.count)),
            .init("cpu_percent", number(trial.cpuPercent, decimals: 4)),
            .init("later_passes_cpu_percent", trial.laterPassesCPUPercent.map { number($0, decimals: 4) } ?? .null),
            .init("p50_us", number(trial.medianMicroseconds)), .init("p999_us", number(trial.p999Microseconds)),
            .init("max_us", number(trial.maximumMicroseconds)),
            .init("deadline_us", number(trial.deadlineMicroseconds)),
            .init("first_block_us", number(trial.firstBlockMicroseconds)),
            // 1 stands for any number: the system's allocator reports use, not the number of calls.
            .init("allocations", touchesHeap.map { .integer($0 ? 1 : 0) } ?? .null),
            .init("starved_frames", .integer(trial.starvedFrames)),
        ])
    }

    private func number(_ value: Double, decimals: Int = 1) -> JSONValue {
        .number(Double(fixed(value, decimals: decimals)) ?? value)
    }

    var text: String {
        let passes = counted(plan.passes.number ?? 0, "pass", "passes")
        let channels = counted(clip.channelCount, "channel")
        let title =
            "\(printable(fileName(file))) at \(speed.map(percentText) ?? "changing speed"): \(passes), "
            + "\(clip.sampleRate) Hz, \(channels), blocks of \(trial.periodFrames) frames"
        let worst = trial.maximumMicroseconds / trial.deadlineMicroseconds
        var lines = [
            ("share of a core", fixed(trial.cpuPercent, decimals: 2) + " %"),
            ("median block", microseconds(trial.medianMicroseconds)),
            ("99.9 % of blocks", microseconds(trial.p999Microseconds)),
            ("first block", microseconds(trial.firstBlockMicroseconds)),
            (
                "longest block",
                "\(microseconds(trial.maximumMicroseconds)) of \(microseconds(trial.deadlineMicroseconds)): "
                    + (worst <= 1 ? "in time, \(fixed(100 * worst, decimals: 1)) %" : "too late")
            ),
            ("heap", touchesHeap.map { $0 ? "used while rendering" : "untouched" } ?? "not available"),
            ("measured", "\(clockText(Double(trial.frameCount) / Double(clip.sampleRate))) of sound, \(runs) times"),
        ]
        if let later = trial.laterPassesCPUPercent {
            lines.insert(("  from pass 2 on", fixed(later, decimals: 3) + " % of a core"), at: 1)
        }
        return lines.reduce(title + "\n") { text, line in
            text + "  " + line.0 + String(repeating: " ", count: 18 - line.0.count) + line.1 + "\n"
        }
    }

    private func microseconds(_ value: Double) -> String { fixed(value, decimals: 1) + " µs" }
}
