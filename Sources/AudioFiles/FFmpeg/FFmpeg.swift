// Runs `ffmpeg` and `ffprobe`. Each program gets its file as an open descriptor, so replacing the file under its name
// has no effect. The exit status shows whether the output is complete.
internal import Explanations
package import Files
internal import Glibc

/// Programs and limits for decoding by ffmpeg; tests use others.
package struct FFmpegTools: Sendable {
    package var ffmpeg: String
    package var ffprobe: String
    package var limits: ChildLimits

    package init(ffmpeg: String = "ffmpeg", ffprobe: String = "ffprobe", limits: ChildLimits = ChildLimits()) {
        (self.ffmpeg, self.ffprobe, self.limits) = (ffmpeg, ffprobe, limits)
    }

    /// Returns the arguments for reading the file at the program's descriptor number `index`.
    ///
    /// "file:" prevents ffmpeg from reading the name as a protocol. The white list prevents a file from referring to
    /// the network.
    package static func input(_ index: Int = 0) -> [String] {
        ["-protocol_whitelist", "file,pipe", "-i", "file:\(ChildProcess.path(ofDescriptor: index))"]
    }

    /// Runs a program, and passes its standard output on.
    ///
    /// - Parameters:
    ///   - path: Path of the input file, for messages.
    ///   - descriptors: Descriptors passed to the program.
    ///   - isWanted: Called at least every 100 ms. If it returns false, the function throws `.cancelled`.
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
            case .cannotStart(let code):
                if let limit = SystemLimit(startErrno: code) { throw .exhausted(path, limit) }
                throw .helperMissing(path, arguments[0])
            case .timeout: throw .tooSlow(path, limits)
            case .stopped: throw .closed(path)
            }
        }
    }
}

/// ffmpeg's progress report, used if its exit code is unavailable.
struct FFmpegReport: ~Copyable {
    let descriptor: Int32

    init(for path: String) throws(AudioFileError) {
        do throws(FileFault) { descriptor = try UnnamedFile.inMemory() } catch {
            throw .reading(path, errno: error.code)
        }
    }

    deinit { close(descriptor) }

    /// Returns the arguments for writing the report, rarely, to ffmpeg's descriptor number `index`.
    func arguments(_ index: Int) -> [String] {
        ["-stats_period", "60", "-progress", "file:\(ChildProcess.path(ofDescriptor: index))"]
    }

    /// True if the last line of the report is the final line of a finished ffmpeg.
    var tellsOfEnd: Bool {
        let last = Int64(lseek(descriptor, 0, SEEK_END)) - 64
        let text = (try? FileBytes.bytes(of: descriptor, at: max(0, last), count: 64)) ?? []
        return String(decoding: text, as: UTF8.self).hasSuffix("progress=end\n")
    }
}

extension ChildResult {
    /// Returns the reason why the decoded audio may be incomplete, in plain words; nil if complete.
    ///
    /// ffmpeg's exit code decides. If the code is unavailable, the report decides: a finished ffmpeg writes a final
    /// line.
    ///
    /// - Throws: An error if a signal ended ffmpeg. The output is then incomplete by an unknown amount.
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
            remedy:
                "Try again. If ffmpeg is ended again, close other programs to free memory, or convert the file to FLAC."
        )
    }

    static func helperMissing(_ path: String, _ program: String) -> AudioFileError {
        AudioFileError(
            .helperMissing, path: path,
            "\(path): this kind of file needs the program \(program), which cannot be started",
            remedy: "Install it with: sudo apt-get install ffmpeg")
    }

    static func tooSlow(_ path: String, _ limits: ChildLimits) -> AudioFileError {
        AudioFileError(
            .limitExceeded, path: path,
            "\(path): ffmpeg did not decode the file within \(Int(limits.totalSeconds)) seconds",
            remedy: "Convert the file to FLAC first: ffmpeg -i \(shellInput(path)) OUT.flac")
    }

    static func noAudioStream(_ path: String) -> AudioFileError {
        AudioFileError(
            .notAudio, path: path, "\(path): there is no sound in this file",
            remedy: "Give a file that has a sound track.")
    }

    static func broken(_ path: String, _ reason: String) -> AudioFileError {
        AudioFileError(
            .broken, path: path, "\(path): this file is damaged or of an unknown kind (\(reason))",
            remedy: "Copy the file again, or convert the file to FLAC or WAV with another program.")
    }
}
