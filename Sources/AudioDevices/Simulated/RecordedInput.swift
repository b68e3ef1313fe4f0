import AudioFiles
import Clips
import Explanations

/// A recording as an input: block by block from the beginning, every sample as decoded.
final class RecordedInput: @unchecked Sendable {
    // Unchecked because of the position, changed only by the device thread.
    private let clip: Clip
    private let reader: ClipReader
    private var frame: Int64 = 0

    /// Opens a file at `sampleRate`, or at its own rate for nil.
    init(path: String, sampleRate: Int?) throws(DeviceError) {
        do { clip = try Clip(path: path, sampleRate: sampleRate) } catch { throw DeviceError(reading: error) }
        // The reader waits: there is no deadline, and silence because of a slow disk would be wrong.
        reader = clip.makeReader(waitsForPages: true)
    }

    deinit { clip.release(reader) }

    var sampleRate: Int { clip.sampleRate }
    var channelCount: Int { clip.channelCount }
    /// Remaining frames.
    var remaining: Int64 { max(0, clip.frameCount - frame) }

    /// Reads up to `count` frames, with silence after the end, and returns the number of frames from the recording.
    func read(
        into channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, count: Int
    ) throws(DeviceError) -> Int {
        let valid = Int(min(remaining, Int64(count)))
        reader.publishDemand(current: frame, next: -1)
        do {
            // Only for frames of this block: a failed page further ahead may be readable once its frames are due.
            try clip.readBlock(with: reader) { unsafe reader.read(from: frame, count: count, into: channels) }
        } catch {
            throw DeviceError(reading: error)
        }
        frame += Int64(valid)
        return valid
    }
}

extension DeviceError {
    /// Makes the stream's error for an error of reading a file; the words stay.
    init(reading error: AudioFileError) {
        let kind: Kind =
            switch error.kind {
            case .permissionDenied: .permissionDenied
            case .notFound, .isDirectory: .unknownDevice
            case .invalidRequest: .invalidRequest
            default: .io
            }
        self.init(
            kind: kind, message: error.message, remedy: error.remedy,
            status: error.exitStatus.ifTemporary)
    }
}
