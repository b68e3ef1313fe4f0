// Tags stating the loudness of a recording: ReplayGain, and R128 of Opus files.
internal import JSON

/// Gains and peaks measured by a program and written into a recording's file.
///
/// All gains bring the recording, or its album, to −18 LUFS, the level of ReplayGain 2.0. Sources are comments of FLAC,
/// Ogg Vorbis and Opus, TXXX frames of ID3, and, through `ffprobe`, the formats for `ffmpeg`. Other tags, such as
/// iTunes' SoundCheck, are ignored.
package struct LoudnessTags: Sendable, Hashable {
    /// Gain of the recording, in dB.
    package var trackGain: Double?
    /// Gain of the album, in dB.
    package var albumGain: Double?
    /// Peak sample value of the recording; 1 is full scale.
    package var trackPeak: Double?
    /// Peak sample value of the album; 1 is full scale.
    package var albumPeak: Double?

    /// Creates tags; nil for unknown values.
    package init(
        trackGain: Double? = nil, albumGain: Double? = nil, trackPeak: Double? = nil, albumPeak: Double? = nil
    ) {
        (self.trackGain, self.albumGain, self.trackPeak, self.albumPeak) = (trackGain, albumGain, trackPeak, albumPeak)
    }

    /// True if both gains are missing.
    package var isEmpty: Bool { trackGain == nil && albumGain == nil }

    /// Reads the file of an opened recording. Damaged tags are omitted.
    ///
    /// - Throws: An error if the file can no longer be opened.
    ///
    /// Real-time safe: no.
    package init(of info: AudioFileInfo) throws(AudioFileError) {
        let file = try OpenedFile(path: info.path)
        if case .foreign = FileSniffer.kind(of: file) {
            // If `ffprobe` has become unavailable, the recording is played without gain.
            self.init((try? FFmpegProbe(file, FFmpegTools()))?.tags.map { ($0.key, $0.value) } ?? [])
        } else {
            self.init(Self.tags(in: ByteSource(file)))
        }
    }

    /// Difference in dB between the level of ReplayGain 2.0 and the level of R128 tags, −23 LUFS (RFC 7845, section
    /// 5.2.1).
    private static let r128Offset = 5.0
    /// Largest plausible gain, in dB. Gains beyond this value are mistakes.
    private static let largestGain = 64.0

    /// Reads keys, in upper or lower case, and values. ReplayGain's own keys take precedence. Of equal keys, the first
    /// counts.
    package init(_ tags: [(String, String)]) {
        var values: [String: String] = [:]
        for (key, value) in tags {
            let key = key.lowercased()
            if values[key] == nil { values[key] = value }
        }
        trackGain = Self.gain(values["replaygain_track_gain"]) ?? Self.r128Gain(values["r128_track_gain"])
        albumGain = Self.gain(values["replaygain_album_gain"]) ?? Self.r128Gain(values["r128_album_gain"])
        trackPeak = Self.peak(values["replaygain_track_peak"])
        albumPeak = Self.peak(values["replaygain_album_peak"])
    }

    /// Reads a gain such as `-6.54 dB`.
    private static func gain(_ text: String?) -> Double? {
        guard var text = text.map({ $0.filter { !$0.isWhitespace }.lowercased() }) else { return nil }
        if text.hasSuffix("db") { text.removeLast(2) }
        return Double(decimal: text, in: -largestGain...largestGain)
    }

    /// Reads a whole number of 256ths of a dB.
    private static func r128Gain(_ text: String?) -> Double? {
        guard let units = text.flatMap({ Int16(digits: $0.filter { !$0.isWhitespace }, in: .min ... .max) }) else {
            return nil
        }
        let gain = Double(units) / 256 + r128Offset
        return abs(gain) <= largestGain ? gain : nil
    }

    private static func peak(_ text: String?) -> Double? {
        text.flatMap { Double(decimal: $0.filter { !$0.isWhitespace }, in: .leastNonzeroMagnitude...100) }
    }

    private static func tags(in source: ByteSource) -> [(String, String)] {
        let body = source.dropFirst(Int64(FileSniffer.id3Length(source.bytes(at: 0, count: 10)) ?? 0))
        switch FileSniffer.kind(of: source) {
        case .soundFile("flac"): return FLACBlocks(body).first(.comments).map(comments) ?? []
        case .soundFile("ogg"): return OggCommentPacket(body).map { comments(body.joined($0.places)) } ?? []
        case .mpegAudio:
            var found: [(String, String)] = []
            ID3Frames(tag: source)?.forEach("TXXX", atMost: 256) { frame in
                let bytes = frame.bytes(at: 0, count: 256)
                // The frame holds the encoding, a description and the value, with a zero between them. All are ASCII
                // characters of one or two bytes.
                let words = bytes.dropFirst().filter { $0 == 0 || (0x20..<0x7F).contains($0) }
                let isWide = bytes.first == 1 || bytes.first == 2
                let text = isWide ? Self.narrow(bytes.dropFirst()) : Array(words)
                let parts = text.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else { return }
                found.append(
                    (
                        String(decoding: parts[0], as: UTF8.self),
                        String(decoding: parts[1].prefix { $0 != 0 }, as: UTF8.self)
                    ))
            }
            return found
        case .soundFile, .foreign, .unknown: return []
        }
    }

    /// Returns the ASCII characters of UTF-16 in either byte order, with a zero for each zero.
    private static func narrow(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let units = Array(bytes)
        return stride(from: 0, to: units.count - 1, by: 2).compactMap { place in
            let (one, other) = (units[place], units[place + 1])
            return one > 0x7F ? nil : one | (other > 0x7F ? 0 : other)
        }
    }

    private static func comments(_ source: ByteSource) -> [(String, String)] {
        (CommentList(source)?.comments ?? []).compactMap { place in
            let words = source.slice(place).bytes(at: 0, count: 128)
            guard let sign = words.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            return (
                String(decoding: words[..<sign], as: UTF8.self), String(decoding: words[(sign + 1)...], as: UTF8.self)
            )
        }
    }
}
