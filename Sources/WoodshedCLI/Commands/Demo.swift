// `woodshed demo`: demonstrates the program in half a minute, without any file.
import ArgumentParser
import Terminal
import Woodshed

struct Demo: Verb {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Play a demonstration: three passages, each at 60, 80 and 100 %.",
        discussion: """
            EXAMPLES
              woodshed demo
              woodshed demo --out demo.wav

            The demo makes its own music and needs no file. Without a sound device, it writes a new file, \
            woodshed-demo.wav, as fast as possible. An existing file is replaced only if --out names the file.
            """)

    @Option(name: .long, help: .init("Write the demo to this file; play nothing.", valueName: "file"))
    var out: String?

    @OptionGroup var device: DeviceOptions
    @OptionGroup var messages: MessageOptions

    /// The three speeds, as a ramp.
    private static let speeds = (from: 0.6, to: 1.0, step: 0.2)
    private static let passes = 3
    private static let sampleRate = 48_000

    func perform() throws {
        let signals = Signals.install()
        say("Three passages, each at 60, 80 and 100 % of their speed: strings, a band, a voice. The pitch stays.")
        if let out {
            var silent = messages
            (silent.quiet, silent.json) = (true, false)
            try write(to: out, signals: signals, messages: silent)
        } else if let engine = try openDevice() {
            if RawMode.isPossible {
                say("Keys: space pauses, n is the next passage, [ and ] change the speed, q ends.")
            }
            try end(try play(engine, messages: messages, signals: signals))
        } else {
            let path = freeStem("woodshed-demo", endings: ["wav"]) + ".wav"
            say("There is no sound device, so the demo is written to \(path).")
            try write(to: path, signals: signals, messages: messages)
        }
        say("Next: woodshed practice YOUR-FILE --section 0:10-0:20 -n 5 --speed 70%")
        say("All options: woodshed help practice")
    }

    /// Opens the requested device; nil if there is no device.
    private func openDevice() throws(DeviceError) -> Engine? {
        let output = try device.outputDevice()
        do {
            return try Engine(output: output, request: try device.request(sampleRate: Self.sampleRate, channelCount: 2))
        } catch {
            if error.kind == .noDevice { return nil }
            throw error
        }
    }

    private func end(_ status: ExitStatus) throws(CommandFailure) {
        guard status == .success else { throw CommandFailure(status) }
    }

    private func write(to path: String, signals: Int32, messages: MessageOptions) throws {
        let format = try FileFormat(named: path)
        let target = try OutputFile(path)
        try target.whole {
            let engine = try target.opening { try Self.open(.file(path: target.temporaryPath), format) }
            return try play(engine, messages: messages, signals: signals)
        }
        say("Listen to it with any player: \(path)")
    }

    /// Opens an engine with the virtual clock.
    private static func open(_ output: OutputDevice, _ format: FileFormat? = nil) throws(DeviceError) -> Engine {
        try Engine(
            output: output,
            request: try StreamRequest(
                sampleRate: sampleRate, channelCount: 2, periodFrames: 4096, clock: .virtual, fileFormat: format,
                realtimePriority: nil))
    }

    private func play(_ engine: Engine, messages: MessageOptions, signals: Int32) throws -> ExitStatus {
        let recording = DemoRecording(sampleRate: engine.configuration.sampleRate)
        let plan = PracticePlan(
            sections: try recording.sections.map { try Section($0.range, name: $0.name) }, passes: .count(Self.passes),
            speeds: .ramp(
                from: try Speed(factor: Self.speeds.from), to: try Speed(factor: Self.speeds.to),
                step: Self.speeds.step))
        let clip = try Clip.inMemory(recording.channels, sampleRate: recording.sampleRate)
        let listening = try Listening(clip: clip, title: "demo", engine: engine, plan: plan)
        return try Session(listening, in: Run(messages: messages, signals: signals)).play()
    }

    private func say(_ text: String) {
        if !messages.quiet { StandardStream.error.note(text) }
    }
}
