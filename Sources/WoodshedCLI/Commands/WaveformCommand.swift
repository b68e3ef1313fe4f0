// `woodshed waveform`: draws a recording, in the terminal or into a file.
import ArgumentParser
import Drawing
import Glibc
import JSON
import Woodshed

struct WaveformCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "waveform",
        abstract: "Draw a recording's waveform; the colour shows the pitch.",
        discussion: """
            EXAMPLES
              woodshed waveform song.flac
              woodshed waveform song.flac --from 1:20 --to 1:45 --height 16 --db
              woodshed waveform song.flac -o song.png --width 1600 --height 500
              woodshed waveform song.flac -o song.svg --spectrogram --theme dark
              woodshed waveform song.flac -o song.dat --samples-per-pixel 256 --bits 8
              woodshed waveform song.flac --json --width 1000 > columns.json

            The strong part is the level (RMS); the faint part reaches up to the peaks.
            Orange is low sound, green is middle, violet is high. Red, or ! without colour,
            marks full scale. With -o the name of the file sets its format: .png, .svg, or
            .dat and .json in the form of audiowaveform.
            """)

    @Argument(help: "A recording.", completion: .file())
    var file: String

    @Option(
        name: [.customShort("o"), .customLong("out")],
        help: .init("A file to write: .png, .svg, .dat or .json.", valueName: "out"))
    var out: String?

    @OptionGroup var view: WaveViewOptions
    @OptionGroup var picture: WavePictureOptions
    @OptionGroup var peaks: PeakOptions

    @Flag(name: .long, help: "Write the columns as JSON to standard output.")
    var json = false

    @Flag(name: .long, help: "Use no colour and no status lines.")
    var plain = false

    @Flag(name: .customLong("no-cache"), help: "Neither read nor write the cache of waveforms.")
    var ignoresCache = false

    mutating func validate() throws {
        if let out, WaveformTarget(out) == nil {
            throw ValidationError("-o takes a name that ends in .png, .svg, .dat or .json.")
        }
        if out != nil && json { throw ValidationError("--json writes to standard output; with -o leave it out.") }
        let target = out.flatMap(WaveformTarget.init)
        try view.validate(for: target)
        try picture.validate(for: target)
        try peaks.validate(for: target)
    }

    mutating func perform() throws {
        file = try RecordingWord.file(file)
        _ = Signals.install()
        switch out.flatMap(WaveformTarget.init) {
        case .peaks(let form)?: try writePeaks(as: form)
        case .picture(let format)?: try writePicture(as: format)
        case nil: try show()
        }
    }

    private var draws: Bool { TerminalTraits.current(plain: plain).drawsStatus }

    /// The recording's waveform from the cache, or the file opened to make it.
    private func opened() throws -> WaveformSupply {
        try WaveformSupply(path: file, usesCache: !ignoresCache)
    }

    // MARK: In the terminal

    private func show() throws {
        let supply = try opened()
        let choice = try view.choice(for: supply.facts)
        let sections = view.sections(of: supply.facts)
        let layout = view.layout(
            channels: choice == .each ? supply.facts.channelCount : 1,
            sectionLines: SectionBands.lineCount(supply.facts.bands(sections)), plain: plain)
        let names = choice.names(channelCount: supply.facts.channelCount)
        let count = json ? layout.width : layout.columnCount(names: names)
        let frames = try view.frames(of: supply.facts, columns: count)
        let scene = WaveformScene(
            facts: supply.facts, waveform: try supply.waveform(draws: draws), frames: frames, choice: choice,
            sections: sections)
        if json {
            try StandardStream.output.line(try scene.json(columns: count).text)
        } else {
            let channels = zip(names, try scene.columns(count)).map { WaveView.Channel(name: $0, columns: $1) }
            let view = WaveView(
                title: scene.title, start: scene.start, length: scene.length, channels: channels, sections: scene.bands)
            try StandardStream.output.write(layout.lines(view).map { $0 + "\n" }.joined())
        }
        // After the picture is shown, so that the user does not wait for the cache.
        supply.keep()
    }

    // MARK: In files

    private func writePicture(as format: WaveformTarget.Image) throws {
        let target = out ?? ""
        try OutputFile.refuseInput(file, output: target)
        try OutputFile.check(target)
        // Reported before an hour of audio is read for nothing.
        try PictureLibraries.load()
        let supply = try opened()
        let choice = try view.choice(for: supply.facts)
        let frames = try view.frames(of: supply.facts, columns: picture.width(view.width))
        let drawing = WaveformDrawingJob(
            supply: supply, frames: frames, choice: choice, options: picture, view: view, draws: draws)
        try drawing.write(to: target, as: format)
        supply.keep()
    }

    private func writePeaks(as form: WaveformTarget.Peaks) throws {
        let target = out ?? ""
        try OutputFile.refuseInput(file, output: target)
        try OutputFile.check(target)
        let bytes = try peaks.bytes(of: file, as: form, draws: draws)
        try OutputFile.write(bytes, to: target)
    }
}
