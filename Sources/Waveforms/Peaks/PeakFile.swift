// Waveforms in the file format of the program audiowaveform; docs/waveform-format.md describes the compatible parts.
internal import Explanations

/// The extremes of a recording at one zoom, as stored in files of the program audiowaveform.
///
/// For recordings of 16-bit samples the files equal the program's files byte for byte
/// (<https://github.com/bbc/audiowaveform>, its doc/DataFormat.md; version 1.10).
package struct PeakFile: Equatable, Sendable {
    /// The resolution of the values.
    package enum Bits: Int, Sendable, CaseIterable {
        /// -128 to 127.
        case eight = 8
        /// -32768 to 32767.
        case sixteen = 16
    }

    /// The form of a file.
    package enum Form: String, Sendable, CaseIterable {
        /// Binary, little endian: version 1 for one channel, version 2 for several.
        case dat
        /// One line of JSON.
        case json
    }

    /// The limits of a file: frames per pixel, channels, and the rate in Hz.
    static let (pixelFrames, channelCounts, sampleRates) = (2...Int(Int32.max), 1...24, 1...Int(Int32.max))
    /// The most pixels of a file: its length has 32 bits.
    static let maximumLength = Int64(UInt32.max)

    /// The resolution of the values.
    package let bits: Bits
    /// In Hz.
    package let sampleRate: Int
    /// Frames per pixel, 2 or more; the last pixel may have fewer.
    package let samplesPerPixel: Int
    /// Number of channels, 1 to 24; mixed channels count as 1.
    package let channelCount: Int
    /// The least and the greatest sample: for each pixel, the pairs of all channels, in units of ``bits``.
    package let data: [Int16]

    /// Number of pixels.
    package var length: Int { data.count / (2 * channelCount) }
    /// The version of the binary form.
    package var version: Int { channelCount == 1 ? 1 : 2 }

    /// Creates a peak file from known extremes.
    ///
    /// - Parameters:
    ///   - bits: The resolution of the values.
    ///   - samplesPerPixel: Frames per pixel, 2 or more.
    ///   - sampleRate: In Hz, 1 or more.
    ///   - channelCount: 1 to 24.
    ///   - data: For each pixel, the least and the greatest sample of each channel, within the range of `bits`.
    /// - Throws: `PeakFileError` if the files cannot hold a value.
    ///
    /// Real-time safe: no.
    init(
        bits: Bits, sampleRate: Int, samplesPerPixel: Int, channelCount: Int, data: [Int16]
    ) throws(PeakFileError) {
        try self.init(
            checking: bits, sampleRate: sampleRate, samplesPerPixel: samplesPerPixel, channelCount: channelCount,
            data: data, kind: .invalidRequest)
    }

    /// - Parameter kind: The kind of error for an invalid value: a mistake of the caller, or of a file.
    init(
        checking bits: Bits, sampleRate: Int, samplesPerPixel: Int, channelCount: Int, data: [Int16],
        kind: PeakFileError.Kind
    ) throws(PeakFileError) {
        try Self.check(samplesPerPixel: samplesPerPixel, channelCount: channelCount, sampleRate: sampleRate, kind: kind)
        guard data.count % (2 * channelCount) == 0 else {
            throw .invalid(kind, "\(data.count) values are no pairs for \(channelCount) channels")
        }
        guard data.count / (2 * channelCount) <= Self.maximumLength else {
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

    /// Returns the bytes of a file.
    ///
    /// Real-time safe: no.
    package func encoded(as form: Form) -> [UInt8] {
        switch form {
        case .dat: encodedAsBinary()
        case .json: encodedAsJSON()
        }
    }

    /// Decodes the bytes of a file; its first byte determines the form.
    ///
    /// Stricter than the program: the bytes must match the header exactly.
    ///
    /// - Throws: `PeakFileError` for anything else.
    ///
    /// Real-time safe: no.
    package init(decoding bytes: [UInt8]) throws(PeakFileError) {
        // JSON begins with a brace, or with blanks before the brace; the binary form with a 1 or a 2.
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        if bytes.first(where: { !blanks.contains($0) }) == UInt8(ascii: "{") {
            try self.init(decodingJSON: bytes)
        } else {
            try self.init(decodingBinary: bytes)
        }
    }
}
