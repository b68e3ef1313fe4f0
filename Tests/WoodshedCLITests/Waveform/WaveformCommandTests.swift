// `woodshed waveform` from outside.
import Glibc
import Terminal
import Testing
import Woodshed

@testable import WoodshedCLI

@Suite("woodshed waveform", .serialized)
struct WaveformCommandTests {
    private let folder = TestFolder()

    private func waveform(_ name: String, _ arguments: [String] = [], environment: [String: String] = [:]) -> Finished {
        // The tests leave nothing in the user's own cache.
        Command.run(
            ["waveform", folder[name]] + arguments,
            environment: environment.merging(["XDG_CACHE_HOME": folder["cache"]]) { $1 })
    }

    /// A second of a sawtooth in the left channel, and the same at half the height in the right channel.
    private func saw(_ name: String, channels: Int = 2, frames: Int = 8000, divisor: Int = 1) {
        var data: [UInt8] = []
        for frame in 0..<frames {
            for channel in 1...channels {
                let sample = Int16((frame % 100 - 50) * 600 / channel / divisor)
                data += Wave.little(UInt16(bitPattern: sample))
            }
        }
        folder.write(name, Wave.file(format: 1, channels: channels, rate: 8000, bits: 16, data: data))
    }

    @Test("waveform in a pipe prints 80 columns of plain text: facts, both channels, the time axis")
    func pipe() {
        saw("saw.wav")
        let run = waveform("saw.wav", ["--style", "ascii", "--height", "8"])
        #expect(run.status == 0 && run.error.isEmpty && !run.text.contains("\u{1B}"))
        #expect(run.lines.count == 10)
        #expect(run.lines[0] == "saw.wav  0:01.0  8000 Hz stereo")
        #expect(run.lines[3].hasPrefix("L ") && run.lines[7].hasPrefix("R "))
        #expect(run.lines[9].hasPrefix("  |0:00.0"))
        #expect(run.lines.allSatisfy { displayWidth($0) <= 80 })
        // The left channel reaches to 0.9 of full scale with a level of 0.5, the right channel to half of that.
        #expect(run.lines[1].contains("####") && run.lines[5].allSatisfy { $0 == " " } && run.lines[6].contains("####"))
    }

    @Test("the locale selects blocks or ASCII for waveform, and COLUMNS the width")
    func locale() {
        saw("saw.wav")
        let blocks = waveform("saw.wav", ["--height", "4"], environment: ["LC_ALL": "C.UTF-8", "COLUMNS": "40"])
        #expect(blocks.status == 0 && blocks.text.contains("█") && blocks.lines.allSatisfy { displayWidth($0) <= 40 })
        let ascii = waveform("saw.wav", ["--height", "4"], environment: ["LC_ALL": "C"])
        #expect(ascii.status == 0 && ascii.text.utf8.allSatisfy { $0 < 128 } && ascii.text.contains("#"))
    }

    @Test("waveform --json has the columns of every channel, with the values of the samples")
    func json() {
        saw("saw.wav")
        let run = waveform("saw.wav", ["--json", "--width", "2", "--from", "800f", "--to", "1000f"])
        #expect(run.status == 0 && run.lines.count == 1)
        #expect(run.text.hasPrefix("{\"v\":1,\"path\":"))
        #expect(run.text.contains("\"from_frame\":800,\"to_frame\":1000,\"columns\":2"))
        // -50 * 600 and 49 * 600 of 32768, and half of both.
        #expect(run.text.contains("{\"channel\":1,\"min\":[-0.91553,-0.91553],\"max\":[0.89722,0.89722]"))
        #expect(run.text.contains("{\"channel\":2,\"min\":[-0.45776,-0.45776],\"max\":[0.44861,0.44861]"))
        #expect(run.text.contains("\"clipped\":[false,false]") && run.text.contains("\"centroid_hz\":["))
    }

    @Test("waveform mixes many channels, selects one channel, and reports a missing channel")
    func channels() {
        saw("six.wav", channels: 6)
        #expect(waveform("six.wav", ["--style", "ascii"]).lines.count == 10)
        #expect(waveform("six.wav", ["--style", "ascii", "--channels", "each", "--height", "12"]).lines.count == 14)
        #expect(waveform("six.wav", ["--json", "--width", "1", "--channels", "6"]).text.contains("\"channel\":6"))
        let missing = waveform("six.wav", ["--channels", "7"])
        #expect(missing.status == 65)
        #expect(missing.error.contains("no channel 7") && missing.error.contains("from 1 to 6"))
    }

    @Test("waveform has its statuses for usage errors, missing files and positions out of range")
    func mistakes() {
        saw("saw.wav")
        for arguments in [
            ["--width", "0"], ["--height", "9999"], ["--zoom", "0"], ["--zoom", "3", "--to", "1"], ["--from", "soon"],
            ["--channels", "left"], ["--style", "oil"], ["--colour", "red"],
        ] {
            #expect(waveform("saw.wav", arguments).status == 64, "\(arguments)")
        }
        for arguments in [
            ["--from", "2"], ["--to", "1:00"], ["--from", "0.5", "--to", "0.4"], ["--from", "8000f", "--zoom", "1"],
        ] {
            let run = waveform("saw.wav", arguments)
            #expect(run.status == 65 && run.error.contains("there is nothing from") && run.text.isEmpty, "\(arguments)")
        }
        #expect(waveform("missing.wav").status == 66)
        folder.write("text.wav", Array("no sound".utf8))
        #expect(waveform("text.wav").status == 65)
    }

    @Test("waveform draws a file of one frame, and a file of one bin")
    func short() {
        saw("one.wav", channels: 1, frames: 1)
        let one = waveform("one.wav", ["--style", "ascii", "--width", "10", "--height", "2"])
        #expect(one.status == 0 && one.lines.count >= 3)
        saw("bin.wav", channels: 1, frames: 256)
        #expect(waveform("bin.wav", ["--width", "1"]).status == 0)
    }

    @Test("a waveform beyond the end of the recording is empty, without an error")
    func zoom() {
        saw("saw.wav", channels: 1)
        let run = waveform(
            "saw.wav", ["--style", "ascii", "--width", "20", "--height", "2", "--from", "7000f", "--zoom", "100"])
        #expect(run.status == 0)
        #expect(run.lines[1].count <= 10 || run.lines[1].dropFirst(10).allSatisfy { $0 == " " })
    }

    @Test("waveform -o writes the format of the name: pictures, a spectrogram, and audiowaveform's files")
    func files() {
        saw("saw.wav")
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47]
        for (name, arguments, start) in [
            ("a.png", ["--width", "300", "--height", "120"], png),
            ("b.svg", ["--theme", "dark", "--db"], Array("<?xml".utf8)),
            ("c.PNG", ["--spectrogram", "--window", "256", "--width", "300", "--height", "200"], png),
            ("d.dat", ["--samples-per-pixel", "1000", "--bits", "8", "--split-channels"], [2, 0, 0, 0, 1, 0, 0, 0]),
            ("e.json", [], Array("{\"version\":2,\"channels\":1,\"sample_rate\":8000,\"samples_per_pixel\":256".utf8)),
        ] {
            let run = waveform("saw.wav", ["-o", folder[name]] + arguments)
            #expect(run.status == 0 && run.text.isEmpty, "\(name): \(run.error)")
            #expect(folder.read(name).starts(with: start), "\(name)")
        }
        // The first pixel of 1000 frames: -50 * 600 and 49 * 600 by 256, and half of that, cut towards zero.
        #expect(folder.read("d.dat").dropFirst(24).prefix(4).map { Int8(bitPattern: $0) } == [-117, 114, -58, 57])
        #expect(folder.read("d.dat").count == 24 + 8 * 4)
    }

    @Test("waveform -o ends with 73 for a missing folder, with 64 for the recording, and leaves no file")
    func badFiles() {
        saw("saw.wav")
        let bytes = folder.read("saw.wav")
        for name in ["missing/a.png", "missing/a.dat"] {
            let run = waveform("saw.wav", ["-o", folder[name]])
            #expect(run.status == 73 && run.error.contains(folder[name]), "\(run.error)")
        }
        #expect(waveform("saw.wav", ["-o", folder["a.bmp"]]).status == 64)
        for arguments in [["--samples-per-pixel", "1"], ["--bits", "12"], ["--from", "0.1"], ["--theme", "dark"]] {
            #expect(waveform("saw.wav", ["-o", folder["a.dat"]] + arguments).status == 64, "\(arguments)")
        }
        for arguments in [
            ["--bits", "8"], ["--window", "1000"], ["--spectrogram", "--window", "1000"], ["--width", "0"],
        ] {
            #expect(waveform("saw.wav", ["-o", folder["a.png"]] + arguments).status == 64, "\(arguments)")
        }
        folder.write("self.dat", bytes)
        #expect(waveform("self.dat", ["-o", folder["self.dat"]]).status == 64)
        #expect(folder.read("self.dat") == bytes)
        let full = waveform("saw.wav", ["-o", "/dev/full"])
        #expect(full.status == 64)
        #expect(folder.names == ["saw.wav", "self.dat"])
    }

    @Test("a waveform is stored, used again, and made anew if the recording has changed or the stored file is damaged")
    func cache() throws {
        saw("saw.wav", channels: 1)
        let first = waveform("saw.wav", ["--json", "--width", "3"])
        #expect(first.status == 0)
        let kept = folder.names(in: "cache/woodshed/waveforms").filter { $0.hasSuffix(".waveform") }
        #expect(kept.count == 1)
        #expect(waveform("saw.wav", ["--json", "--width", "3"]).text == first.text)
        // Another recording's waveform is in the place of this recording's, under this key: the command shows the
        // stored waveform, not a new one.
        saw("half.wav", channels: 1, divisor: 2)
        let half = waveform("half.wav", ["--json", "--width", "3"])
        let places = folder.names(in: "cache/woodshed/waveforms").filter { $0.hasSuffix(".waveform") }
            .map { "cache/woodshed/waveforms/" + $0 }
        let place = try #require(places.first { $0.hasSuffix(kept[0]) })
        let other = try #require(places.first { $0 != place })
        let own = try WaveformFile(decoding: folder.read(place))
        let planted = try WaveformFile(
            waveform: WaveformFile(decoding: folder.read(other)).waveform, contentKey: own.contentKey)
        folder.write(place, planted.encoded())
        let again = waveform("saw.wav", ["--json", "--width", "3"])
        #expect(again.text != first.text)
        #expect(again.text.replacing("saw.wav", with: "half.wav") == half.text)
        _ = unsafe unlink(folder[other])
        // Zeros in place of the stored waveform.
        for name in kept {
            let path = "cache/woodshed/waveforms/" + name
            folder.write(path, Array(repeating: 0, count: folder.read(path).count))
        }
        #expect(waveform("saw.wav", ["--json", "--width", "3"]).text == first.text)
        saw("saw.wav", channels: 1, frames: 4000)
        #expect(waveform("saw.wav", ["--json", "--width", "3"]).text.contains("\"frames\":4000"))
        #expect(waveform("saw.wav", ["--no-cache", "--json", "--width", "3"]).text.contains("\"frames\":4000"))
        // An impossible cache folder: a file is in its place.
        folder.write("file", [1])
        let run = Command.run(
            ["waveform", folder["saw.wav"], "--json", "--width", "1"], environment: ["XDG_CACHE_HOME": folder["file"]])
        #expect(run.status == 0 && run.error.isEmpty)
        // A missing home folder is not made.
        let homeless = Command.run(
            ["waveform", folder["saw.wav"], "--json", "--width", "1"], environment: ["HOME": folder["nobody"]])
        #expect(homeless.status == 0 && homeless.error.isEmpty && !folder.names.contains("nobody"))
    }
}
