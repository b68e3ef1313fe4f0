// Waveforms as the program audiowaveform writes and reads them; docs/waveform-format.md says what is compatible.

/// The extremes of a recording at one zoom, as the files of the program audiowaveform hold them.
///
/// For recordings of 16-bit samples the files are the same bytes that the program writes
/// (<https://github.com/bbc/audiowaveform>, its doc/DataFormat.md; version 1.10).
public struct PeakFile: Equatable, Sendable {
    /// How finely values are stored.
    public enum Bits: Int, Sendable, CaseIterable {
        /// -128 to 127.
        case eight = 8
        /// -32768 to 32767.
        case sixteen = 16
    }

    /// The form of a file.
    public enum Form: String, Sendable, CaseIterable {
        /// Binary, little endian: of version 1 for one channel, of version 2 for several.
        case dat
        /// One line of JSON.
        case json
    }

    /// What a file can hold: frames of a pixel, channels, and the rate in Hz.
    static let (pixelFrames, channelCounts, sampleRates) = (2...Int(Int32.max), 1...24, 1...Int(Int32.max))

    /// How finely values are stored.
    public let bits: Bits
    /// In Hz.
    public let sampleRate: Int
    /// Frames of a pixel, 2 or more; the last pixel may have fewer.
    public let samplesPerPixel: Int
    /// Number of channels, 1 to 24; 1 also for channels that were mixed.
    public let channelCount: Int
    /// The least and the greatest sample for each pixel and in it for each channel, in units of ``bits``.
    public let data: [Int16]

    /// Number of pixels.
    public var length: Int { data.count / (2 * channelCount) }
    /// The version of the binary form.
    public var version: Int { channelCount == 1 ? 1 : 2 }

    /// Extremes that are known already.
    ///
    /// - Parameters:
    ///   - bits: How finely values are stored.
    ///   - samplesPerPixel: Frames of a pixel, 2 or more.
    ///   - sampleRate: In Hz, 1 or more.
    ///   - channelCount: 1 to 24.
    ///   - data: For each pixel and in it for each channel the least and the greatest sample, within the range of `bits`.
    /// - Throws: `PeakFileError` for what the files cannot hold.
    ///
    /// Real-time safe: no.
    init(
        bits: Bits, sampleRate: Int, samplesPerPixel: Int, channelCount: Int, data: [Int16]
    ) throws(PeakFileError) {
        try self.init(
            checking: bits, sampleRate: sampleRate, samplesPerPixel: samplesPerPixel, channelCount: channelCount,
            data: data, kind: .invalidRequest)
    }

    /// - Parameter kind: What a value that cannot be is called: a caller's mistake, or a file's.
    init(
        checking bits: Bits, sampleRate: Int, samplesPerPixel: Int, channelCount: Int, data: [Int16],
        kind: PeakFileError.Kind
    ) throws(PeakFileError) {
        try Self.check(samplesPerPixel: samplesPerPixel, channelCount: channelCount, sampleRate: sampleRate, kind: kind)
        guard data.count % (2 * channelCount) == 0 else {
            throw .invalid(kind, "\(data.count) values are no pairs for \(channelCount) channels")
        }
        guard data.count / (2 * channelCount) <= Int(UInt32.max) else {
            throw .invalid(kind, "there are too many pixels")
        }
        if bits == .eight, let value = data.first(where: { Int8(exactly: $0) == nil }) {
            throw .invalid(kind, "the value \(value) has more than 8 bits")
        }
        self.init(
            checkedBits: bits, sampleRate: sampleRate, samplesPerPixel: samplesPerPixel, channelCount: channelCount,
            data: data)
    }

    init(checkedBits bits: Bits, sampleRate: Int, samplesPerPixel: Int, channelCount: Int, data: [Int16]) {
        self.bits = bits
        self.sampleRate = sampleRate
        self.samplesPerPixel = samplesPerPixel
        self.channelCount = channelCount
        self.data = data
    }

    static func check(
        samplesPerPixel: Int, channelCount: Int, sampleRate: Int, kind: PeakFileError.Kind
    ) throws(PeakFileError) {
        guard pixelFrames.contains(samplesPerPixel) else {
            throw .invalid(kind, "\(samplesPerPixel) samples per pixel are not possible: from 2 to \(Int32.max) are")
        }
        guard channelCounts.contains(channelCount) else {
            throw .invalid(kind, "\(channelCount) channels are not possible: from 1 to 24 are")
        }
        guard sampleRates.contains(sampleRate) else {
            throw .invalid(kind, "a sample rate of \(sampleRate) Hz is not possible")
        }
    }

    /// The bytes of a file.
    ///
    /// Real-time safe: no.
    public func encoded(as form: Form) -> [UInt8] {
        switch form {
        case .dat: encodedAsBinary()
        case .json: encodedAsJSON()
        }
    }

    /// Reads the bytes of a file of either form; which one, its first byte tells.
    ///
    /// Stricter than the program: what the header says must be what follows it, byte for byte.
    ///
    /// - Throws: `PeakFileError` for anything else.
    ///
    /// Real-time safe: no.
    public init(decoding bytes: [UInt8]) throws(PeakFileError) {
        // Text begins with a brace or with blanks before it; the binary form with a 1 or a 2.
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        if bytes.first(where: { !blanks.contains($0) }) == UInt8(ascii: "{") {
            try self.init(decodingJSON: bytes)
        } else {
            try self.init(decodingBinary: bytes)
        }
    }
}
