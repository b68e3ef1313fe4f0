// `woodshed compare` from a user's side: takes with known differences from the model.
import Glibc
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("The verb compare", .serialized)
struct CompareCommandTests {
    private let folder = TestFolder()
    private let home: [String: String]
    private static let rate = 24_000

    init() {
        home = ["XDG_DATA_HOME": folder["data"], "XDG_STATE_HOME": folder["state"]]
        write("model.wav")
    }

    /// Writes eight plucked notes, each with the noise of a pick, the first after 0.2 s.
    ///
    /// - Parameters:
    ///   - cents: Distance of the pitch above the model's.
    ///   - late: Delay of all notes, in seconds.
    ///   - ratio: Factor by which the tempo is slower.
    ///   - without: A note that is left out.
    private func write(_ name: String, cents: Double = 0, late: Double = 0, ratio: Double = 1, without: Int? = nil) {
        let rate = Double(Self.rate)
        var samples = [Double](repeating: 0, count: Int((0.4 + late + ratio * 3.2) * rate))
        var random = SeededGenerator(seed: 1)
        for (note, step) in [0, 4, 7, 12, 7, 4, 2, -5].enumerated() where note != without {
            let hertz = 262 * exp2((Double(step) * 100 + cents) / 1200)
            let first = Int((0.2 + late + ratio * 0.4 * Double(note)) * rate)
            for frame in first..<min(samples.count, first + Int(0.38 * ratio * rate)) {
                let time = Double(frame - first) / rate
                let phase = 2 * Double.pi * hertz * time
                samples[frame] += 0.3 * exp(-6 * time) * (sin(phase) + 0.5 * sin(2 * phase) + 0.25 * sin(3 * phase))
                if time < 0.02 { samples[frame] += 0.25 * exp(-300 * time) * .random(in: -1...1, using: &random) }
            }
        }
        let data = samples.flatMap { sample in
            let value = UInt16(bitPattern: Int16((sample * 32_000).rounded()))
            return [UInt8(value & 255), UInt8(value >> 8)]
        }
        folder.write(name, Wave.file(format: 1, channels: 1, rate: Self.rate, bits: 16, data: data))
    }

    private func compare(_ arguments: String...) -> Finished {
        Command.run(["compare"] + arguments, environment: home, folder: folder.path)
    }

    /// A number of the object; nil for null.
    private func number(_ key: String, _ run: Finished) -> Double? {
        #expect(run.status == 0 && run.lines.count == 1, "\(run.error)")
        return run.text.split(separator: "\"\(key)\":", maxSplits: 1).last.flatMap {
            Double($0.prefix { !",}".contains($0) })
        }
    }

    @Test("compare puts each difference into the figure for the difference, and into no other")
    func differences() throws {
        write("late.wav", late: 0.07)
        let late = compare("model.wav", "--take", "late.wav", "--json")
        #expect(abs(try #require(number("offset_ms", late)) - 70) < 5, "\(late.text)")
        #expect(abs(try #require(number("length_ratio", late)) - 1) < 0.005)
        #expect(abs(try #require(number("pitch_offset_cents", late))) < 2)
        write("sharp.wav", cents: 30)
        let sharp = compare("model.wav", "--take", "sharp.wav", "--json")
        #expect(abs(try #require(number("pitch_offset_cents", sharp)) - 30) < 3, "\(sharp.text)")
        #expect(abs(try #require(number("offset_ms", sharp))) < 5)
        write("slow.wav", ratio: 1.1)
        let slow = compare("model.wav", "--take", "slow.wav", "--json")
        #expect(abs(try #require(number("length_ratio", slow)) - 1.1) < 0.02, "\(slow.text)")
        write("missing.wav", without: 3)
        let missing = compare("model.wav", "--take", "missing.wav")
        #expect(missing.status == 0 && missing.text.contains("attacks   7 of 8"), "\(missing.text)")
        let same = compare("model.wav", "--take", "model.wav")
        #expect(same.text.contains("starts on time") && same.text.contains("8 of 8"), "\(same.text)")
    }

    @Test("compare counts the passes in a take, and compares the take pass by pass")
    func passes() throws {
        let words = ["render", "model.wav", "-n", "5", "-o", "five.wav"]
        #expect(Command.run(words, environment: home, folder: folder.path).status == 0)
        let run = compare("model.wav", "--take", "five.wav")
        #expect(
            run.status == 0 && run.text.hasPrefix("take      5.5 times as long as the model: 5 passes"), "\(run.text)")
        #expect(run.text.contains("attacks   8 of 8\n"), "\(run.text)")
        #expect(run.lines.suffix(4).map { $0.prefix(6) } == ["pass 2", "pass 3", "pass 4", "pass 5"], "\(run.text)")
        #expect(run.lines.last?.contains("than the model; pitch the same") == true, "\(run.text)")
        let json = compare("model.wav", "--take", "five.wav", "--json")
        #expect(abs(try #require(number("take_length_ratio", json)) - 5.5) < 0.1, "\(json.text)")
        #expect(abs(try #require(number("offset_ms", json))) < 5)
        #expect(json.text.split(separator: "\"spread_ms\"").count == 7, "\(json.text)")
        let one = compare("model.wav", "--take", "model.wav", "--json")
        #expect(one.text.contains("\"take_length_ratio\":1.0,\"passes\":[],"), "\(one.text)")
    }

    @Test("compare states lengths in plain words")
    func lengths() {
        for (ratio, words) in [
            (1.1, "% longer than the model"), (0.9, "% shorter than the model"), (2, "1.9 times as long"),
        ] {
            write("other.wav", ratio: ratio)
            let run = compare("model.wav", "--take", "other.wav")
            #expect(run.text.contains(words) && !run.text.contains("pass"), "\(run.text)")
        }
        #expect(compare("model.wav", "--take", "model.wav").text.contains("length    as long as the model\n"))
    }

    @Test("compare draws a picture into a PNG or SVG file, and prints plain words into a pipe")
    func pictures() {
        let run = compare("model.wav", "--take", "model.wav", "-o", "a.png")
        #expect(run.status == 0 && folder.read("a.png").starts(with: [0x89, 0x50, 0x4E, 0x47]), "\(run.error)")
        #expect(run.lines.count == 5 && run.lines[0].hasPrefix("timing"), "\(run.text)")
        #expect(compare("model.wav", "--take", "model.wav", "-o", "a.svg", "--json").lines.count == 1)
        #expect(String(decoding: folder.read("a.svg"), as: UTF8.self).contains("model.wav beside model.wav"))
        #expect(compare("model.wav", "--take", "model.wav", "-o", "a.txt").status == 64)
        #expect(compare("model.wav", "--take", "model.wav", "-o", "none/a.png").status == 73)
    }

    @Test("compare reports that silence has nothing to compare")
    func silence() {
        let data = [UInt8](repeating: 0, count: 2 * Self.rate)
        folder.write("silent.wav", Wave.file(format: 1, channels: 1, rate: Self.rate, bits: 16, data: data))
        for (model, take) in [("model.wav", "silent.wav"), ("silent.wav", "model.wav"), ("silent.wav", "silent.wav")] {
            let run = compare(model, "--take", take)
            #expect(run.status == 0 && run.text.hasPrefix("nothing to compare"), "\(run.text)\(run.error)")
            let json = compare(model, "--take", take, "--json")
            #expect(json.status == 0 && number("offset_ms", json) == nil && number("energy_db", json) == nil)
        }
    }

    @Test("compare finds a take by number, as the newest or by file, and refuses missing and long takes")
    func takes() {
        write("take.wav", late: 0.03)
        #expect(compare("model.wav").status == 66)
        #expect(Command.run(["takes", "add", "take.wav"], environment: home, folder: folder.path).status == 0)
        let byNumber = compare("model.wav", "1", "--json")
        #expect(number("offset_ms", byNumber).map { abs($0 - 30) < 5 } == true, "\(byNumber.text)")
        for other in [
            compare("model.wav", "--json"), compare("model.wav", "@1", "--json"),
            compare("model.wav", "take.wav", "--json"),
        ] {
            #expect(other.text == byNumber.text, "\(other.error)")
        }
        #expect(compare("model.wav", "2").status == 66 && compare("model.wav", "--take", "none.wav").status == 66)
        #expect(compare("none.wav", "1").status == 66 && compare("model.wav", "1", "--take", "take.wav").status == 64)
        folder.write("text.wav", Array("not audio".utf8))
        #expect(compare("model.wav", "--take", "text.wav").status == 65)
        let long = [UInt8](repeating: 0, count: 2 * 8000 * 601)
        folder.write("long.wav", Wave.file(format: 1, channels: 1, rate: 8000, bits: 16, data: long))
        let refused = compare("model.wav", "--take", "long.wav")
        #expect(refused.status == 65 && refused.error.contains("at most 10 minutes"), "\(refused.error)")
    }

    @Test(
        "compare takes a section at the speed, pitch and place at which the section was heard",
        .enabled(if: Workload.isWhole, "the stretcher takes a minute unoptimised"))
    func slowed() throws {
        let words = ["render", "model.wav", "--speed", "80%", "--pitch", "-2", "-o", "slow.wav"]
        #expect(Command.run(words, environment: home, folder: folder.path).status == 0)
        let run = compare("model.wav", "--speed", "80%", "--pitch", "-2", "--take", "slow.wav", "--json")
        #expect(abs(try #require(number("offset_ms", run))) < 1, "\(run.text)")
        #expect(abs(try #require(number("length_ratio", run)) - 1) < 0.001)
        #expect(abs(try #require(number("pitch_offset_cents", run))) < 1)
        #expect(
            Command.run(
                ["sections", "model.wav", "add", "0.15-2.1", "--name", "A"], environment: home, folder: folder.path
            )
            .status == 0)
        let cut = ["render", "model.wav", "--section", "A", "-o", "a.wav"]
        #expect(Command.run(cut, environment: home, folder: folder.path).status == 0)
        let section = compare("model.wav", "--section", "A", "--take", "a.wav", "--json")
        #expect(
            abs(try #require(number("offset_ms", section))) < 1 && number("energy_db", section) == 0, "\(section.text)")
        #expect(compare("model.wav", "--section", "B", "--take", "a.wav").status == 66)
    }
}
