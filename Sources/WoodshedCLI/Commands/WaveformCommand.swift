// `woodshed waveform`: draws a recording, in the terminal or into a file.
import ArgumentParser
import Drawing
import Glibc
import JSON
import Terminal

struct WaveformCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "waveform",
        abstract: "Draw a recording's waveform, coloured by frequency.",
        discussion: """
            EXAMPLES
              woodshed waveform song.flac
              woodshed waveform song.flac --from 1:20 --to 1:45 --height 16 --db
              woodshed waveform song.flac -o song.svg --spectrogram --theme dark
              woodshed waveform song.flac -o song.dat --samples-per-pixel 256 --bits 8
              woodshed waveform song.flac --json --width 1000 > columns.json
              woodshed waveform *.flac -o 'pictures/{}.png' --width 1600 --jobs 2

            The strong part is the level (RMS); the faint part reaches up to the peaks. Orange is low sound, green \
            is middle, violet is high. Red, or ! without colour, marks full scale. With -o, the name of the file \
            sets its format: .png, .svg, or audiowaveform's .dat and .json. {} in the name stands for the \
            recording's name.
            """)

    @OptionGroup var recordings: RecordingArguments

    @Option(
        name: [.customShort("o"), .customLong("out")],
        help: .init("Write to this file: .png, .svg, .dat or .json.", valueName: "out"))
    var out: String?

    @OptionGroup var view: WaveViewOptions
    @OptionGroup var picture: WavePictureOptions
    @OptionGroup var peaks: PeakOptions

    @Flag(name: .long, help: "Write the columns as JSON to standard output.")
    var json = false

    @Flag(name: .long, help: "Use no colour and no status lines.")
    var plain = false

    @Flag(name: .customLong("no-cache"), help: "Neither read nor write the waveform cache.")
    var ignoresCache = false

    mutating func validate() throws {
        if let out, WaveformTarget(out) == nil {
            throw ValidationError("-o takes a name that ends in .png, .svg, .dat or .json.")
        }
        if out != nil && json { throw ValidationError("--json writes to standard output; with -o leave it out.") }
        if let out { try OutputNames.check(out, isForOne: recordings.isOne) }
        if !recordings.isOne, picture.title != nil {
            throw ValidationError("--title is for one recording; name one, or leave out --title.")
        }
        let target = out.flatMap(WaveformTarget.init)
        try view.validate(for: target)
        try picture.validate(for: target)
        try peaks.validate(for: target)
    }

    func perform() throws {
        let files = try ManyFiles(recordings, json: json)
        let names = try out.map { out throws(CommandFailure) in try files.outputs(out) }
        _ = Signals.install()
        let target = out.flatMap(WaveformTarget.init)
        // A missing library is reported before an hour of audio is read for nothing.
        if case .picture? = target { try PictureLibraries.load() }
        try files.run { [self] number, file, report in
            switch (target, names?[number]) {
            case (.peaks(let form)?, let name?): try writePeaks(of: file, to: name, as: form, report)
            case (.picture(let format)?, let name?): try writePicture(of: file, to: name, as: format, &report)
            default: try show(file, &report)
            }
        }
    }

    private func draws(_ report: FileReport) -> Bool {
        report.isAlone && TerminalTraits.current(plain: plain).drawsStatus
    }

    /// Returns the recording's waveform from the cache, or opens the file for an analysis.
    private func opened(_ file: String, _ report: inout FileReport) throws -> WaveformSupply {
        try WaveformSupply(path: file, usesCache: !ignoresCache) { report.note($0) }
    }

    // MARK: In the terminal

    private func show(_ file: String, _ report: inout FileReport) throws {
        let supply = try opened(file, &report)
        let choice = try view.choice(for: supply.facts)
        let sections = view.sections(of: supply.facts)
        let layout = view.layout(
            channels: choice == .each ? supply.facts.channelCount : 1,
            sectionLines: SectionBands.lineCount(supply.facts.bands(sections)), plain: plain)
        let names = choice.names(channelCount: supply.facts.channelCount)
        let count = json ? layout.width : layout.columnCount(names: names)
        let frames = try view.frames(of: supply.facts, columns: count)
        let scene = WaveformScene(
            facts: supply.facts, waveform: try supply.waveform(draws: draws(report)), frames: frames, choice: choice,
            sections: sections)
        if json {
            try report.line(try scene.json(columns: count).text)
        } else {
            let channels = zip(names, try scene.columns(count)).map { WaveView.Channel(name: $0, columns: $1) }
            let view = WaveView(
                title: scene.title, start: scene.start, length: scene.length, channels: channels, sections: scene.bands)
            try report.write(layout.lines(view).map { $0 + "\n" }.joined())
        }
        // Stores the cache after showing the picture, so the user does not wait for the cache.
        supply.keep()
    }

    // MARK: In files

    private func writePicture(
        of file: String, to target: String, as format: WaveformTarget.Image, _ report: inout FileReport
    ) throws {
        try OutputFile.check(target)
        let supply = try opened(file, &report)
        let choice = try view.choice(for: supply.facts)
        let frames = try view.frames(of: supply.facts, columns: picture.width(view.width))
        let drawing = WaveformDrawingJob(
            supply: supply, frames: frames, choice: choice, options: picture, view: view, draws: draws(report))
        try drawing.write(to: target, as: format) { report.note($0) }
        supply.keep()
    }

    private func writePeaks(
        of file: String, to target: String, as form: WaveformTarget.Peaks, _ report: FileReport
    ) throws {
        try OutputFile.check(target)
        let bytes = try peaks.bytes(of: file, as: form, draws: draws(report))
        try OutputFile.write(bytes, to: target)
    }
}
