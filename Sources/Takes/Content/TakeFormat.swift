internal import AudioFiles
internal import JSON

/// The file format of a take.
public enum TakeContainer: String, Sendable, CaseIterable {
    /// WAV. The file becomes RF64 in place when its sizes exceed 4 GiB.
    case wav
    /// Apple's Core Audio Format, with 64-bit sizes from the start.
    case caf
}

/// A named place in a take.
public struct TakeMark: Sendable, Equatable {
    /// The user's name for the mark, in UTF-8 without a zero byte; may be empty.
    public let name: String
    /// Position of the mark: in front of this frame, from 0.
    public let frame: Int64

    /// Creates a mark. The mark is checked when added to a file.
    public init(name: String, frame: Int64) {
        self.name = name
        self.frame = frame
    }
}

/// The bytes around a take's samples, for any number of frames.
struct TakeFormat: Equatable {
    let container: TakeContainer
    let samples: WaveSampleFormat
    let sampleRate: Int
    let channelCount: Int

    /// Number of bytes of a frame, 1...256.
    var frameBytes: Int { channelCount * samples.bytesPerSample }

    /// Number of bytes before the samples: the same for any number of frames, and less than a page of memory.
    var headerBytes: Int {
        switch container {
        case .wav: wave.byteCount
        case .caf: CAFHeader.byteCount(channelCount: channelCount)
        }
    }

    /// Last permitted frame of a mark: a cue of a WAV file has 32 bits.
    var lastMarkFrame: Int64 { container == .wav ? Int64(UInt32.max) : FileLimits.maximumFrameCount }

    private var wave: WaveHeader {
        var header = WaveHeader(sampleRate: sampleRate, channelCount: channelCount, format: samples)
        header.mayBeExtensible = false
        return header
    }

    /// Returns the header of a file with this many frames, and with this many bytes of other chunks behind the samples.
    func header(frameCount: Int64, trailingBytes: Int = 0) -> [UInt8] {
        switch container {
        case .wav: wave.bytes(.frames(frameCount), trailingBytes: UInt64(trailingBytes))
        // CAF chunks are independent: the header does not count the chunks behind the samples.
        case .caf: CAFHeader(format: self, frameCount: frameCount).bytes
        }
    }

    /// Returns the offset of the end of the samples.
    func dataEnd(_ frameCount: Int64) -> Int64 { Int64(headerBytes) + frameCount * Int64(frameBytes) }

    /// Returns the length of the file, including the padding byte of a WAV file's chunk.
    func fileEnd(_ frameCount: Int64) -> Int64 {
        let bytes = frameCount * Int64(frameBytes)
        return Int64(headerBytes) + bytes + (container == .wav ? bytes & 1 : 0)
    }

    /// Returns the number of complete frames in a file of this many bytes, if only samples follow the header.
    func frameCount(fileBytes: Int64) -> Int64 { max(0, fileBytes - Int64(headerBytes)) / Int64(frameBytes) }

    /// Returns the chunks for the marks within a take, sorted by frame; empty without marks. In a WAV file, the number
    /// of bytes is even.
    func chunks(for marks: [TakeMark], frameCount: Int64) -> [UInt8] {
        let inside = marks.filter { $0.frame <= frameCount }.sorted { $0.frame < $1.frame }
        if inside.isEmpty { return [] }
        switch container {
        case .wav: return MarkChunks.wave(inside)
        case .caf: return MarkChunks.caf(inside)
        }
    }

    /// Reads the lengths in a header of this format: number of frames, and number of bytes of the chunks behind them.
    /// The caller compares the rest of the header. Returns nil for impossible lengths.
    func lengths(inHeader bytes: [UInt8]) -> (frameCount: Int64, trailingBytes: Int64)? {
        guard bytes.count == headerBytes else { return nil }
        let data, trailing: Int64
        switch container {
        case .wav:
            let isLong = bytes.starts(with: Array("RF64".utf8))
            func length(_ place: Int, _ longPlace: Int) -> Int64? {
                isLong ? bytes.little(at: longPlace, in: .counts) : Int64(bytes.little(UInt32.self, at: place))
            }
            guard let samples = length(headerBytes - 4, 28), let riff = length(4, 20) else { return nil }
            (data, trailing) = (samples, riff - Int64(headerBytes - 8) - samples - (samples & 1))
        case .caf:
            guard let size = bytes.big(at: headerBytes - 12, in: .counts) else { return nil }
            (data, trailing) = (size - 4, 0)
        }
        let frameCount = data / Int64(frameBytes)
        guard data >= 0, trailing >= 0, frameCount <= FileLimits.maximumFrameCount, trailing <= 1 << 32 else {
            return nil
        }
        return (frameCount, trailing)
    }
}
