import AudioFiles
import Clips

/// A recording as an input gives it: block by block from the beginning, every sample as it was decoded.
final class RecordedInput: @unchecked Sendable {
    // Unchecked because of the place, which the device thread alone moves.
    private let clip: Clip
    private let reader: ClipReader
    private var frame: Int64 = 0

    /// Opens a file, to be read at `sampleRate`, or at its own rate for nil.
    init(path: String, sampleRate: Int?) throws(DeviceError) {
        do { clip = try Clip(path: path, sampleRate: sampleRate) } catch { throw DeviceError(reading: error) }
        // One that waits: no device hurries it, and silence where the disk was slow would be a false recording.
        reader = clip.makeReader(waitsForPages: true)
    }

    deinit { clip.release(reader) }

    var sampleRate: Int { clip.sampleRate }
    var channelCount: Int { clip.channelCount }
    /// Frames that are left.
    var remaining: Int64 { max(0, clip.frameCount - frame) }

    /// Reads up to `count` frames, silence after the end, and returns how many were left of the recording.
    func read(
        into channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, count: Int
    ) throws(DeviceError) -> Int {
        let valid = Int(min(remaining, Int64(count)))
        reader.publishDemand(current: frame, next: -1)
        reader.beginBlock()
        for channel in 0..<channelCount {
            _ = unsafe reader.read(channel: channel, from: frame, count: count, into: channels[channel])
        }
        reader.endBlock()
        frame += Int64(valid)
        if let failure = clip.failure { throw DeviceError(reading: failure) }
        return valid
    }
}

extension DeviceError {
    /// What reading a file's trouble means for the stream; its words stay.
    init(reading error: AudioFileError) {
        let kind: Kind =
            switch error.kind {
            case .permissionDenied: .permissionDenied
            case .notFound, .isDirectory: .unknownDevice
            case .invalidRequest: .invalidRequest
            default: .io
            }
        self.init(kind: kind, message: error.message, remedy: error.remedy)
    }
}
