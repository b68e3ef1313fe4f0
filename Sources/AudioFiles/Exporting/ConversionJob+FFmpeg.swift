internal import Glibc

extension ConversionJob {
    /// Has the file made by an `ffmpeg` process, which cannot take this one along when it fails. It is ended when it takes longer than
    /// its limits, and when nobody wants the result any more. Returns how many chapters there are.
    func runFFmpeg(_ tools: FFmpegTools) throws(AudioFileError) -> Int {
        let info = decoder.info
        if info.channelCount > 8 {
            throw AudioFileError(
                .unsupported, path: output.path, "\(output.path): AAC has at most 8 channels, not \(info.channelCount)",
                remedy: "Choose wav or caf, which hold 64.")
        }
        let list = marks.isEmpty ? nil : output.writtenPath + ".chapters"
        if let list { try write(Self.chapterList(marks, info), to: list) }
        defer { if let list { unsafe unlink(list) } }
        // "file:" keeps a name from being an option or a protocol.
        let source = ["-protocol_whitelist", "file,pipe", "-i", "file:\(info.path)"]
        let chapters =
            list.map { ["-f", "ffmetadata", "-i", "file:\($0)", "-map_metadata", "1", "-map_chapters", "1"] } ?? []
        let arguments =
            [tools.ffmpeg, "-nostdin", "-v", "error", "-y", "-progress", "pipe:1"] + source + chapters
            + ["-map", "0:a:0", "-c:a", "aac", "-b:a", "\(96 * info.channelCount)k", "-ar", "\(sampleRate)"]
            + ["-f", "ipod", "file:\(output.writtenPath)"]
        try unsafe run(arguments, tools) { bytes throws(AudioFileError) in
            if let seconds = unsafe Self.seconds(in: bytes) { progress(min(0.9, seconds / info.seconds)) }
        }
        return marks.count
    }

    /// Decodes what was made, whole, and counts: an hour of it would fill a disk, so nothing is kept. Returns its frames.
    func countByFFmpeg(_ tools: FFmpegTools) throws(AudioFileError) -> Int64 {
        let source = ["-protocol_whitelist", "file,pipe", "-i", "file:\(output.writtenPath)"]
        var byteCount: Int64 = 0
        try unsafe run([tools.ffmpeg, "-nostdin", "-v", "error"] + source + ["-f", "s16le", "pipe:1"], tools) {
            bytes throws(AudioFileError) in
            byteCount += Int64(bytes.count)
        }
        return byteCount / Int64(2 * decoder.info.channelCount)
    }

    private func run(
        _ arguments: [String], _ tools: FFmpegTools, _ take: (UnsafeRawBufferPointer) throws(AudioFileError) -> Void
    ) throws(AudioFileError) {
        var limits = tools.limits
        limits.totalSeconds += decoder.info.seconds / 4
        do throws(ChildFailure) {
            var child = try ChildProcess(arguments)
            let result = try unsafe child.finish(limits) { bytes throws(AudioFileError) in
                try checkWanted()
                try unsafe take(bytes)
            }
            if result.exitCode != 0 { throw .refused(.failedProgram(output.path, result.lastErrorLine)) }
        } catch {
            switch error {
            case .cannotStart: throw .helperMissing(output.path, tools.ffmpeg)
            case .timeout:
                throw AudioFileError(
                    .limitExceeded, path: output.path,
                    "\(output.path): ffmpeg did not make it within \(Int(limits.totalSeconds)) seconds",
                    remedy: "Try again when the machine is less busy, or choose flac.")
            case .refused(let reason): throw reason
            }
        }
    }

    /// The last time that a piece of `ffmpeg -progress` tells, in seconds.
    private static func seconds(in bytes: UnsafeRawBufferPointer) -> Double? {
        let lines = unsafe String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        let key = "out_time_us="
        return lines.last { $0.hasPrefix(key) }.flatMap { Double($0.dropFirst(key.count)) }.map { $0 / 1e6 }
    }

    /// The marks as ffmpeg reads them (its documentation, "Metadata").
    private static func chapterList(_ marks: [TakeMark], _ info: AudioFileInfo) -> String {
        var text = ";FFMETADATA1\n"
        for (index, mark) in marks.enumerated() {
            let end = index + 1 < marks.count ? marks[index + 1].frame : info.frameCount
            var title = mark.name.map { "=;#\\\n".contains($0) ? "\\\($0)" : String($0) }.joined()
            // It would take the backslash of a pair at the end of a line for one that continues the line.
            if title.hasSuffix("\\") { title += " " }
            text += "[CHAPTER]\nTIMEBASE=1/\(info.sampleRate)\nSTART=\(mark.frame)\nEND=\(end)\ntitle=\(title)\n"
        }
        return text
    }

    private func write(_ text: String, to path: String) throws(AudioFileError) {
        guard let file = unsafe fopen(path, "wxe") else { throw .writing(path, errno: errno, creating: true) }
        let isWritten = unsafe fputs(text, file) >= 0
        let isClosed = unsafe fclose(file) == 0
        if !isWritten || !isClosed {
            let code = errno
            unsafe unlink(path)
            throw .writing(path, errno: code, creating: false)
        }
    }
}

extension AudioFileError {
    fileprivate static func failedProgram(_ path: String, _ line: String) -> AudioFileError {
        // It has no other way to say so.
        if line.contains("No space left on device") { return .writing(path, errno: ENOSPC, creating: false) }
        return AudioFileError(
            .unsupported, path: path, "\(path): ffmpeg could not make it (\(line))",
            remedy: "Choose another format, such as flac.")
    }
}
