// Properties of a recording's file besides its audio: size, tags and marks.
internal import JSON

/// A tag in a recording's file.
public struct FileTag: Sendable, Equatable {
    /// The subject of a tag.
    public enum Key: String, Sendable, CaseIterable {
        /// The name of the piece.
        case title
        /// The performers.
        case artist
        /// The album, the game or the series of the piece.
        case album
        /// The performers of the album.
        case albumArtist = "album_artist"
        /// The composer.
        case composer
        /// The date of publication or recording, in the form written in the file.
        case date
        /// The genre of the music.
        case genre
        /// The track number on the album, sometimes with the total: "3/12".
        case track
        /// A comment.
        case comment
    }

    /// The subject.
    public let key: Key
    /// The text, at most 4096 bytes in UTF-8.
    public let value: String
}

/// Properties stated in a recording's file, besides the properties proved by decoding.
///
/// Sources of tags: FLAC, Ogg Vorbis, Opus (comments), MP3 (ID3), WAV (INFO) and, through `ffprobe`, the formats for
/// `ffmpeg`.
public struct FileDetails: Sendable, Equatable {
    /// Length of the file in bytes.
    package let byteCount: Int64
    /// Bit rate in bits per second, at most 2^53: of the audio if stated in the file, else the average of the whole
    /// file.
    package let bitRate: Int
    /// The first tag of each kind, in the order of `FileTag.Key.allCases`.
    public let tags: [FileTag]
    /// Marks of the recording; see `FileMarks`.
    package let marks: FileMarks

    /// Reads the file of an opened recording.
    ///
    /// Damaged parts are omitted.
    ///
    /// - Throws: An error if the file can no longer be opened.
    ///
    /// Real-time safe: no.
    public init(of info: AudioFileInfo) throws(AudioFileError) {
        let file = try OpenedFile(path: info.path)
        byteCount = file.byteCount
        let source = ByteSource(file)
        var told: Int?
        var found: [(String, String)]
        if case .foreign = FileSniffer.kind(of: file) {
            // If `ffprobe` has become unavailable, the other properties are still returned.
            let probe = try? FFmpegProbe(file, FFmpegTools())
            (told, found) = (probe?.bitRate, probe?.tags.map { ($0.key, MarkName.short($0.value)) } ?? [])
            marks = FileMarks(probe?.marks ?? [], frameCount: info.frameCount)
        } else {
            found = Self.tags(in: source)
            marks = FileMarks(source, sampleRate: info.sampleRate, frameCount: info.frameCount)
        }
        let average = Double(byteCount) * 8 / max(info.seconds, 1 / Double(info.sampleRate))
        // A huge file with holes and a single frame has a rate beyond the limits of a number from outside.
        bitRate = told ?? Int(min(average, ClosedRange.measures.upperBound).rounded())
        tags = FileTag.Key.allCases.compactMap { key in
            found.first { Self.keys[$0.0] == key && !$0.1.isEmpty }.map { FileTag(key: key, value: $0.1) }
        }
    }

    /// Names of the tags in each format: comments and ffprobe, ID3 (2.3 and 2.4), and INFO chunks of WAV.
    private static let keys: [String: FileTag.Key] = [
        "title": .title, "artist": .artist, "album": .album, "album_artist": .albumArtist, "albumartist": .albumArtist,
        "composer": .composer, "date": .date, "year": .date, "genre": .genre, "track": .track, "tracknumber": .track,
        "comment": .comment, "description": .comment,
        "TIT2": .title, "TPE1": .artist, "TALB": .album, "TPE2": .albumArtist, "TCOM": .composer, "TDRC": .date,
        "TYER": .date, "TCON": .genre, "TRCK": .track,
        "INAM": .title, "IART": .artist, "IPRD": .album, "ICRD": .date, "IGNR": .genre, "ITRK": .track,
        "ICMT": .comment,
    ]

    private static func tags(in source: ByteSource) -> [(String, String)] {
        let body = source.dropFirst(Int64(FileSniffer.id3Length(source.bytes(at: 0, count: 10)) ?? 0))
        switch FileSniffer.kind(of: source) {
        case .soundFile("flac"): return FLACBlocks(body).first(.comments).map(comments) ?? []
        case .soundFile("ogg"): return OggCommentPacket(body).map { comments(body.joined($0.places)) } ?? []
        case .soundFile("wav"), .soundFile("rf64"): return chunks(body)
        case .mpegAudio:
            let tag = ID3Frames(tag: source)
            return keys.keys.compactMap { key in tag?.first(key).map { (key, MarkName.id3($0)) } }.sorted { $0 < $1 }
        case .soundFile, .foreign, .unknown: return []
        }
    }

    private static func comments(_ source: ByteSource) -> [(String, String)] {
        (CommentList(source)?.comments ?? []).compactMap { place in
            let comment = source.slice(place)
            let head = comment.bytes(at: 0, count: 32)
            guard let sign = head.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let key = String(decoding: head[..<sign], as: UTF8.self).lowercased()
            return keys[key] == nil ? nil : (key, MarkName.text(comment, at: Int64(sign) + 1))
        }
    }

    private static func chunks(_ source: ByteSource) -> [(String, String)] {
        let form: ChunkList.Form = source.starts(with: "RIFX") ? .aiff : .riff
        let names = Set(keys.keys.filter { $0.hasPrefix("I") })
        return ChunkList(in: source, from: 12, form, named: ["LIST"]).chunks.filter {
            $0.content.starts(with: "INFO")
        }.prefix(4).flatMap { list in
            ChunkList(in: list.content, from: 4, form, named: names).chunks.prefix(64).map {
                ($0.name, MarkName.text($0.content))
            }
        }
    }
}

extension FFmpegProbe {
    /// The chapters as marks.
    var marks: [FileMark] {
        chapters.compactMap { chapter in
            guard let start = chapter.frame(chapter.start, sampleRate: sampleRate) else { return nil }
            let end = chapter.frame(chapter.end, sampleRate: sampleRate)
            return FileMark(
                name: MarkName.short(chapter.name), frame: start, endFrame: end.flatMap { $0 > start ? $0 : nil })
        }
    }
}
