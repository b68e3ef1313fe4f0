// The facts that `ffprobe` reads from a file: its first audio stream, chapters and tags, in one run.
internal import Files
internal import JSON

/// The facts that a file contains about itself, read by `ffprobe`; none of them is proved by decoding.
struct FFmpegProbe {
    /// The codec of the first audio stream.
    let codec: String
    let sampleRate: Int
    let channelCount: Int
    /// Its length in frames if the file gives it exactly: its unit of time is a frame, its index lists a whole number of equal
    /// packets, and the last of them is in the file. The padding that an encoder adds in front and at the end is already
    /// removed by an edit list.
    let exactFrameCount: Int64?
    /// The encoder's padding in front, in frames, which is decoded if the edit list is ignored; nil if that does not make the
    /// length more exact. The edit list of an MP4 file has lengths in its own unit, often a millisecond; the packets have
    /// lengths in frames.
    let framesInFront: Int64?
    /// Bits per second of the stream, or else of the whole file.
    let bitRate: Int?
    /// Keys in lower case, and values; those of the file come before those of the stream.
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
    ///   - container: The name as in `AudioFileInfo`, if the exact length in frames is needed.
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

    /// The most bytes of output that are kept.
    private static let textLimit = 16 << 20

    /// The output of `ffprobe` about a file and its last packets.
    private static func ask(
        _ questions: [String], of file: OpenedFile, _ tools: FFmpegTools, _ isWanted: () -> Bool
    ) throws(AudioFileError) -> (JSONValue?, ChildResult) {
        // Only the last packets, because the interval begins after any end.
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

    /// The length according to the packets, if it differs from the length according to the edit list by no more than one unit of
    /// that list, which may be rounded up or down; otherwise nil.
    ///
    /// - Parameters:
    ///   - told: The length according to the edit list.
    ///   - place: The position of the last packet according to the edit list.
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

    /// Units per second of the coarsest clock in use for edit lists, QuickTime's.
    private static let coarsestUnit: Int64 = 600

    private static func exactFrameCount(_ stream: JSONValue, rate: Int64, packets: [JSONValue]) -> Int64? {
        guard stream["time_base"]?.stringValue == "1/\(rate)", stream["start_pts"]?.integer(in: .places) == 0,
            let told = stream["duration_ts"]?.integer(in: .places), (1...FileLimits.maximumFrameCount).contains(told),
            let count = stream["nb_frames"]?.number, (1...told).contains(count), let last = packets.last,
            let place = last["pts"]?.integer(in: .places), let length = last["duration"]?.integer(in: .places),
            place + length == told
        else { return nil }
        // All packets except the last have the same length, and the first ones hold the encoder's padding.
        let isWhole = packetFrameCounts.contains { frames in
            (1...frames).contains(length) && (0...mostInFront).contains((count - 1) * frames - place)
        }
        return isWhole ? told : nil
    }

    /// The length in a note of iTunes, which older files have instead of an edit list: padding in front, padding at the end, and frames
    /// between them, in hexadecimal digits. ffmpeg leaves out the padding in front, and not the one at the end.
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

    /// Frames in a packet: AAC in its variants, MP3 and ALAC.
    private static let packetFrameCounts: [Int64] = [480, 512, 960, 1024, 1152, 2048, 4096]
    /// The most frames of padding that encoders put in front; Apple's AAC encoder adds 2112.
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

    /// The frame nearest to a time of this chapter; nil if it is too late for any recording.
    func frame(_ time: Int64, sampleRate: Int) -> Int64? {
        let ticks = 2 * Int128(time) * Int128(unit.0) * Int128(sampleRate)
        return Int64(exactly: (ticks + Int128(unit.1)) / (2 * Int128(unit.1)))
    }
}

extension JSONValue {
    /// A number, which ffprobe writes as a number or as text.
    fileprivate var number: Int64? { integer(in: .places) ?? stringValue.flatMap { Int64(digits: $0, in: .places) } }

    /// The keys and texts of an object.
    fileprivate var texts: [(key: String, value: String)] {
        guard case .object(let fields) = self else { return [] }
        return fields.compactMap { field in field.value.stringValue.map { (field.key.lowercased(), $0) } }
    }
}
