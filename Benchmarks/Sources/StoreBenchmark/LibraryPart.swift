// Adds 10,000 recordings to a library, lists and searches them.
import BenchmarkRows
import Glibc
import WoodshedLibrary

private let count = 10_000

/// A tenth of a second of sound, unique for each number, as a WAV file.
private func writeWave(_ number: Int, to path: String) {
    let frames = 4410
    func little(_ value: Int, _ bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var file = Array("RIFF".utf8) + little(36 + 2 * frames, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + little(1, 2)
    file += little(1, 2) + little(44_100, 4) + little(88_200, 4) + little(2, 2) + little(16, 2)
    file += Array("data".utf8) + little(2 * frames, 4)
    for frame in 0..<frames { file += little((number &* 2_654_435_761 &+ frame &* 40_503) >> 8 & 0xFFFF, 2) }
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    _ = unsafe file.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
}

/// Runs all measurements in a temporary folder.
func measureLibrary() throws {
    let folder = "library-benchmark"
    _ = unsafe system("rm -rf \(folder) && mkdir \(folder) \(folder)/in")
    defer { _ = unsafe system("rm -rf \(folder)") }
    let paths = (0..<count).map { "\(folder)/in/\(title($0).replacing(" ", with: "_")).wav" }
    for (number, path) in paths.enumerated() { writeWave(number, to: path) }
    for (name, way) in [("linked", AddingWay.link), ("copied", .copy)] {
        let store = try PracticeStore(.file("\(folder)/\(name).db"))
        let library = try RecordingLibrary(store, folder: "\(folder)/\(name)")
        var added = 0
        let time = milliseconds {
            added = library.add(paths, way).count { if case .success = $0 { true } else { false } }
        }
        print("  adding \(added) recordings of .1 s, \(name): \(Int(time)) ms")
        record("Library", "add \(count) recordings, \(name)", unit: "ms", .lower, [time])
        if way == .copy {
            // The time of the disk alone.
            let copying = milliseconds {
                _ = unsafe system("cp -r \(folder)/in \(folder)/cp && sync -f \(folder)/cp")
            }
            print("  cp -r and sync: \(Int(copying)) ms, ratio \(time / copying)")
            record(
                "Library", "add \(count) recordings, copied, beside cp and sync", unit: "times", .lower,
                [time / copying])
        }
        guard way == .link else { continue }
        for (what, text) in [
            ("list", ""), ("search 'giant 99'", "giant 99"), ("search 'caf'", "caf"),
            ("search, nothing found", "xyzzy"),
        ] {
            var (times, found) = ([Double](), 0)
            for _ in 0..<11 { times.append(try milliseconds { found = try library.items { $0.text = text }.count }) }
            print("  library, \(what): \(found) recordings, \(times.sorted()[5]) ms")
            record("Library", what, unit: "ms", .lower, times)
        }
    }
}
