// `woodshed measure` from outside; the meters' readings are tested with the meters.
import Glibc
import Terminal
import Testing

@testable import WoodshedCLI

@Suite("woodshed measure", .serialized)
struct MeasureTests {
    private let folder = TestFolder()

    private func measure(_ name: String, _ arguments: [String] = []) -> Finished {
        Command.run(["measure", folder[name]] + arguments)
    }

    /// A second of two channels of 997 Hz; values beyond full scale are clipped.
    private func tone(_ name: String, amplitude: Double, rate: Int = 8000, seconds: Double = 1) {
        let data = (0..<Int(Double(rate) * seconds)).flatMap { frame -> [UInt8] in
            let value = amplitude * sin(2 * .pi * 997 * Double(frame) / Double(rate))
            let sample = Wave.little(UInt16(bitPattern: Int16(max(-32768, min(32767, (value * 32768).rounded())))))
            return sample + sample
        }
        folder.write(name, Wave.file(format: 1, channels: 2, rate: rate, bits: 16, data: data))
    }

    /// The value of a key as written.
    private func value(_ key: String, in run: Finished) -> String? {
        let name = "\"\(key)\":"
        return run.text.split { "{,}\n".contains($0) }.first { $0.hasPrefix(name) }.map {
            String($0.dropFirst(name.count))
        }
    }

    private func number(_ key: String, in run: Finished) -> Double? { value(key, in: run).flatMap(Double.init) }

    @Test("measure --json has every key in order, and the right levels of a tone")
    func json() throws {
        tone("tone.wav", amplitude: 0.1)
        let run = measure("tone.wav", ["--json"])
        #expect(run.status == 0 && run.error.isEmpty && run.lines.count == 1)
        let keys = run.text.split(separator: "\"").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
        let expected = [
            "v", "integrated", "lra", "momentary_max", "shortterm_max", "true_peak", "sample_peak", "rms_aes17",
            "rms_plain", "ppm_type1_max_rel", "ppm_type2_max_rel", "overs",
        ]
        #expect(keys == expected)
        // Two channels at -20 dB: -20 LUFS. A second holds a third of 3 s. The onset is a small peak of its own.
        for (key, level, tolerance) in [
            ("integrated", -20, 0.1), ("momentary_max", -20, 0.1), ("shortterm_max", -24.77, 0.1),
            ("true_peak", -20, 0.1), ("sample_peak", -20, 0.01), ("rms_aes17", -20, 0.01), ("rms_plain", -23.01, 0.01),
            ("ppm_type1_max_rel", -20, 0.1), ("ppm_type2_max_rel", -20, 0.1), ("overs", 0, 0),
        ] {
            #expect(abs(try #require(number(key, in: run)) - level) <= tolerance, "\(key): \(run.text)")
        }
        #expect(value("lra", in: run) == "null")
    }

    @Test("measure --series has an entry for every 10 ms, after all other keys")
    func series() throws {
        tone("tone.wav", amplitude: 0.1, seconds: 0.5)
        let run = measure("tone.wav", ["--json", "--series"])
        #expect(run.status == 0 && run.lines.count == 1)
        let series = try #require(run.text.firstRange(of: #","series":[["#))
        let rows = run.text[series.upperBound...].split(separator: "[").map { $0.prefix { $0 != "]" } }
        #expect(rows.count == 50 && rows.first?.hasPrefix("0.01,-3") == true, "\(rows)")
        let last = rows[49].split(separator: ",").compactMap { Double($0) }
        #expect(last.count == 3 && last[0] == 0.5 && abs(last[1] - -20) < 0.1 && abs(last[2] - -27.78) < 0.1)
        #expect(measure("tone.wav", ["--series"]).status == 64)
    }

    @Test("measure prints silence as null in JSON, and as -inf in the table")
    func silence() {
        folder.write(
            "silence.wav",
            Wave.file(format: 1, channels: 1, rate: 8000, bits: 16, data: [UInt8](repeating: 0, count: 16_000)))
        let run = measure("silence.wav", ["--json"])
        for key in [
            "integrated", "lra", "momentary_max", "shortterm_max", "true_peak", "sample_peak", "rms_aes17",
            "rms_plain", "ppm_type1_max_rel", "ppm_type2_max_rel",
        ] {
            #expect(value(key, in: run) == "null", "\(key)")
        }
        #expect(value("overs", in: run) == "0")
        #expect(measure("silence.wav").text.contains("-inf LUFS"))
    }

    @Test("the table of measure fits one screen, is aligned, and has the time of the first over")
    func words() {
        tone("loud.wav", amplitude: 2)
        let run = measure("loud.wav")
        #expect(run.status == 0 && run.error.isEmpty)
        #expect(run.lines.count == 13 && run.lines.allSatisfy { displayWidth($0) <= 79 }, "\(run.text)")
        #expect(run.lines.first == "loud.wav: 0:01.0, 8000 Hz, 2 channels")
        // Each half wave of both channels; half of the amplitude is reached after one frame.
        #expect(run.lines.last?.hasSuffix("3988       the first at 0:00.000") == true, "\(run.text)")
        #expect(run.text.contains("  sample peak                      0.0 dBFS\n"), "\(run.text)")
        #expect(Command.run(["measure", "--help"]).text.contains("_rel"))
    }

    @Test("measure converts unsupported rates, and gives short files the readings for their length")
    func rates() throws {
        tone("slow.wav", amplitude: 0.1, rate: 4000)
        let run = measure("slow.wav", ["--json"])
        #expect(run.status == 0)
        #expect(abs(try #require(number("rms_aes17", in: run)) - -20) < 0.1)
        tone("short.wav", amplitude: 0.1, seconds: 0.1)
        let short = measure("short.wav", ["--json"])
        #expect(value("integrated", in: short) == "null")
        #expect(abs(try #require(number("momentary_max", in: short)) - -26.02) < 0.15, "\(short.text)")
    }

    @Test("measure refuses bad input with the exit statuses of other verbs")
    func refusals() {
        #expect(measure("missing.wav").status == 66)
        #expect(Command.run(["measure", folder.path]).status == 65)
        folder.write("text.wav", Array("This is no recording at all.\n".utf8))
        let run = measure("text.wav", ["--json"])
        #expect(run.status == 65 && run.output.isEmpty && (1...2).contains(run.errorLines.count))
        #expect(Command.run(["measure"]).status == 64)
    }

    @Test("measure on a terminal shows its progress on standard error", .needsTerminal)
    func progress() {
        folder.writeHours("long.wav")
        // If the test is delayed, the reading may end before the key comes.
        for _ in 0..<10 {
            let run = TerminalRun(Command.path, ["measure", folder["long.wav"]])
            #expect(run.wait(for: "reading "), "\(run.text)")
            run.send("\u{3}")
            let status = run.finish()
            if run.text.contains("LUFS") { continue }
            return #expect(status == 130)
        }
        Issue.record("no key came in time, or every interrupted reading ended with figures")
    }

    @Test("a progress line appears late, changes seldom, is removed at the end, and needs a terminal")
    func line() {
        final class Written { var texts: [String] = [] }
        let (seen, unseen) = (Written(), Written())
        var lines = [
            ReadingLine(draws: true, now: 0) { seen.texts.append($0) },
            ReadingLine(draws: false, now: 0) { unseen.texts.append($0) },
        ]
        for index in lines.indices {
            for millisecond in 0...700 {
                lines[index].show(Double(millisecond) / 500, now: Int64(millisecond) * 1_000_000)
            }
            lines[index].clear()
            lines[index].clear()
        }
        let end = "\u{1B}[K"
        #expect(
            seen.texts == ["\rreading 80 %" + end] + [String](repeating: "\rreading 100 %" + end, count: 3) + [
                "\r" + end
            ])
        #expect(unseen.texts.isEmpty)
        // A reading that takes a moment shows no count.
        var short = ReadingLine(draws: true, now: 0) { unseen.texts.append($0) }
        short.show(0.5, now: 399_000_000)
        short.clear()
        #expect(unseen.texts.isEmpty)
    }

    @Test("an interrupt ends measure with 130 at once, without any output")
    func interrupt() {
        folder.writeHours("long.wav")
        // If the test is delayed, the reading may end before the interrupt comes.
        var run: Finished
        var attempts = 0
        repeat {
            run = Command.run(["measure", folder["long.wav"]]) { running in
                // False only if the run is over.
                if running.waitUntilHandled(SIGINT) { running.send(SIGINT) }
            }
            attempts += 1
        } while attempts < 10 && !run.output.isEmpty
        #expect(run.status == 130 && run.output.isEmpty, "\(run.status) \(run.text)\(run.error)")
    }
}
