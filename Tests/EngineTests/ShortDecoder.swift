import AudioFiles
import Glibc

@testable import Clips

/// Samples of which only the first can be read.
final class ShortDecoder: AudioDecoder {
    let info: AudioFileInfo
    private let memory: MemoryDecoder<[Float]>
    private let readableFrames: Int64

    init(_ channels: [[Float]], sampleRate: Int, readableFrames: Int64) {
        memory = MemoryDecoder(channels, sampleRate: sampleRate)
        info = memory.info
        self.readableFrames = readableFrames
    }

    func read(_ frames: Range<Int64>, into output: UnsafeMutablePointer<Float>, stride: Int) throws(AudioFileError) {
        if frames.upperBound > readableFrames { throw .reading("short", errno: EIO) }
        try unsafe memory.read(frames, into: output, stride: stride)
    }
}
