// A rendering's output file, described as text and as JSON.
import Explanations
import Glibc
import JSON
import Terminal
import Woodshed

/// A file written by `render`.
struct WrittenFile {
    /// The name as typed by the user; `-` for standard output.
    let name: String
    let format: FileFormat
    let sampleRate: Int
    let channelCount: Int
    let frameCount: Int64
    /// Size of the file; nil for a pipe.
    private(set) var byteCount: Int64?
    /// The rendered recording, named when several recordings are rendered.
    var recording: String?

    init(name: String, format: FileFormat, sampleRate: Int, channelCount: Int, frameCount: Int64) {
        (self.name, self.format, self.frameCount) = (name, format, frameCount)
        (self.sampleRate, self.channelCount) = (sampleRate, channelCount)
    }

    /// Stores the file's size; a pipe or a device has none.
    mutating func measure(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        byteCount = Int64(status.st_size)
    }

    private var seconds: Double { Double(frameCount) / Double(sampleRate) }

    /// A line such as `loop.flac: FLAC, 24 bits, 44100 Hz, 2 channels, 0:12.5 (551250 frames), 1.9 MB`.
    var words: String {
        let place = name == "-" ? "standard output" : name
        let size = byteCount.map { ", " + sizeText(UInt64($0)) } ?? ""
        return printable(
            "\(place): \(format), \(sampleRate) Hz, \(counted(channelCount, "channel")), "
                + "\(clockText(seconds)) (\(counted(frameCount, "frame")))\(size)")
    }

    /// The event `file.written`, the last event of a rendering.
    var json: JSONValue {
        .event(
            "file.written",
            [
                .init("path", .string(name)), .init("container", .string(container)), .init("codec", .string(codec)),
                .init("sample_rate", .integer(sampleRate)), .init("channels", .integer(channelCount)),
                .init("frames", .integer(frameCount)), .init("seconds", .number(seconds)),
                .init("bits", bits.map { .integer($0) } ?? .null),
                .init("bytes", byteCount.map { .integer($0) } ?? .null),
            ] + (recording.map { [.init("recording", .string($0))] } ?? []))
    }

    // Container and codec, named as in `woodshed info`.

    private var container: String {
        switch format.export {
        case nil: "wav"
        case .flac: "flac"
        case .opus, .ogg: "ogg"
        case .mp3: "mp3"
        case .m4a: "mp4"
        }
    }

    private var codec: String {
        switch (format.export, format.samples) {
        case (nil, .int16): "pcm_s16"
        case (nil, .int24): "pcm_s24"
        case (nil, .int32): "pcm_s32"
        case (nil, .float32), (nil, nil): "pcm_f32"
        case (.flac, _): "flac"
        case (.opus, _): "opus"
        case (.ogg, _): "vorbis"
        case (.mp3, _): "mp3"
        case (.m4a, _): "aac"
        }
    }

    private var bits: Int? { format.samples.map { $0.bytesPerSample * 8 } }
}
