// Pictures of a recording as files: waveform or spectrogram.
import ArgumentParser
import Drawing
import Files
import Terminal
import Woodshed

/// A word for a case of a library type.
struct WordChoice<Value: RawRepresentable & CaseIterable & Sendable>: ExpressibleByArgument, Sendable
where Value.RawValue == String {
    let value: Value

    init?(argument: String) {
        guard let value = Value(rawValue: argument) else { return nil }
        self.value = value
    }

    static var allValueStrings: [String] { Value.allCases.map(\.rawValue) }
}

struct WavePictureOptions: ParsableArguments {
    @Option(name: .long, help: "Colours of .png and .svg. (default: light)")
    var theme: WordChoice<PictureTheme>?

    @Option(
        name: .long,
        help: .init("Title of .png and .svg. (default: the file's name)", valueName: "text"))
    var title: String?

    @Flag(name: .long, help: "Draw a spectrogram: .png and .svg only.")
    var spectrogram = false

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Spectrogram: window length, a power of two, 256 to 65536. (default: 2048)", valueName: "frames"),
        transform: { try boundedInteger($0, in: 256...65_536) })
    var window: Int?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Spectrogram: levels, 10 to 200 dB down. (default: 90)", valueName: "dB"),
        transform: { text in
            guard let range = decimal(try optionValue(text)), (10...200).contains(range) else {
                throw ArgumentError.unreadable(text, as: "a range of levels", remedy: "Write decibels from 10 to 200.")
            }
            return range
        })
    var range: Double?

    @Option(name: .customLong("colour-map"), help: "Spectrogram: colours. (default: viridis)")
    var colourMap: WordChoice<ColourMap>?

    @Option(name: .long, help: "Spectrogram: frequency axis. (default: logarithmic)")
    var frequency: WordChoice<Spectrogram.Settings.Axis>?

    func validate(for target: WaveformTarget?) throws {
        let isOfSpectrogram = window != nil || range != nil || colourMap != nil || frequency != nil
        guard case .picture? = target else {
            if theme != nil || title != nil || spectrogram || isOfSpectrogram {
                throw ValidationError("--theme, --title and --spectrogram are for -o x.png and -o x.svg.")
            }
            return
        }
        if isOfSpectrogram && !spectrogram {
            throw ValidationError("--window, --range, --colour-map and --frequency need --spectrogram.")
        }
        if spectrogram { _ = try settings(sampleRate: 48_000) }
    }

    func width(_ asked: Int?) -> Int { asked ?? 1200 }
    func height(_ asked: Int?) -> Int { asked ?? 400 }

    func settings(sampleRate: Int) throws -> Spectrogram.Settings {
        do {
            return try Spectrogram.Settings(
                sampleRate: sampleRate, windowSize: window ?? 2048, range: range ?? 90,
                axis: frequency?.value ?? .logarithmic)
        } catch {
            throw ArgumentError(error.message, remedy: error.remedy)
        }
    }
}

/// Draws a picture into a file.
struct WaveformDrawingJob {
    let supply: WaveformSupply
    let frames: Range<Int64>
    let choice: ChannelChoice
    let options: WavePictureOptions
    let view: WaveViewOptions
    let draws: Bool

    /// - Parameter note: Gets a line for the user.
    func write(to path: String, as format: WaveformTarget.Image, note: (String) -> Void) throws {
        let form: PictureFormat = format == .png ? .png : .svg
        let facts = supply.facts
        let sheet = try PictureSheet(
            width: options.width(view.width), height: options.height(view.height),
            title: options.title ?? fileName(facts.path), sampleRate: facts.sampleRate, frames: frames,
            sections: view.sections(of: facts).inPicture(of: frames), theme: options.theme?.value ?? .light)
        let bytes =
            options.spectrogram
            ? try spectrogram(on: sheet).encoded(as: form) : try waveform(on: sheet).encoded(as: form)
        try OutputFile.write(bytes, to: path)
        for warning in sheet.warnings { note("woodshed: " + Self.text(warning)) }
    }

    private func waveform(on sheet: PictureSheet) throws -> WaveformPicture {
        let scene = WaveformScene(
            facts: supply.facts, waveform: try supply.waveform(draws: draws), frames: frames, choice: choice)
        let rows = try scene.columns(WaveformPicture.plotWidth(on: sheet))
        let colouring: WaveformPicture.Colouring =
            switch view.colour ?? .bands {
            case .bands: .bands
            case .centroid: .centroid
            case .plain: .plain
            }
        return try WaveformPicture(
            on: sheet, rows: rows, names: scene.names,
            scale: view.decibels ? .decibels(floor: WaveViewOptions.floor) : .linear, colouring: colouring)
    }

    private func spectrogram(on sheet: PictureSheet) throws -> SpectrogramPicture {
        let clip = try Clip(path: supply.facts.path)
        let channels: Range<Int> =
            if case .one(let channel) = choice { channel..<channel + 1 } else { 0..<clip.channelCount }
        let size = SpectrogramPicture.plotSize(on: sheet)
        let settings = try options.settings(sampleRate: clip.sampleRate)
        let spectrogram = try Spectrogram(
            frames: frames, columns: size.columns, rows: size.rows, frameCount: clip.frameCount, settings: settings
        ) { (frames: Range<Int64>, samples: inout MutableSpan<Float>) throws(AudioFileError) in
            try clip.readMono(frames, channels: channels, into: &samples)
        }
        return try SpectrogramPicture(on: sheet, spectrogram, colours: options.colourMap?.value ?? .viridis)
    }

    private static func text(_ warning: PictureWarning) -> String {
        switch warning {
        case .noFont: "there is no font on this machine, so the picture has no text; install fonts-dejavu-core"
        case .missingCharacters(let characters): "no font on this machine has \(printable(characters))"
        }
    }
}
