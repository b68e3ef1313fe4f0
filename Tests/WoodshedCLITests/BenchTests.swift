// `woodshed bench stretch` from outside: the output, not the speed of the machine.
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("bench stretch", .serialized)
struct BenchTests {
    private let folder = TestFolder()

    init() { folder.write("song.wav", Wave.ramp(frames: 22_050)) }

    private func bench(_ arguments: [String]) -> Finished {
        Command.run(["bench", "stretch", folder["song.wav"], "--runs", "1"] + arguments)
    }

    /// The value of a key; no string of this command's output holds a comma or a brace here.
    private func number(_ key: String, in run: Finished) -> Double? {
        let name = "\"\(key)\":"
        let field = run.text.split { "{,}\n".contains($0) }.first { $0.hasPrefix(name) }
        return field.flatMap { Double($0.dropFirst(name.count)) }
    }

    @Test(
        "bench stretch prints one JSON object with every figure, and renders every frame",
        .enabled(if: Workload.isOptimised))
    func json() throws {
        let run = bench(["--speed", "75%", "--period", "64", "--section", "0.1-0.15", "-n", "3", "--json"])
        #expect(run.status == 0, "\(run.error)")
        #expect(run.lines.count == 1)
        #expect(number("frames", in: run) == 8820)
        #expect(number("speed", in: run) == 0.75)
        #expect(number("period_frames", in: run) == 64)
        #expect(number("passes", in: run) == 3)
        #expect(run.text.contains(#""material":"auto""#))
        #expect(number("blocks", in: run) == 138)
        #expect(number("starved_frames", in: run) == 0)
        #expect(number("deadline_us", in: run) == 1451.2)
        let figures = ["cpu_percent", "later_passes_cpu_percent", "p50_us", "p999_us", "max_us", "first_block_us"]
        for key in figures { #expect(try #require(number(key, in: run)) > 0, "\(key)") }
        let middle = try #require(number("p50_us", in: run))
        let longest = try #require(number("max_us", in: run))
        #expect(middle <= longest)
    }

    @Test(
        "bench stretch allocates in no block of a plain or a stretched pass", .enabled(if: Workload.isWhole),
        arguments: ["100%", "75%", "150%"])
    func heap(speed: String) throws {
        let run = bench(["--speed", speed, "--section", "0.1-0.15", "-n", "2", "--json"])
        // A sanitizer has an allocator of its own, whose allocations cannot be counted.
        #expect(run.text.contains(#""allocations":0"#) || run.text.contains(#""allocations":null"#), "\(run.text)")
    }

    @Test("bench stretch states in plain text whether the longest block is in time", .enabled(if: Workload.isOptimised))
    func table() {
        let run = bench(["--speed", "75%", "--period", "4096"])
        #expect(run.status == 0, "\(run.error)")
        #expect(run.text.hasPrefix("song.wav at 75 %: 1 pass, 44100 Hz, 2 channels, blocks of 4096 frames\n"))
        #expect(run.lines.contains { $0.contains("longest block") && $0.contains("of 92879.8 µs") })
    }

    @Test("bench stretch stops after the requested number of seconds", .enabled(if: Workload.isOptimised))
    func seconds() {
        let run = bench(["--speed", "50%", "-n", "1000", "--seconds", "2", "--json"])
        #expect(number("frames", in: run) == 88_256, "whole blocks of 64 frames beyond two seconds: \(run.text)")
    }

    @Test("bench stretch refuses a missing file with 66, and a section outside the recording with 65")
    func refusals() {
        #expect(Command.run(["bench", "stretch", folder["missing.wav"]]).status == 66)
        #expect(bench(["--section", "5-6"]).status == 65)
        #expect(Command.run(["bench"]).text.contains("EXAMPLES"))
    }
}
