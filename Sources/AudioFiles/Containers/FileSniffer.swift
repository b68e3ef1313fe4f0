// Chooses the decoder for a file by its content alone, because names are often wrong (AAC called .mp3 is common).
internal import JSON

/// The format of a file, by its first bytes.
enum FileKind: Equatable {
    /// A file for libsndfile, with the container's name.
    case soundFile(String)
    /// MPEG audio layer 1 to 3. The library searches for the first frame from this byte on.
    case mpegAudio(from: Int64)
    /// A file for the `ffmpeg` program, with the container's name.
    case foreign(String)
    /// Unrecognised content. libsndfile knows some further, rare formats.
    case unknown
}

/// Determines the format of files by content.
enum FileSniffer {
    /// Returns the format of a file.
    static func kind(of file: OpenedFile) -> FileKind { kind(of: ByteSource(file)) }

    /// Returns the format of a file with these bytes.
    static func kind(of file: ByteSource) -> FileKind {
        let head = file.bytes(at: 0, count: 4096)
        let tagBytes = id3Length(head)
        // Some programs put ID3 tags in front of FLAC and AAC too, so the content after the tag decides.
        let found = kind(of: tagBytes.map { file.bytes(at: Int64($0), count: 4096) } ?? head)
        if found != .unknown { return found }
        if let start = MPEGHeader.firstFrame(of: file, from: Int64(tagBytes ?? 0)) { return .mpegAudio(from: start) }
        return tagBytes == nil ? .unknown : .mpegAudio(from: 0)
    }

    /// Returns the format of a file beginning with `head`.
    static func kind(of head: [UInt8]) -> FileKind {
        for signature in signatures where signature.matches(head) { return signature.kind }
        if head.starts(with: Array("OggS".utf8)) { return oggKind(head) }
        if head.starts(with: Array("RIFF".utf8)) || head.starts(with: Array("RIFX".utf8)) {
            return matches(head, "AVI ", at: 8) ? .foreign("avi") : .soundFile("wav")
        }
        if isADTS(head) { return .foreign("adts") }
        if MPEGHeader.begins(head) { return .mpegAudio(from: 0) }
        if isTransportStream(head) { return .foreign("mpegts") }
        return .unknown
    }

    private struct Signature {
        let bytes: [UInt8]
        let offset: Int
        let kind: FileKind

        init(_ text: String, at offset: Int = 0, _ kind: FileKind) {
            self.init(bytes: Array(text.utf8), at: offset, kind)
        }

        init(bytes: [UInt8], at offset: Int = 0, _ kind: FileKind) {
            (self.bytes, self.offset, self.kind) = (bytes, offset, kind)
        }

        func matches(_ head: [UInt8]) -> Bool { head.dropFirst(offset).starts(with: bytes) }
    }

    private static let signatures: [Signature] = [
        Signature("RF64", .soundFile("rf64")), Signature("BW64", .soundFile("rf64")),
        Signature("riff", .soundFile("w64")), Signature("FORM", .soundFile("aiff")),
        Signature("caff", .soundFile("caf")), Signature(".snd", .soundFile("au")), Signature("dns.", .soundFile("au")),
        Signature("fLaC", .soundFile("flac")),
        Signature("ftyp", at: 4, .foreign("mp4")), Signature("moov", at: 4, .foreign("mp4")),
        Signature("mdat", at: 4, .foreign("mp4")), Signature("wide", at: 4, .foreign("mp4")),
        Signature(bytes: [0x1A, 0x45, 0xDF, 0xA3], .foreign("matroska")),
        Signature(bytes: [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], .foreign("asf")),
        Signature("FLV\u{1}", .foreign("flv")), Signature(bytes: [0, 0, 1, 0xBA], .foreign("mpeg")),
        Signature("wvpk", .foreign("wavpack")), Signature("MAC ", .foreign("ape")), Signature("TTA1", .foreign("tta")),
        Signature("MPCK", .foreign("musepack")), Signature("MP+", .foreign("musepack")),
        Signature("tBaK", .foreign("tak")), Signature("DSD ", .foreign("dsf")), Signature("FRM8", .foreign("dff")),
        Signature("#!AMR", .foreign("amr")), Signature("ADIF", .foreign("aac")),
        Signature(bytes: [0x0B, 0x77], .foreign("ac3")), Signature(bytes: [0x7F, 0xFE, 0x80, 0x01], .foreign("dts")),
    ]

    /// Returns the kind of an Ogg file by its codec. libsndfile reads two of the codecs; it failed on every Ogg FLAC
    /// file tried.
    private static func oggKind(_ head: [UInt8]) -> FileKind {
        guard head.count > 27 else { return .soundFile("ogg") }
        let payload = Array(head.dropFirst(27 + Int(head[26])).prefix(8))
        if payload.starts(with: [1] + Array("vorbis".utf8)) || payload.starts(with: Array("OpusHead".utf8)) {
            return .soundFile("ogg")
        }
        return .foreign("ogg")
    }

    /// Returns the length in bytes of an ID3v2 tag at the start; nil if there is none.
    static func id3Length(_ head: [UInt8]) -> Int? {
        guard head.count >= 10, head.starts(with: Array("ID3".utf8)),
            let size = Int(bytes: head[6..<10], bits: 7, in: 0...1 << 28)
        else { return nil }
        let footer = head[5] & 0x10 != 0 ? 10 : 0
        return 10 + size + footer
    }

    private static func isADTS(_ head: [UInt8]) -> Bool {
        head.count > 6 && head[0] == 0xFF && head[1] & 0xF6 == 0xF0 && (head[2] >> 2) & 0xF < 13
    }

    private static func isTransportStream(_ head: [UInt8]) -> Bool {
        head.count > 188 * 4 && (0..<4).allSatisfy { head[188 * $0] == 0x47 }
    }

    private static func matches(_ head: [UInt8], _ text: String, at offset: Int) -> Bool {
        head.dropFirst(offset).starts(with: Array(text.utf8))
    }
}
