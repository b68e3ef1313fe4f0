import DSP
import DSPHarness
internal import Glibc
import TestSupport
import Testing

/// Requested ranges of a recording, and the recording's samples.
private struct Reader {
    var asked: [Range<Int64>] = []
    let sample: (Int64) -> Float

    mutating func read(_ frames: Range<Int64>, _ samples: inout MutableSpan<Float>) {
        asked.append(frames)
        for index in samples.indices { samples[index] = sample(frames.lowerBound + Int64(index)) }
    }
}

private let rate = 48_000

private func sine(_ hertz: Double, amplitude: Double = 1) -> (Int64) -> Float {
    { Float(amplitude * sin(2 * .pi * hertz * Double($0) / Double(rate))) }
}

private func spectrogram(
    _ settings: Spectrogram.Settings, columns: Int = 5, rows: Int, frames: Range<Int64> = 8192..<16384,
    frameCount: Int64 = 24_576, _ sample: @escaping (Int64) -> Float
) -> Spectrogram {
    var reader = Reader(sample: sample)
    return Spectrogram(frames: frames, columns: columns, rows: rows, frameCount: frameCount, settings: settings) {
        reader.read($0, &$1)
    }
}

extension Spectrogram {
    fileprivate func loudestRow(_ column: Int) -> Int {
        (0..<rowCount).max { self[column, $0] < self[column, $1] } ?? 0
    }
}

@Suite struct SpectrogramTests {
    @Test(
        "a sine on a bin lies in its row, and has its level within 0.1 dB",
        arguments: Spectrogram.Settings.Axis.allCases, Spectrogram.Settings.Window.allCases)
    func sineLevel(_ axis: Spectrogram.Settings.Axis, _ window: Spectrogram.Settings.Window) throws {
        for (size, bin, rows) in cases(
            [(1024, 21, 300), (2048, 300, 77), (256, 5, 900)], few: [(1024, 21, 300), (256, 60, 900)])
        {
            let settings = try Spectrogram.Settings(sampleRate: rate, windowSize: size, window: window, axis: axis)
            let hertz = Double(bin * rate) / Double(size)
            let result = spectrogram(settings, columns: 2, rows: rows, sine(hertz, amplitude: 0.25))
            for column in 0..<result.columnCount {
                let row = result.loudestRow(column)
                #expect(row == result.row(frequency: hertz))
                #expect(abs(result[column, row] - 20 * log10(0.25)) < 0.1)
            }
        }
    }

    @Test("a sine between bins is at most a bin off, and at most 1.5 dB low")
    func sineBetweenBins() throws {
        var random = SeededGenerator(printedFor: "sineBetweenBins")
        for axis in Spectrogram.Settings.Axis.allCases {
            let settings = try Spectrogram.Settings(sampleRate: rate, windowSize: 512, axis: axis)
            for _ in 0..<cases(30, few: 4) {
                let hertz = Double.random(in: 400...20_000, using: &random)
                let result = spectrogram(settings, columns: 1, rows: 200, sine(hertz))
                let row = result.loudestRow(0)
                let (frequencies, bin) = (result.frequencies(row: row), Double(rate) / 512)
                #expect(frequencies.lowerBound - bin <= hertz && hertz <= frequencies.upperBound + bin)
                // Halfway between two bins a Hann window loses 1.42 dB.
                #expect(result[0, row] > -1.5 && result[0, row] < 0.1)
            }
        }
    }

    @Test("a constant and a tone at half the sample rate have the levels of their amplitudes")
    func edgesOfTheSpectrum() throws {
        let settings = try Spectrogram.Settings(sampleRate: rate, windowSize: 256)
        let constant = spectrogram(settings, columns: 1, rows: 64) { _ in 0.5 }
        #expect(abs(constant[0, 0] + 6.02) < 0.1)
        let highest = spectrogram(settings, columns: 1, rows: 64) { $0 % 2 == 0 ? 0.5 : -0.5 }
        #expect(abs(highest[0, 63] + 6.02) < 0.1)
    }

    @Test("the ridge of a rising chirp never falls")
    func chirp() throws {
        let settings = try Spectrogram.Settings(sampleRate: rate, windowSize: 512, axis: .logarithmic, lowest: 100)
        let length = Double(cases(96_000, few: 24_000))
        // From 200 Hz by five octaves and a half.
        let result = spectrogram(settings, columns: 60, rows: 120, frames: 0..<Int64(length), frameCount: Int64(length))
        {
            let octaves = 5.5 * Double($0) / length
            return Float(0.5 * sin(2 * .pi * 200 * length / 5.5 / log(2) * (exp2(octaves) - 1) / Double(rate)))
        }
        let ridge = (0..<60).map(result.loudestRow)
        #expect(zip(ridge, ridge.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(ridge[59] - ridge[0] > 70)
    }

    @Test("silence lies at the floor, and so do frames beyond the recording, which are not requested")
    func silence() throws {
        let settings = try Spectrogram.Settings(sampleRate: rate, windowSize: 256, range: 70)
        let silent = spectrogram(settings, rows: 40) { _ in 0 }
        #expect(silent.levels.allSatisfy { $0 == -70 })
        var reader = Reader(sample: { _ in 1 })
        let beyond = Spectrogram(
            frames: -10_000..<20_000, columns: 30, rows: 10, frameCount: 5000, settings: settings
        ) { reader.read($0, &$1) }
        #expect(reader.asked.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= 5000 && !$0.isEmpty })
        #expect((0..<10).allSatisfy { row in beyond[0, row] == -70 && beyond[29, row] == -70 })
        #expect(beyond[12, 0] > -1)
        var unasked = Reader(sample: { _ in 1 })
        let empty = Spectrogram(frames: 5000..<6000, columns: 3, rows: 2, frameCount: 0, settings: settings) {
            unasked.read($0, &$1)
        }
        #expect(unasked.asked.isEmpty && empty.levels == Array(repeating: -70, count: 6))
    }

    @Test("frames are requested in order, once each, at most a window at a time")
    func order() throws {
        var random = SeededGenerator(printedFor: "order")
        let settings = try Spectrogram.Settings(sampleRate: rate, windowSize: 256, windowsPerColumn: 3)
        for _ in 0..<cases(100, few: 12) {
            let start = Int64.random(in: -2000...2000, using: &random)
            let length = Int64.random(in: 0...20_000, using: &random)
            let frameCount = Int64.random(in: 0...20_000, using: &random)
            var reader = Reader(sample: { _ in 0.1 })
            _ = Spectrogram(
                frames: start..<start + length, columns: .random(in: 0...40, using: &random), rows: 4,
                frameCount: frameCount, settings: settings
            ) { reader.read($0, &$1) }
            for (frames, next) in zip(reader.asked, reader.asked.dropFirst()) {
                #expect(frames.upperBound <= next.lowerBound)
            }
            for frames in reader.asked { #expect(frames.count <= 256 && frames.clamped(to: 0..<frameCount) == frames) }
        }
    }

    @Test("the numbers of windows of a column and of cells of a spectrogram are limited for any length")
    func bounds() throws {
        let settings = try Spectrogram.Settings(sampleRate: rate, windowSize: 256, windowsPerColumn: 4)
        var reader = Reader(sample: { _ in 0.1 })
        let frameCount = Int64(1) << 50
        let result = Spectrogram(
            frames: 0..<frameCount, columns: 25, rows: 9, frameCount: frameCount, settings: settings
        ) {
            reader.read($0, &$1)
        }
        #expect(result.levels.count == 25 * 9)
        #expect(reader.asked.count == 25 * 4)
        #expect(reader.asked.allSatisfy { $0.count == 256 })
        // Evenly spread: four middles to a column.
        let distances = zip(reader.asked, reader.asked.dropFirst()).map { $1.lowerBound - $0.lowerBound }
        #expect(distances.allSatisfy { abs($0 - frameCount / 100) <= 1 })
    }

    @Test("a steady tone has the same level at every zoom")
    func zooms() throws {
        let settings = try Spectrogram.Settings(sampleRate: rate, windowSize: 256, windowsPerColumn: 8)
        for framesPerColumn in cases([1, 7, 100, 500, 3000, 100_000], few: [3, 300, 9000]) {
            let result = spectrogram(
                settings, columns: 4, rows: 50, frames: 1000..<1000 + Int64(4 * framesPerColumn), frameCount: 1 << 20,
                sine(Double(32 * rate) / 256, amplitude: 0.5))
            for column in 0..<4 { #expect(abs(result[column, result.loudestRow(column)] + 6.02) < 0.1) }
        }
    }

    @Test("samples that are not finite, or that the reader does not write, count as silence")
    func noNumbers() throws {
        let settings = try Spectrogram.Settings(sampleRate: rate, windowSize: 256)
        let odd: [Float] = [.nan, .infinity, -.infinity, .greatestFiniteMagnitude]
        let result = spectrogram(settings, rows: 30) { odd[Int($0 % 4)] }
        #expect(result.levels.allSatisfy { $0 == -90 })
        // A bad sample does not hide the sound around it.
        let tone = sine(Double(32 * rate) / 256)
        let torn = spectrogram(settings, rows: 30) { $0 % 50 == 7 ? odd[Int($0 % 4)] : tone($0) }
        for column in 0..<torn.columnCount { #expect(torn[column, torn.loudestRow(column)] > -1) }
        let unwritten = Spectrogram(frames: 0..<1000, columns: 9, rows: 3, frameCount: 1000, settings: settings) {
            _, _ in
        }
        #expect(unwritten.levels.allSatisfy { $0 == -90 })
    }

    @Test("an error of the reader ends the spectrogram and is thrown")
    func failure() throws {
        struct Gone: Error, Equatable { let frame: Int64 }
        let settings = try Spectrogram.Settings(sampleRate: rate, windowSize: 256)
        var asked = 0
        #expect(throws: Gone(frame: 0)) {
            _ = try Spectrogram(frames: 0..<100_000, columns: 50, rows: 3, frameCount: 100_000, settings: settings) {
                (frames, _) throws(Gone) in
                asked += 1
                throw Gone(frame: frames.lowerBound)
            }
        }
        #expect(asked == 1)
    }

    @Test("every frequency of a spectrogram belongs to the row whose band contains it")
    func rowsAndFrequencies() throws {
        var random = SeededGenerator(printedFor: "rowsAndFrequencies")
        for axis in Spectrogram.Settings.Axis.allCases {
            let settings = try Spectrogram.Settings(sampleRate: rate, axis: axis, lowest: 30, highest: 18_000)
            let result = spectrogram(settings, columns: 0, rows: 123) { _ in 0 }
            for _ in 0..<200 {
                let hertz = Double.random(in: 30...18_000, using: &random)
                let row = try #require(result.row(frequency: hertz))
                let frequencies = result.frequencies(row: row)
                #expect(frequencies.lowerBound * 0.999999 <= hertz && hertz <= frequencies.upperBound * 1.000001)
            }
            #expect(result.row(frequency: 29.9) == nil && result.row(frequency: 18_001) == nil)
            #expect(result.row(frequency: 18_000) == 122 && result.row(frequency: 30) == 0)
        }
    }

    @Test("invalid spectrogram settings are refused with the permitted range")
    func refusals() {
        typealias Settings = Spectrogram.Settings
        let wrong: [() throws -> Settings] = [
            { try Settings(sampleRate: 0) }, { try Settings(sampleRate: rate, windowSize: 128) },
            { try Settings(sampleRate: rate, windowSize: 131_072) },
            { try Settings(sampleRate: rate, windowSize: 1000) },
            { try Settings(sampleRate: rate, range: 9) }, { try Settings(sampleRate: rate, range: .nan) },
            { try Settings(sampleRate: rate, lowest: -1) }, { try Settings(sampleRate: rate, highest: 24_001) },
            { try Settings(sampleRate: rate, lowest: 500, highest: 500) },
            { try Settings(sampleRate: rate, lowest: .nan) },
            { try Settings(sampleRate: rate, axis: .logarithmic, lowest: 0) },
            { try Settings(sampleRate: rate, windowsPerColumn: 0) }, { try Settings(sampleRate: rate, highest: .nan) },
        ]
        for make in wrong {
            let error = #expect(throws: SpectrogramError.self) { _ = try make() }
            #expect(error?.remedy.hasPrefix("Permitted is ") == true)
        }
        #expect(throws: Never.self) { _ = try Settings(sampleRate: 1, axis: .logarithmic) }
    }
}
