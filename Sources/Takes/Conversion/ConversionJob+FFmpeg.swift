internal import AudioFiles
internal import Files
internal import Glibc
internal import JSON

extension ConversionJob {
    /// Converts with an `ffmpeg` process. A crash of ffmpeg does not affect this process. The function ends ffmpeg if
    /// ffmpeg exceeds its limits, or if the caller cancels the conversion. Returns the number of chapters.
    func runFFmpeg(_ tools: FFmpegTools) throws(AudioFileError) -> Int {
        let info = decoder.info
        if info.channelCount > 8 {
            throw AudioFileError(
                .unsupported, path: output.path, "\(output.path): AAC has at most 8 channels, not \(info.channelCount)",
                remedy: "Choose wav or caf, which hold 64.")
        }
        var descriptors = [source.descriptor, try output.duplicate()]
        defer { for descriptor in descriptors.dropFirst() { close(descriptor) } }
        var chapters: [String] = []
        if !marks.isEmpty {
            do throws(FileFault) {
                descriptors.append(try UnnamedFile.inMemory(Array(Self.chapterList(marks, info).utf8)))
            } catch {
                throw .writing(output.path, errno: error.code, creating: false)
            }
            chapters = ["-f", "ffmetadata"] + FFmpegTools.input(2) + ["-map_metadata", "1", "-map_chapters", "1"]
        }
        let arguments =
            [tools.ffmpeg, "-nostdin", "-v", "error", "-y", "-progress", "pipe:1"] + FFmpegTools.input() + chapters
            + ["-map", "0:a:0", "-c:a", "aac", "-b:a", "\(96 * info.channelCount)k", "-ar", "\(sampleRate)"]
            + ["-f", "ipod", "file:\(ChildProcess.path(ofDescriptor: 1))"]
        try unsafe run(arguments, tools, descriptors) { bytes in
            if let seconds = unsafe Self.seconds(in: bytes) { progress(min(0.9, seconds / info.seconds)) }
        }
        return marks.count
    }

    /// Decodes the whole result and counts its frames. Nothing is stored, because an hour would fill a disk.
    func countByFFmpeg(_ tools: FFmpegTools) throws(AudioFileError) -> Int64 {
        let descriptor = try output.duplicate()
        defer { close(descriptor) }
        var byteCount: Int64 = 0
        let arguments = [tools.ffmpeg, "-nostdin", "-v", "error"] + FFmpegTools.input() + ["-f", "s16le", "pipe:1"]
        try unsafe run(arguments, tools, [descriptor]) { bytes in byteCount += Int64(bytes.count) }
        return byteCount / Int64(2 * decoder.info.channelCount)
    }

    /// Runs ffmpeg, which must succeed. If its exit status is unknown, the length of the result decides.
    private func run(
        _ arguments: [String], _ tools: FFmpegTools, _ descriptors: [Int32], _ take: (UnsafeRawBufferPointer) -> Void
    ) throws(AudioFileError) {
        var tools = tools
        tools.limits.totalSeconds += decoder.info.seconds / 4
        let result: ChildResult
        do throws(AudioFileError) {
            result = try unsafe tools.run(arguments, for: output.path, descriptors, isWanted: { !isCancelled() }) {
                bytes in
                unsafe take(bytes)
            }
        } catch {
            switch error.kind {
            case .cancelled: throw .givenUp(output.path, source: info.path)
            case .limitExceeded:
                throw AudioFileError(
                    .limitExceeded, path: output.path,
                    "\(output.path): ffmpeg did not finish the file within \(Int(tools.limits.totalSeconds)) seconds",
                    remedy: "Try again when the machine is less busy, or choose flac.")
            default: throw error
            }
        }
        switch result.end {
        case .exited(0), .unknown: break
        case .exited: throw .failedProgram(output.path, result.lastErrorLine)
        case .killed(let number): throw .failedProgram(output.path, "ended by signal \(number)")
        }
    }

    /// Returns the last time in a piece of the output of `ffmpeg -progress`, in seconds.
    private static func seconds(in bytes: UnsafeRawBufferPointer) -> Double? {
        let lines = unsafe String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        let key = "out_time_us="
        return lines.last { $0.hasPrefix(key) }.flatMap { Double(decimal: $0.dropFirst(key.count), in: 0...1e15) }.map {
            $0 / 1e6
        }
    }

    private static let escaped = Array("=;#\\\n\r".utf8)

    /// Returns the marks in ffmpeg's format (its documentation, "Metadata").
    private static func chapterList(_ marks: [TakeMark], _ info: AudioFileInfo) -> String {
        var text = ";FFMETADATA1\n"
        for (index, mark) in marks.enumerated() {
            let end = index + 1 < marks.count ? marks[index + 1].frame : info.frameCount
            // Escape by bytes: as a character, "\r\n" would match none of the escaped characters.
            var title = String(
                decoding: mark.name.utf8.flatMap { Self.escaped.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] },
                as: UTF8.self)
            // A backslash at the end of a line, even of an escaped pair, would continue the line.
            if title.hasSuffix("\\") { title += " " }
            text += "[CHAPTER]\nTIMEBASE=1/\(info.sampleRate)\nSTART=\(mark.frame)\nEND=\(end)\ntitle=\(title)\n"
        }
        return text
    }
}

extension AudioFileError {
    fileprivate static func failedProgram(_ path: String, _ line: String) -> AudioFileError {
        // ffmpeg reports a full disk only in its error output.
        if line.contains("No space left on device") { return .writing(path, errno: ENOSPC, creating: false) }
        return AudioFileError(
            .unsupported, path: path, "\(path): ffmpeg could not write the file (\(line))",
            remedy: "Choose another format, such as flac.")
    }
}
