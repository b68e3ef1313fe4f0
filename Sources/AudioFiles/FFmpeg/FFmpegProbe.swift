// Properties of a file read by `ffprobe`: its first audio stream, chapters and tags, in a single run.
internal import Files
internal import JSON

/// Statements of a file about itself, read by `ffprobe`. Decoding has proved none of them.
struct FFmpegProbe {
    /// Codec of the first audio stream.
    let codec: String
    let sampleRate: Int
    let channelCount: Int
    /// Length of the stream in frames, if the file states it exactly. The unit of time must be a frame. The index must
    /// list a whole number of equal packets, and the last packet must be in the file. An edit list has already removed
    /// the encoder's padding in front and at the end.
    let exactFrameCount: Int64?
    /// The encoder's padding in front, in frames, decoded if the edit list is ignored. Nil if ignoring the edit list
    /// does not make the length more exact. The edit list of an MP4 file has lengths in its own unit, often a
    /// millisecond; the packets have lengths in frames.
    let framesInFront: Int64?
    /// Bit rate of the stream in bits per second, or else of the whole file.
    let bitRate: Int?
    /// Tags as lower-case keys and values. Tags of the file precede tags of the stream.
    let tags: [(key: String, value: String)]
    let chapters: [Chapter]

    struct Chapter {
        let name: String
        /// Numerator and denominator of the unit of time, in seconds.
        let unit: (Int64, Int64)
        let start, end: Int64
    }

    /// Runs `ffprobe`.
    ///
    /// - Parameters:
    ///   - container: Name as in `AudioFileInfo`, if the exact length in frames is needed.
    ///   - isWanted: As in `FFmpegTools.run`.
    init(
        _ file: OpenedFile, _ tools: FFmpegTools, container: String? = nil, isWanted: () -> Bool = { true }
    ) throws(AudioFileError) {
        let (json, result) = try Self.ask(
            [
                "-show_entries",
                "packet=pts,duration:stream=codec_name,sample_rate,channels,time_base,start_pts,duration_ts,nb_frames,"
                    + "bit_rate:stream_tags:format=bit_rate:format_tags", "-show_chapters",
            ], of: file, tools, isWanted)
        guard let stream = json?["streams"]?.elements?.first, let codec = stream["codec_name"]?.stringValue,
            let channels = stream["channels"]?.number, let rate = stream["sample_rate"]?.number
        else {
            if result.lastErrorLine.isEmpty { throw .noAudioStream(file.path) }
            throw .broken(file.path, result.lastErrorLine)
        }
        if channels > FileLimits.channelCounts.upperBound { throw .tooManyChannels(file.path, Int(channels)) }
        if channels < 1 { throw .noChannels(file.path) }
        if !FileLimits.sampleRates.contains(Int(rate)) { throw .badRate(file.path, Int(rate)) }
        (self.codec, sampleRate, channelCount) = (codec, Int(rate), Int(channels))
        let told = Self.exactFrameCount(stream, rate: rate, packets: json?["packets"]?.elements ?? [])
        var exact: (frameCount: Int64, inFront: Int64)?
        if container == "mp4", let told, let place = json?["packets"]?.elements?.last?["pts"]?.integer(in: .places) {
            let (unedited, _) = try Self.ask(
                ["-ignore_editlist", "1", "-show_entries", "packet=pts,duration:stream=start_pts"], of: file, tools,
                isWanted)
            exact = Self.unedited(unedited, told: told, place: place, rate: rate)
        }
        bitRate = (stream["bit_rate"]?.number ?? json?["format"]?["bit_rate"]?.number).flatMap { Int(exactly: $0) }
        tags = (json?["format"]?["tags"]?.texts ?? []) + (stream["tags"]?.texts ?? [])
        let noted = tags.first { $0.key == "itunsmpb" }.flatMap {
            Self.notedFrameCount($0.value, stream, rate: rate, packets: json?["packets"]?.elements ?? [])
        }
        (exactFrameCount, framesInFront) = (exact?.frameCount ?? told ?? noted, exact?.inFront)
        chapters = (json?["chapters"]?.elements ?? []).prefix(FileLimits.markCount).compactMap(Chapter.init)
    }

    /// Largest number of output bytes kept.
    private static let textLimit = 16 << 20

    /// Returns the output of `ffprobe` about a file and its last packets.
    private static func ask(
        _ questions: [String], of file: OpenedFile, _ tools: FFmpegTools, _ isWanted: () -> Bool
    ) throws(AudioFileError) -> (JSONValue?, ChildResult) {
        // The interval begins after any end, so ffprobe reads only the last packets.
        let arguments =
            [tools.ffprobe, "-v", "error", "-select_streams", "a:0", "-read_intervals", "99999999%"] + questions
            + ["-of", "json"] + FFmpegTools.input()
        var text: [UInt8] = []
        let result = try unsafe tools.run(arguments, for: file.path, [file.descriptor], isWanted: isWanted) {
            bytes throws(AudioFileError) in
            if text.count < textLimit { unsafe text.append(contentsOf: bytes) }
        }
        if case .killed(let number) = result.end {
            throw .decoderKilled(file.path, signal: number, decodedSeconds: 0)
        }
        return (JSONValue(reading: text), result)
    }

    /// Returns the length by the packets, if it differs from the length by the edit list by at most a unit of the edit
    /// list; otherwise nil. The edit list may be rounded up or down.
    ///
    /// - Parameters:
    ///   - told: Length by the edit list.
    ///   - place: Position of the last packet by the edit list.
    private static func unedited(
        _ json: JSONValue?, told: Int64, place: Int64, rate: Int64
    ) -> (frameCount: Int64, inFront: Int64)? {
        guard json?["streams"]?.elements?.first?["start_pts"]?.integer(in: .places) == 0,
            let last = json?["packets"]?.elements?.last, let lastPlace = last["pts"]?.integer(in: .places),
            let length = last["duration"]?.integer(in: .places), (0...mostInFront).contains(lastPlace - place)
        else { return nil }
        let inFront = lastPlace - place
        let (frameCount, overflows) = (lastPlace - inFront).addingReportingOverflow(length)
        guard !overflows, frameCount > 0, abs(frameCount - told) <= rate / coarsestUnit else { return nil }
        return (frameCount, inFront)
    }

    /// Units per second of QuickTime's clock, the coarsest clock in use for edit lists.
    private static let coarsestUnit: Int64 = 600

    private static func exactFrameCount(_ stream: JSONValue, rate: Int64, packets: [JSONValue]) -> Int64? {
        guard stream["time_base"]?.stringValue == "1/\(rate)", stream["start_pts"]?.integer(in: .places) == 0,
            let told = stream["duration_ts"]?.integer(in: .places), (1...FileLimits.maximumFrameCount).contains(told),
            let count = stream["nb_frames"]?.number, (1...told).contains(count), let last = packets.last,
            let place = last["pts"]?.integer(in: .places), let length = last["duration"]?.integer(in: .places),
            place + length == told
        else { return nil }
        // All packets except the last have the same length; the first packets hold the encoder's padding.
        let isWhole = packetFrameCounts.contains { frames in
            (1...frames).contains(length) && (0...mostInFront).contains((count - 1) * frames - place)
        }
        return isWhole ? told : nil
    }

    /// Returns the length in an iTunes note; older files have such a note instead of an edit list. The note holds
    /// padding in front, padding at the end, and frames between them, in hexadecimal digits. ffmpeg removes the padding
    /// in front, but not the padding at the end.
    private static func notedFrameCount(
        _ note: String, _ stream: JSONValue, rate: Int64, packets: [JSONValue]
    ) -> Int64? {
        let words = note.split(separator: " ").prefix(4).compactMap { Int64(digits: $0, radix: 16, in: .counts) }
        guard words.count == 4, stream["time_base"]?.stringValue == "1/\(rate)", (1...mostInFront).contains(words[1]),
            stream["start_pts"]?.integer(in: .places) == words[1],
            (1...FileLimits.maximumFrameCount).contains(words[3]),
            let last = packets.last, let place = last["pts"]?.integer(in: .places),
            let length = last["duration"]?.integer(in: .places),
            (1...mostInFront).contains(length)
        else { return nil }
        // The sound ends in the last packets.
        let surplus = place - words[1] - words[3]
        return (-length...mostInFront).contains(surplus) ? words[3] : nil
    }

    /// Numbers of frames in a packet: AAC in its variants, MP3 and ALAC.
    private static let packetFrameCounts: [Int64] = [480, 512, 960, 1024, 1152, 2048, 4096]
    /// Largest padding in front, in frames; Apple's AAC encoder adds 2112.
    private static let mostInFront: Int64 = 4096
}

extension FFmpegProbe.Chapter {
    fileprivate init?(_ json: JSONValue) {
        let unit =
            json["time_base"]?.stringValue?.split(separator: "/").compactMap {
                Int64(digits: $0, in: 1...1_000_000_000)
            } ?? []
        guard unit.count == 2, let start = json["start"]?.integer(in: .places),
            let end = json["end"]?.integer(in: .places)
        else { return nil }
        self.init(name: json["tags"]?["title"]?.stringValue ?? "", unit: (unit[0], unit[1]), start: start, end: end)
    }

    /// Returns the frame nearest to a time of this chapter; nil if the time is too late for any recording.
    func frame(_ time: Int64, sampleRate: Int) -> Int64? {
        let ticks = 2 * Int128(time) * Int128(unit.0) * Int128(sampleRate)
        return Int64(exactly: (ticks + Int128(unit.1)) / (2 * Int128(unit.1)))
    }
}

extension JSONValue {
    /// The value as a number; ffprobe writes numbers as numbers or as text.
    fileprivate var number: Int64? { integer(in: .places) ?? stringValue.flatMap { Int64(digits: $0, in: .places) } }

    /// Keys and texts of an object.
    fileprivate var texts: [(key: String, value: String)] {
        guard case .object(let fields) = self else { return [] }
        return fields.compactMap { field in field.value.stringValue.map { (field.key.lowercased(), $0) } }
    }
}
