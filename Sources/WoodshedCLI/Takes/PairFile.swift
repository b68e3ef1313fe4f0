// `woodshed takes export TAKE FILE --pair`: the model left, the take right.
import Explanations
import Glibc
import Terminal
import WoodshedPractice

/// A file with a take beside its model.
struct PairFile {
    let take: StoredTake
    let store: PracticeStore
    /// The recording, as named by the user; nil for the file known to the store.
    let recording: String?
    let matches: Bool
    let messages: MessageOptions

    /// Writes the file.
    ///
    /// - Returns: Success, or the status of a signal that came too late to cancel the file.
    /// - Throws: An error that names the missing part; no file is left then.
    func write(to path: String) throws -> ExitStatus {
        let signals = Signals.install()
        let format = try FileFormat(named: path)
        guard let model = take.model else {
            throw Self.noModel(take)
        }
        let file = try Self.recordingFile(of: model, in: store, named: recording)
        try OutputFile.refuseInputs([file, take.currentPath], outputs: [path])
        if isFile(path) { throw AudioFileError.creatingNew(path, errno: EEXIST) }
        let info = try AudioFileInfo(path: file)
        let key = try KeptRecording(info, file: file, store: store).recording.key
        let clip = try Clip(path: file, sampleRate: format.sampleRate(for: info.sampleRate))
        return try write(clip, key, to: path, format, signals)
    }

    private func write(
        _ clip: Clip, _ key: RecordingKey, to path: String, _ format: FileFormat, _ signals: Int32
    ) throws -> ExitStatus {
        let draws = TerminalTraits.current(plain: messages.plain).drawsStatus && !messages.quiet
        return try WatchedWriting.run(path, signals, draws: draws) { progress, isCancelled in
            try PairExport.write(
                take, in: clip, key: key, to: path, format: format, matches: matches, progress: progress,
                isCancelled: isCancelled)
        }.ending
    }

    /// Returns the refusal of a take without a model.
    static func noModel(
        _ take: StoredTake, remedy: String = "Play or export the take alone: leave out the option."
    ) -> CommandFailure {
        CommandFailure(.badData, "take \(take.number) was not recorded against a section", remedy: remedy)
    }

    /// Returns the file of the recording that a take was recorded against.
    ///
    /// - Parameters:
    ///   - name: The user's name for the file; nil for the file known to the store.
    ///   - remedy: Advice for naming the file.
    static func recordingFile(
        of model: StoredTake.Model, in store: PracticeStore, named name: String?,
        remedy: String =
            "Export the pair with the recording's file: woodshed takes export TAKE FILE --pair --model FILE"
    ) throws -> String {
        if let name { return name }
        guard let path = try store.recording(model.key)?.recording.path else {
            throw CommandFailure(.notFound, "the path of the take's recording is not known", remedy: remedy)
        }
        guard isFile(path) else {
            throw CommandFailure(.notFound, "\(path): the recording of this take is missing", remedy: remedy)
        }
        return path
    }
}
