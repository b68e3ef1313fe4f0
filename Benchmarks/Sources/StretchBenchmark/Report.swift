// The tables, for people and for programs.
import Glibc
import SoundMeasures

/// Measures and prints.
struct Report: Sendable {
    let isJSON: Bool

    /// The cost of all contenders on the same music.
    func costs(runs: Int) throws {
        let music = TestSignals.wideMusic(seconds: 8)
        for speed in [0.75, 0.5] {
            var table = Table(
                title: "cost at \(percent(speed)), 44.1 kHz stereo, blocks of \(CostRow.blockFrames) frames",
                benchmark: "stretch_cost", speed: speed)
            var rows: [(Contender, CostRow)] = []
            for contender in Contender.allCases {
                rows.append((contender, try CostRow(contender, music, speed: speed, runs: runs)))
            }
            func add(_ name: String, _ key: String, decimals: Int, _ value: (CostRow) -> Double) {
                table.add(
                    .init(name: name, key: key, decimals: decimals, better: .lower),
                    rows.map { ($0.0, value($0.1)) })
            }
            add("share of a core, %", "cpu_percent", decimals: 2) { $0.cpuPercent }
            add("from the second pass on, %", "later_cpu_percent", decimals: 3) { $0.laterPercent }
            add("p99.9 of a block, µs", "p999_us", decimals: 0) { $0.p999Microseconds }
            add("worst block, µs", "max_us", decimals: 0) { $0.maximumMicroseconds }
            add("first block, µs", "first_block_us", decimals: 0) { $0.firstMicroseconds }
            add("allocations, second half", "allocations", decimals: 0) { $0.allocations.map(Double.init) ?? .nan }
            table.print(asJSON: isJSON)
        }
    }
}

extension Report {
    /// The sound of all contenders.
    func sounds() throws {
        for speed in [0.75, 0.5] {
            var rows: [(Contender, SoundRow)] = []
            for contender in Contender.allCases { rows.append((contender, try SoundRow(contender, speed: speed))) }
            var table = Table(
                title: "sound at \(percent(speed)), synthesised signals", benchmark: "stretch_sound", speed: speed)
            for (quantity, value) in SoundRow.quantities { table.add(quantity, rows.map { ($0.0, value($0.1)) }) }
            table.print(asJSON: isJSON)
        }
    }
}

extension Report {
    /// What all contenders make of changes of speed.
    func changes() throws {
        let rows = try Contender.allCases.map { ($0, try ChangeRow($0)) }
        var table = Table(
            title: "speed changed every 0.25 s, 70 % and 130 %", benchmark: "stretch_change", speed: 1)
        for (quantity, value) in ChangeRow.quantities { table.add(quantity, rows.map { ($0.0, value($0.1)) }) }
        table.print(asJSON: isJSON)
    }

    /// Writes the sounds of the spectrograms in docs/stretching.md: each source, and what ours and Rubber Band R3 make of it
    /// at half speed, as one channel of 32-bit floats without a header.
    static func writeSounds(to folder: String) throws {
        let sounds = [
            ("voice", TestSignals.voice(seconds: 2.2)),
            ("drums", TestSignals.Clicks(count: 7).samples),
            ("chord", TestSignals.music(seconds: 2, drumLevel: 0)),
        ]
        for (name, sound) in sounds {
            try write(sound, to: "\(folder)/\(name)-source.f32")
            for contender in [Contender.ours, .rubberBandFiner] {
                let slow = try contender.stretched([sound], speed: 0.5)[0]
                try write(slow, to: "\(folder)/\(name)-\(contender.key).f32")
            }
        }
    }

    private static func write(_ sound: [Float], to path: String) throws {
        guard let file = unsafe fopen(path, "w") else { throw WritingFailed(path: path) }
        let written = unsafe fwrite(sound, MemoryLayout<Float>.stride, sound.count, file)
        guard unsafe fclose(file) == 0, written == sound.count else { throw WritingFailed(path: path) }
    }

    struct WritingFailed: Error {
        let path: String
    }
}

/// A factor as people say it.
func percent(_ factor: Double) -> String { "\(Int((factor * 100).rounded())) %" }
