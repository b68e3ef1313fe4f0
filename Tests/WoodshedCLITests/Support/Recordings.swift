// Recordings made for a test, in a folder that is removed with the test.
import Glibc
import Testing

/// A folder for one test.
final class TestFolder: Sendable {
    let path: String

    init() {
        var name = Array("/tmp/woodshed-cli-XXXXXX".utf8CString)
        _ = unsafe mkdtemp(&name)
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(path) }

    subscript(name: String) -> String { "\(path)/\(name)" }

    /// Names in the folder, including hidden ones.
    var names: [String] { Self.names(path) }

    /// Names in a subfolder.
    func names(in folder: String) -> [String] { Self.names(self[folder]) }

    private static func names(_ path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    static func remove(_ path: String) {
        // A folder cannot be unlinked, and a link must not be listed by mistake: the first call removes a link.
        guard unsafe unlink(path) != 0 else { return }
        for name in names(path) { remove(path + "/" + name) }
        _ = unsafe rmdir(path)
    }

    @discardableResult
    func write(_ name: String, _ bytes: [UInt8]) -> String {
        let descriptor = unsafe open(self[name], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        close(descriptor)
        return self[name]
    }

    func read(_ name: String) -> [UInt8] { Self.read(self[name]) }

    static func read(_ path: String) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return result }
            result += buffer.prefix(count)
        }
    }
}

/// WAV files, written and read without the code under test.
enum Wave {
    /// A ramp of 16-bit samples, different in every channel, whose samples show their position: a splice at the wrong
    /// frame shows.
    static func ramp(frames: Int, channels: Int = 2, rate: Int = 44100) -> [UInt8] {
        var period: [UInt8] = []
        period.reserveCapacity(min(frames, rampFrames) * channels * 2)
        for frame in 0..<min(frames, rampFrames) {
            for channel in 0..<channels {
                let sample = sample(frame, channel)
                period.append(UInt8(truncatingIfNeeded: sample))
                period.append(UInt8(truncatingIfNeeded: sample >> 8))
            }
        }
        var data: [UInt8] = []
        data.reserveCapacity(frames * channels * 2)
        for _ in 0..<frames / rampFrames { data += period }
        data += period.prefix(frames % rampFrames * channels * 2)
        return file(format: 1, channels: channels, rate: rate, bits: 16, data: data)
    }

    /// The samples of `ramp` repeat after this many frames.
    private static let rampFrames = 48_001

    /// The sample of `ramp`, -24000...24000.
    static func sample(_ frame: Int, _ channel: Int) -> Int { (frame * 37 + channel * 1000) % 48001 - 24000 }

    static func file(
        format: Int, channels: Int, rate: Int, bits: Int, data: [UInt8], claimed: UInt32? = nil
    ) -> [UInt8] {
        let size = claimed ?? UInt32(truncatingIfNeeded: data.count)
        let block = channels * bits / 8
        return Array("RIFF".utf8) + little(size &+ 36) + Array("WAVEfmt ".utf8) + little(UInt32(16))
            + little(UInt16(truncatingIfNeeded: format)) + little(UInt16(truncatingIfNeeded: channels))
            + little(UInt32(truncatingIfNeeded: rate)) + little(UInt32(truncatingIfNeeded: rate * block))
            + little(UInt16(truncatingIfNeeded: block)) + little(UInt16(truncatingIfNeeded: bits))
            + Array("data".utf8) + little(size) + data
    }

    static func little(_ value: UInt16) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }
    static func little(_ value: UInt32) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }

    /// The bytes of the data chunk; with a header without a length, the data reaches to the end.
    static func data(of file: [UInt8]) -> [UInt8]? {
        guard file.count > 12, file.prefix(4) == Array("RIFF".utf8)[...] || file.prefix(4) == Array("RF64".utf8)[...]
        else { return nil }
        var place = 12
        while place + 8 <= file.count {
            let size = (0..<4).reduce(0) { $0 | Int(file[place + 4 + $1]) << (8 * $1) }
            let start = place + 8
            if file[place..<place + 4] == Array("data".utf8)[...] {
                return Array(file[start..<min(start + size, file.count)])
            }
            place = start + size + size % 2
        }
        return nil
    }

    /// The data of a float file as numbers, interleaved.
    static func floats(of file: [UInt8]) -> [Float]? {
        guard let data = data(of: file) else { return nil }
        return unsafe data.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
    }
}

extension TestFolder {
    /// Writes hours of silence, four gigabytes without space on the disk. Reading takes so long that the test meets the
    /// program while the program reads, even if the test is delayed.
    ///
    /// - Returns: The path.
    @discardableResult
    func writeHours(_ name: String) -> String {
        let size: UInt32 = 4_000_000_000
        write(name, Wave.file(format: 1, channels: 1, rate: 48_000, bits: 16, data: [], claimed: size))
        #expect(unsafe truncate(self[name], 44 + Int(size)) == 0)
        return self[name]
    }
}
