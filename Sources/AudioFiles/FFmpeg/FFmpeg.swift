// How this module runs `ffmpeg` and `ffprobe`: each file by its open descriptor, so that nothing depends on what a name stands for by
// then; and what their end says about what they have delivered.
package import Files
internal import Glibc

/// The programs and limits of a decoding by ffmpeg; others in tests.
package struct FFmpegTools: Sendable {
    package var ffmpeg: String
    package var ffprobe: String
    package var limits: ChildLimits

    package init(ffmpeg: String = "ffmpeg", ffprobe: String = "ffprobe", limits: ChildLimits = ChildLimits()) {
        (self.ffmpeg, self.ffprobe, self.limits) = (ffmpeg, ffprobe, limits)
    }

    /// Arguments to read the file that the program is given as its `index`-th descriptor.
    ///
    /// "file:" keeps the name from being a protocol; the white list keeps a file from naming others on the net.
    package static func input(_ index: Int = 0) -> [String] {
        ["-protocol_whitelist", "file,pipe", "-i", "file:\(ChildProcess.path(ofDescriptor: index))"]
    }

    /// Runs one of the programs, and hands over what it writes to its standard output.
    ///
    /// - Parameters:
    ///   - path: The file it is about, for messages.
    ///   - descriptors: Files that the program is given.
    ///   - isWanted: Asked at least every 100 ms; `.cancelled` is thrown when it says no.
    package func run(
        _ arguments: [String], for path: String, _ descriptors: [Int32], isWanted: () -> Bool = { true },
        _ take: (UnsafeRawBufferPointer) throws(AudioFileError) -> Void
    ) throws(AudioFileError) -> ChildResult {
        var refusal: AudioFileError?
        do throws(ChildFailure) {
            var child = try ChildProcess(arguments, descriptors: descriptors)
            return try unsafe child.finish(limits, isWanted: isWanted) { bytes in
                do throws(AudioFileError) { try unsafe take(bytes) } catch { refusal = error }
                return refusal == nil
            }
        } catch {
            if let refusal { throw refusal }
            switch error {
            case .cannotStart: throw .helperMissing(path, arguments[0])
            case .timeout: throw .tooSlow(path, limits)
            case .stopped: throw .closed(path)
            }
        }
    }
}

/// Where ffmpeg tells how far it is, for those to whom its exit code is not told.
struct FFmpegReport: ~Copyable {
    let descriptor: Int32

    init(for path: String) throws(AudioFileError) {
        do throws(FileFault) { descriptor = try UnnamedFile.inMemory() } catch {
            throw .reading(path, errno: error.code)
        }
    }

    deinit { close(descriptor) }

    /// Arguments to write it to the program's `index`-th descriptor, seldom.
    func arguments(_ index: Int) -> [String] {
        ["-stats_period", "60", "-progress", "file:\(ChildProcess.path(ofDescriptor: index))"]
    }

    /// Whether it ends as that of a program which came to the end of its work.
    var tellsOfEnd: Bool {
        let last = Int64(lseek(descriptor, 0, SEEK_END)) - 64
        let text = (try? FileBytes.bytes(of: descriptor, at: max(0, last), count: 64)) ?? []
        return String(decoding: text, as: UTF8.self).hasSuffix("progress=end\n")
    }
}

extension ChildResult {
    /// Why the sound of a file that was decoded by ffmpeg may not be all of it, in plain words; nil when it is whole.
    ///
    /// Its exit code decides. Where that was not told to us, a report decides, which it ends when it comes to the end of its work.
    ///
    /// - Throws: That it was ended by a signal: what it has delivered is a part, and nobody knows of what.
    func shortfall(_ path: String, decodedSeconds: Double, tellsOfEnd: Bool) throws(AudioFileError) -> String? {
        switch end {
        case .exited(0): return nil
        case .exited(let code):
            return lastErrorLine.isEmpty ? "ffmpeg ended with exit code \(code)" : lastErrorLine
        case .unknown: return tellsOfEnd ? nil : "ffmpeg ended before it was done"
        case .killed(let number): throw .decoderKilled(path, signal: number, decodedSeconds: decodedSeconds)
        }
    }
}

extension AudioFileError {
    static func decoderKilled(_ path: String, signal number: Int32, decodedSeconds: Double) -> AudioFileError {
        let tenths = Int64(decodedSeconds * 10)
        return AudioFileError(
            .io, path: path,
            "\(path): ffmpeg was ended by signal \(number) after it had decoded \(tenths / 10).\(tenths % 10) s",
            remedy: "Try again. If it happens again, close other programs to free memory, or convert the file to FLAC.")
    }

    static func helperMissing(_ path: String, _ program: String) -> AudioFileError {
        AudioFileError(
            .helperMissing, path: path,
            "\(path): this kind of file needs the program \(program), which cannot be started",
            remedy: "Install it with: sudo apt-get install ffmpeg")
    }

    static func tooSlow(_ path: String, _ limits: ChildLimits) -> AudioFileError {
        AudioFileError(
            .limitExceeded, path: path, "\(path): ffmpeg did not decode it within \(Int(limits.totalSeconds)) seconds",
            remedy: "Convert it to FLAC first: ffmpeg -i IN OUT.flac.")
    }

    static func noAudioStream(_ path: String) -> AudioFileError {
        AudioFileError(
            .notAudio, path: path, "\(path): there is no sound in this file",
            remedy: "Give a file that has a sound track.")
    }

    static func broken(_ path: String, _ reason: String) -> AudioFileError {
        AudioFileError(
            .broken, path: path, "\(path): this file is damaged or of an unknown kind (\(reason))",
            remedy: "Copy it again, or convert it with a program that can open it.")
    }
}
