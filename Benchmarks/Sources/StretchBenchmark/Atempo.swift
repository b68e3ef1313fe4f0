// The filter atempo of the program ffmpeg, which many players use for slower playback.
import Glibc

enum Atempo {
    /// Whether ffmpeg is installed.
    static let isPresent = unsafe system("ffmpeg -version >/dev/null 2>&1") == 0

    /// The sound at a speed. The filter is not told the number of frames, so its output may be a little shorter.
    static func stretched(_ channels: [[Float]], speed: Double, sampleRate: Int) throws -> [[Float]] {
        try channels.map { channel in
            let folder = try Folder()
            try Report.write(channel, to: folder.path + "/source")
            // One filter slows down to a half at most.
            let filter = speed < 0.5 ? "atempo=\(speed.squareRoot()),atempo=\(speed.squareRoot())" : "atempo=\(speed)"
            let format = "-f f32le -ar \(sampleRate) -ac 1"
            let status = unsafe system(
                "ffmpeg -nostdin -v error -y \(format) -i \(folder.path)/source -af \(filter) \(format) "
                    + "\(folder.path)/output")
            guard status == 0 else { throw Failed(status: status) }
            return try floats(of: folder.path + "/output")
        }
    }

    private static func floats(of path: String) throws -> [Float] {
        guard let file = unsafe fopen(path, "r") else { throw Failed(status: errno) }
        defer { unsafe fclose(file) }
        unsafe fseek(file, 0, SEEK_END)
        var samples = [Float](repeating: 0, count: unsafe ftell(file) / MemoryLayout<Float>.stride)
        unsafe rewind(file)
        guard unsafe fread(&samples, MemoryLayout<Float>.stride, samples.count, file) == samples.count else {
            throw Failed(status: errno)
        }
        return samples
    }

    struct Failed: Error {
        let status: Int32
    }

    /// A folder for the sounds, in memory where possible; it goes with this value.
    private final class Folder {
        let path: String

        init() throws {
            let place = unsafe access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
            var template = Array("\(place)/atempo-XXXXXX".utf8CString)
            guard unsafe mkdtemp(&template) != nil else { throw Failed(status: errno) }
            path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }

        deinit {
            for name in ["source", "output"] { unsafe unlink("\(path)/\(name)") }
            unsafe rmdir(path)
        }
    }
}
