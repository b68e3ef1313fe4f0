internal import AudioFiles

/// The kind of file a take is recorded into.
public enum TakeContainer: String, Sendable, CaseIterable {
    /// WAV, which becomes RF64 in place where its sizes would exceed 4 GiB.
    case wav
    /// Apple's Core Audio Format, whose sizes have 64 bits from the start.
    case caf
}

/// A named place in a take.
public struct TakeMark: Sendable, Equatable {
    /// What the user calls it, in UTF-8 without a zero byte; may be empty.
    public let name: String
    /// The frame it is in front of, from 0 on.
    public let frame: Int64

    /// A mark. The file it is given to checks it.
    public init(name: String, frame: Int64) {
        self.name = name
        self.frame = frame
    }
}

/// The bytes around a take's samples: which ones they are for a number of frames, and where.
struct TakeFormat: Equatable {
    let container: TakeContainer
    let samples: WaveSampleFormat
    let sampleRate: Int
    let channelCount: Int

    /// Bytes of one frame, 1...256.
    var frameBytes: Int { channelCount * samples.bytesPerSample }

    /// Bytes in front of the samples, the same for any number of frames, and less than a page of memory.
    var headerBytes: Int {
        switch container {
        case .wav: wave.byteCount
        case .caf: CAFHeader.byteCount(channelCount: channelCount)
        }
    }

    /// The last frame a mark can be on: a cue of a WAV file has 32 bits.
    var lastMarkFrame: Int64 { container == .wav ? Int64(UInt32.max) : FileLimits.maximumFrameCount }

    private var wave: WaveHeader {
        var header = WaveHeader(sampleRate: sampleRate, channelCount: channelCount, format: samples)
        header.mayBeExtensible = false
        return header
    }

    /// The header of a file with so many frames, and so many bytes of other chunks behind them.
    func header(frameCount: Int64, trailingBytes: Int = 0) -> [UInt8] {
        switch container {
        case .wav: wave.bytes(.frames(frameCount), trailingBytes: UInt64(trailingBytes))
        // Each chunk of this format stands for itself; nothing in front of the samples counts what follows them.
        case .caf: CAFHeader(format: self, frameCount: frameCount).bytes
        }
    }

    /// Where the samples of so many frames end.
    func dataEnd(_ frameCount: Int64) -> Int64 { Int64(headerBytes) + frameCount * Int64(frameBytes) }

    /// Where a file of so many frames ends, with the byte that makes a chunk of a WAV file even.
    func fileEnd(_ frameCount: Int64) -> Int64 {
        let bytes = frameCount * Int64(frameBytes)
        return Int64(headerBytes) + bytes + (container == .wav ? bytes & 1 : 0)
    }

    /// Whole frames in a file of so many bytes, were all behind its header samples.
    func frameCount(fileBytes: Int64) -> Int64 { max(0, fileBytes - Int64(headerBytes)) / Int64(frameBytes) }

    /// The chunks that tell of those marks that lie within a take, by frame; none for no mark. An even number of bytes in a WAV file.
    func chunks(for marks: [TakeMark], frameCount: Int64) -> [UInt8] {
        let inside = marks.filter { $0.frame <= frameCount }.sorted { $0.frame < $1.frame }
        if inside.isEmpty { return [] }
        switch container {
        case .wav: return MarkChunks.wave(inside)
        case .caf: return MarkChunks.caf(inside)
        }
    }

    /// The numbers in a header of this format, of which the rest is to be compared: frames, and bytes of chunks behind them.
    func lengths(inHeader bytes: [UInt8]) -> (frameCount: Int64, trailingBytes: Int64)? {
        func number(_ range: Range<Int>) -> Int64 {
            Int64(truncatingIfNeeded: bytes[range].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
        }
        guard bytes.count == headerBytes else { return nil }
        let data: Int64
        var trailing: Int64 = 0
        switch container {
        case .wav:
            let isLong = bytes.starts(with: Array("RF64".utf8))
            data = isLong ? number(28..<36) : number(headerBytes - 4..<headerBytes)
            let riff = isLong ? number(20..<28) : number(4..<8)
            guard data >= 0, riff >= data else { return nil }
            trailing = riff - Int64(headerBytes - 8) - data - (data & 1)
        case .caf:
            data = Int64(bigEndian: number(headerBytes - 12..<headerBytes - 4)) - 4
        }
        let frameCount = data / Int64(frameBytes)
        guard data >= 0, trailing >= 0, frameCount <= FileLimits.maximumFrameCount, trailing <= 1 << 32 else {
            return nil
        }
        return (frameCount, trailing)
    }
}
