// The demo's own recording.
import Glibc
import TestSupport
import Testing
import VirtualCardSupport

@testable import WoodshedCLI

@Suite("Demo recording")
struct DemoTests {
    // The lowest rate keeps the debug build quick; the code does not branch on the rate.
    private let recording = DemoRecording(sampleRate: 8000)

    @Test("the demo recording is the same at every run")
    func repeatable() {
        #expect(DemoRecording(sampleRate: 8000).channels == recording.channels)
    }

    @Test("every section of the demo recording is audible, and no sample exceeds 70 % of full scale")
    func sound() {
        #expect(recording.channels.count == 2)
        #expect(recording.sections.count == 3)
        for channel in recording.channels {
            #expect(channel.allSatisfy { abs($0) <= 0.7001 })
            for section in recording.sections {
                let part = channel[Int(section.range.lowerBound)..<Int(section.range.upperBound)]
                // An inaudible passage would be a broken instrument, undetected by its loudest click. So the test also
                // checks the mean power, which lies within 12 dB of the power of ordinary recordings.
                let power = part.reduce(0) { $0 + $1 * $1 } / Float(part.count)
                #expect(part.contains { abs($0) > 0.1 }, "\(section.name)")
                #expect(power > 0.03 * 0.03, "\(section.name)")
            }
        }
    }

    @Test("a plucked string sounds at its pitch", arguments: [45, 57, 69])
    func pitch(note: Int) {
        let rate = 8000
        let sound = PluckedString.note(note, frameCount: 4000, seed: 1, sampleRate: rate)
        let period = Double(rate) / (440 * exp2Table(note))
        // The best-matching lag of the autocorrelation lies within half a frame of the period.
        let lags = Int(period * 0.7)...Int(period * 1.4)
        let best = lags.max { correlation(sound, lag: $0) < correlation(sound, lag: $1) } ?? 0
        #expect(abs(Double(best) - period) <= 0.75, "lag \(best), period \(period)")
    }

    private func exp2Table(_ note: Int) -> Double { [45: 0.25, 57: 0.5, 69: 1][note] ?? 0 }

    private func correlation(_ sound: [Float], lag: Int) -> Float {
        var sum: Float = 0
        for index in 1000..<3000 { sum += sound[index] * sound[index - lag] }
        return sum
    }
}

/// `woodshed demo` as a newcomer runs the command.
@Suite("Demo", .serialized)
struct DemoRunTests {
    private let folder = TestFolder()

    @Test(
        "demo states its speeds and the next command, and writes a file if there is no device",
        .enabled(if: Workload.isWhole, "the stretcher takes a minute unoptimised"))
    func demo() throws {
        let mine = folder.write("woodshed-demo.wav", [1, 2, 3])
        let run = Command.run(["demo"], environment: environment, folder: folder.path, seconds: 600)
        #expect(TestFolder.read(mine) == [1, 2, 3])
        #expect(run.status == 0, "\(run.error)")
        #expect(run.error.contains("60, 80 and 100 %"))
        #expect(run.error.contains("woodshed practice"))
        #expect(run.error.contains("no sound device"), "\(run.error)")
        let samples = try #require(Wave.floats(of: folder.read("woodshed-demo-2.wav")))
        // Each section at 60, 80 and 100 %; a whole score is off by at most one frame.
        let sections = DemoRecording(sampleRate: 48_000).sections
        let expected = sections.reduce(0) { $0 + Double($1.range.count) * (1 / 0.6 + 1 / 0.8 + 1) }
        #expect(abs(Double(samples.count / 2) - expected) <= 1)
        #expect(samples.contains { abs($0) > 0.3 })
    }

    @Test("demo reports at once that no file can be written")
    func unwritable() {
        // Nobody can make a file there, not even root.
        let run = Command.run(["demo", "--json"], environment: environment, folder: "/proc")
        #expect(run.status == 73 || run.status == 77, "\(run.error)")
        #expect(run.output.isEmpty)
    }

    private var environment: [String: String] { ["ALSA_CONFIG_PATH": ALSAConfiguration.directory + "/asound.conf"] }

    @Test("demo leaves no file after an interrupt")
    func interrupted() {
        // If the test is delayed, the demo may end before the interrupt comes.
        for _ in 0..<20 {
            let folder = TestFolder()
            let run = Command.run(["demo", "--out", folder["demo.wav"]]) { running in
                // Once the file exists, the demo is under way.
                #expect(eventually { !folder.names.isEmpty })
                running.send(SIGINT)
            }
            // The interrupt may also come between the last change of the file and the end of the process.
            guard run.status != 0, folder.names != ["demo.wav"] else { continue }
            #expect(run.status == 130, "\(run.error)")
            return #expect(folder.names.isEmpty)
        }
        Issue.record("no interrupt came in time, or every interrupted demo left its file")
    }
}
