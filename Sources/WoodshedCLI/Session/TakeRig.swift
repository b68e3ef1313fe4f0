// The device of a recorded session: output and input as one stream, and the known round trip.
import Explanations
import Files
import Glibc
import Terminal
import WoodshedPractice

/// Opens a device for playing and recording together, and makes the session's recorder.
final class TakeRig {
    private let options: RecordingOptions
    private let mode: TakeMode
    private let output: OutputDevice
    private let input: InputDevice
    private let request: (_ sampleRate: Int, _ channelCount: Int) throws -> StreamRequest
    private var linked: LinkedStreams?

    /// Messages before the session begins.
    private(set) var notes: [String] = []

    /// - Parameters:
    ///   - request: Makes the request for a rate and a channel count.
    /// - Throws: `DeviceError` or `CommandFailure` for an input name that is not usable.
    init?(
        _ options: RecordingOptions, _ device: DeviceOptions,
        request: @escaping (_ sampleRate: Int, _ channelCount: Int) throws -> StreamRequest
    ) throws {
        guard let mode = options.record?.mode else { return nil }
        (self.options, self.mode, self.request) = (options, mode, request)
        output = try device.outputDevice()
        if case .file = output, options.input == nil {
            throw CommandFailure(
                .usage, "an output file cannot be the input", remedy: "Name an input with: --input file:in.wav")
        }
        input = try InputDevice(parsing: options.input ?? device.output)
        // An error of the file is clearer as a file error than as a device error.
        if case .file(let path) = input { _ = try Clip(path: path) }
    }

    /// Opens the device for a rate and a channel count.
    func open(_ sampleRate: Int, _ channelCount: Int) throws -> Engine {
        let inputChannels = options.inputChannel?.deviceChannels ?? 2
        let linked = LinkedStreams(
            try openDuplex(
                output: output, input: input, inputChannelCount: inputChannels, try request(sampleRate, channelCount)))
        self.linked = linked
        return Engine(linked: linked)
    }

    /// Returns the recorder of a session on the opened device.
    ///
    /// - Parameter kept: The practised recording in the store; nil if it cannot be kept.
    func recorder(over listening: Listening, kept: KeptRecording?) throws -> (PracticeRecorder, LinkedStreams) {
        guard let linked else { throw CommandFailure(.software, "the device was not opened") }
        let configuration = linked.input.configuration
        var settings = PracticeRecorder.Settings(folder: try Self.folder(options))
        settings.mode = mode
        settings.name = fileStem(listening.title)
        settings.device = StableName.of(input.description)
        (settings.recording, settings.store) = (kept?.recording, kept?.store)
        settings.channels = try channels(configuration)
        place(&settings, linked.output.configuration)
        if options.monitor {
            let heard: [Int] =
                if case .chosen(let list) = settings.channels { list } else { Array(0..<configuration.channelCount) }
            linked.monitor(heard)
        }
        let recorder = PracticeRecorder(
            over: listening.session, engine: listening.engine, linked: linked, settings: settings)
        return (recorder, linked)
    }

    /// Returns the folder for takes. Creates the default folder if missing.
    private static func folder(_ options: RecordingOptions) throws -> String {
        let folder = try options.takeFolder ?? PracticeRecorder.makeUserFolder()
        var status = stat()
        guard unsafe stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw CommandFailure(
                .cannotCreate, "\(folder): there is no such folder for takes",
                remedy: "Make the folder, or name another folder.")
        }
        return folder
    }

    /// Returns the reason why takes have no folder; nil for a usable folder.
    static func failure(ofFolder options: RecordingOptions) -> (any ExplainedError)? {
        do {
            _ = try folder(options)
            return nil
        } catch {
            return error as? any ExplainedError
        }
    }

    /// Returns the channels to record: the chosen channels; otherwise all channels of an input with one or two, and the
    /// first of a larger input.
    private func channels(_ input: StreamConfiguration) throws -> InputChannels {
        let count = input.channelCount
        guard let chosen = options.inputChannel else {
            guard count > 2 else { return .all }
            notes.append("the input has \(count) channels; the first is recorded, others with --input-channel")
            return .chosen([0])
        }
        try chosen.check(count, of: self.input.description)
        return .chosen(chosen.channels)
    }

    /// Sets the latency of recorded sound beyond the drivers' reports.
    private func place(_ settings: inout PracticeRecorder.Settings, _ device: StreamConfiguration) {
        if let offset = options.takeOffset {
            settings.addedFrames = offset.milliseconds * Double(device.sampleRate) / 1000
            settings.alignment = .manual
            return
        }
        guard case .system = output else { return }
        let setup = RoundTrip.Setup(
            output: output, input: input, sampleRate: device.sampleRate, periodFrames: device.periodFrames)
        if let trip = try? CalibrationStore().roundTrip(for: setup) {
            (settings.addedFrames, settings.alignment) = (trip.addedFrames, .measured)
            return
        }
        let names =
            "--output \(shellWord(output.description))"
            + (input.description == output.description ? "" : " --input \(shellWord(input.description))")
        notes.append("takes are placed by the delay that the drivers report, without converters and cables;")
        notes.append("better: connect the output to the input, and run woodshed calibrate \(names)")
    }
}
