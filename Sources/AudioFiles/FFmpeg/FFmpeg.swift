// Runs `ffmpeg` and `ffprobe`. They get each file as an open descriptor, so a file that replaces it under its name has no
// effect. Their exit status shows whether the output is complete.
package import Files
internal import Glibc

/// The programs and limits for decoding by ffmpeg; tests use others.
package struct FFmpegTools: Sendable {
    package var ffmpeg: String
    package var ffprobe: String
    package var limits: ChildLimits

    package init(ffmpeg: String = "ffmpeg", ffprobe: String = "ffprobe", limits: ChildLimits = ChildLimits()) {
        (self.ffmpeg, self.ffprobe, self.limits) = (ffmpeg, ffprobe, limits)
    }

    /// Arguments that make the program read the file that it gets as its descriptor number `index`.
    ///
    /// "file:" prevents the name from being taken for a protocol; the white list prevents a file from referring to others on
    /// the network.
    package static func input(_ index: Int = 0) -> [String] {
        ["-protocol_whitelist", "file,pipe", "-i", "file:\(ChildProcess.path(ofDescriptor: index))"]
    }

    /// Runs one of the programs, and passes its standard output on.
    ///
    /// - Parameters:
    ///   - path: The file that is read, for messages.
    ///   - descriptors: Descriptors that the program gets.
    ///   - isWanted: Called at least every 100 ms; if it returns false, `.cancelled` is thrown.
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

/// ffmpeg's report of its progress, for when its exit code is not available.
struct FFmpegReport: ~Copyable {
    let descriptor: Int32

    init(for path: String) throws(AudioFileError) {
        do throws(FileFault) { descriptor = try UnnamedFile.inMemory() } catch {
            throw .reading(path, errno: error.code)
        }
    }

    deinit { close(descriptor) }

    /// Arguments that make ffmpeg write the report to its descriptor number `index`, rarely.
    func arguments(_ index: Int) -> [String] {
        ["-stats_period", "60", "-progress", "file:\(ChildProcess.path(ofDescriptor: index))"]
    }

    /// Whether its last line is the one that ffmpeg writes when it finishes its work.
    var tellsOfEnd: Bool {
        let last = Int64(lseek(descriptor, 0, SEEK_END)) - 64
        let text = (try? FileBytes.bytes(of: descriptor, at: max(0, last), count: 64)) ?? []
        return String(decoding: text, as: UTF8.self).hasSuffix("progress=end\n")
    }
}

extension ChildResult {
    /// Why the decoded audio may be incomplete, in plain words; nil if it is complete.
    ///
    /// ffmpeg's exit code decides. If that is not available, its report decides, which has a last line only if ffmpeg finished
    /// its work.
    ///
    /// - Throws: An error if a signal ended it: then the output is incomplete by an unknown amount.
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
