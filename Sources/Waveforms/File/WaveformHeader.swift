// The header of a waveform file.
internal import AudioFiles
internal import DSP

/// The header; determines the length and position of everything after the header.
struct WaveformHeader: Equatable {
    /// Built like the PNG signature, to detect programs which change line ends or drop the eighth bit.
    static let magic: [UInt8] = [0x89, 0x57, 0x53, 0x57, 0x0D, 0x0A, 0x1A, 0x0A]
    static let byteCount = 72

    let sampleRate: Int
    let frameCount: Int64
    let channelCount: Int
    let hasTones: Bool
    let contentKey: ContentKey?

    /// The positions of the fields.
    private enum Place {
        static let (version, sampleRate, frameCount, fileByteCount) = (8, 12, 16, 24)
        static let (channelCount, framesPerBin, framesPerTone) = (32, 36, 40)
        static let (binLevels, toneLevels, reserved, contentKey) = (44, 48, 52, 56)
    }

    /// The header of a waveform of a whole recording.
    init(_ waveform: Waveform, contentKey: ContentKey?) {
        sampleRate = waveform.sampleRate
        frameCount = waveform.frameCount
        channelCount = waveform.channelCount
        hasTones = waveform.hasTones
        self.contentKey = contentKey
        // A builder for a single part lacks the sound before the part.
        precondition(
            waveform.levelCount == Waveform.binCounts(frameCount: frameCount).count
                && waveform.toneLevelCount == toneCounts.count,
            "Only the waveform of a whole recording can be kept.")
    }

    /// Decodes `byteCount` bytes.
    init(decoding bytes: [UInt8]) throws(WaveformFileError) {
        guard bytes.starts(with: Self.magic) else { throw .notWaveform }
        let version: UInt32 = bytes.little(at: Place.version)
        guard version == WaveformFile.version else { throw .unsupportedVersion(Int(version)) }
        sampleRate = try Self.field("sample rate", FileLimits.sampleRates, bytes, Place.sampleRate)
        channelCount = try Self.field("number of channels", FileLimits.channelCounts, bytes, Place.channelCount)
        guard let frames = bytes.little(at: Place.frameCount, in: 0...FileLimits.maximumFrameCount) else {
            throw .invalidField("number of frames")
        }
        frameCount = frames
        let toneLevels = Int(bytes.little(UInt32.self, at: Place.toneLevels))
        hasTones = toneLevels > 0
        let key = ContentKey(bytes, at: Place.contentKey)
        contentKey = key.high | key.low == 0 ? nil : key
        // The remaining fields follow from the fields above, and are meant for other readers.
        guard bytes.little(UInt32.self, at: Place.framesPerBin) == Waveform.framesPerBin else {
            throw .invalidField("number of frames of a bin")
        }
        guard bytes.little(UInt32.self, at: Place.framesPerTone) == framesPerTone else {
            throw .invalidField("number of frames of a tone")
        }
        guard bytes.little(UInt32.self, at: Place.binLevels) == Waveform.binCounts(frameCount: frameCount).count,
            toneLevels == toneCounts.count
        else { throw .invalidField("number of levels") }
        guard bytes.little(at: Place.fileByteCount, in: 0...Int.max) == fileByteCount else {
            throw .invalidField("length")
        }
        guard bytes.little(UInt32.self, at: Place.reserved) == 0 else { throw .invalidField("reserved field") }
    }

    /// The length of the whole file.
    var fileByteCount: Int {
        Self.byteCount + ContentKey.byteCount
            + Waveform.levelByteCount(
                frameCount: frameCount, sampleRate: sampleRate, channelCount: channelCount, hasTones: hasTones)
    }

    private var framesPerTone: Int { hasTones ? Waveform.framesPerTone(sampleRate: sampleRate) : 0 }

    private var toneCounts: [Int] {
        hasTones ? Waveform.toneCounts(frameCount: frameCount, sampleRate: sampleRate) : []
    }

    var bytes: [UInt8] {
        var list = ByteList()
        list.append(Self.magic)
        list.little(UInt32(WaveformFile.version))
        list.little(UInt32(sampleRate))
        list.little(UInt64(frameCount))
        list.little(UInt64(fileByteCount))
        list.little(UInt32(channelCount))
        list.little(UInt32(Waveform.framesPerBin))
        list.little(UInt32(framesPerTone))
        list.little(UInt32(Waveform.binCounts(frameCount: frameCount).count))
        list.little(UInt32(toneCounts.count))
        list.little(UInt32(0))
        list.append(contentKey?.bytes ?? [UInt8](repeating: 0, count: ContentKey.byteCount))
        return list.bytes
    }

    private static func field(
        _ name: String, _ permitted: ClosedRange<Int>, _ bytes: [UInt8], _ place: Int
    ) throws(WaveformFileError) -> Int {
        let value = Int(bytes.little(UInt32.self, at: place))
        guard permitted.contains(value) else { throw .invalidField(name) }
        return value
    }
}
