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
            for contender in Contender.present {
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
        try together(music, runs: runs)
    }

    /// The cost of nine simultaneous voices, and of a whole recording from its first frame to its last.
    private func together(_ music: [[Float]], runs: Int) throws {
        let speed = 0.75
        var table = Table(
            title: "nine voices at once, and a whole minute, at \(percent(speed)), 44.1 kHz stereo",
            benchmark: "stretch_together", speed: speed)
        let choirs = try Contender.present.map { ($0, try ChoirRow($0, music, speed: speed, runs: runs)) }
        table.add(
            .init(name: "nine: share of a core, %", key: "nine_cpu_percent", decimals: 1, better: .lower),
            choirs.map { ($0.0, $0.1.cpuPercent) })
        table.add(
            .init(name: "nine: worst block, µs", key: "nine_max_us", decimals: 0, better: .lower),
            choirs.map { ($0.0, $0.1.maximumMicroseconds) })
        let minute = TestSignals.wideMusic(seconds: 60)
        table.add(
            .init(name: "whole minute, analysis too, s", key: "whole_minute_s", decimals: 2, better: .lower),
            try Contender.present.map { ($0, try wholeRenderSeconds($0, minute, speed: speed, runs: runs)) })
        table.print(asJSON: isJSON)
    }
}

extension Report {
    /// The sound of all contenders.
    func sounds() throws {
        for speed in [0.75, 0.5] {
            var rows: [(Contender, SoundRow)] = []
            for contender in Contender.present { rows.append((contender, try SoundRow(contender, speed: speed))) }
            var table = Table(
                title: "sound at \(percent(speed)), synthesised signals", benchmark: "stretch_sound", speed: speed)
            for (quantity, value) in SoundRow.quantities { table.add(quantity, rows.map { ($0.0, value($0.1)) }) }
            table.print(asJSON: isJSON)
        }
    }
}

extension Report {
    /// Voices and plucked notes of all contenders.
    func voices() throws {
        for speed in [0.75, 0.5, 1.5] {
            let rows = try Contender.present.map { ($0, try VoiceRow($0, speed: speed)) }
            var table = Table(
                title: "voices and plucked notes at \(percent(speed)), synthesised", benchmark: "stretch_voice",
                speed: speed)
            for (quantity, value) in VoiceRow.quantities { table.add(quantity, rows.map { ($0.0, value($0.1)) }) }
            table.print(asJSON: isJSON)
        }
    }

    /// All contenders' results under changes of speed.
    func changes() throws {
        let rows = try Contender.present.map { ($0, try ChangeRow($0)) }
        var table = Table(
            title: "speed changed every 0.25 s, 70 % and 130 %", benchmark: "stretch_change", speed: 1)
        for (quantity, value) in ChangeRow.quantities { table.add(quantity, rows.map { ($0.0, value($0.1)) }) }
        table.print(asJSON: isJSON)
    }

    /// The distance of transposed voices' harmonics from their vowels' envelopes, for all contenders.
    func formants() throws {
        var table = Table(title: "nine transposed voices", benchmark: "stretch_formants", speed: 1)
        for semitones in [7.0, -5] {
            let ratio = exp2(semitones / 12)
            let quantity = Quantity(
                name: "formants at \(semitones > 0 ? "+" : "−")\(Int(abs(semitones))) semitones, dB",
                key: "formants_\(semitones > 0 ? "up" : "down")_db", decimals: 1, better: .lower)
            let values = try Contender.present.map { contender in
                let errors = try Vowel.voices.map { vowel, pitch in
                    let sound = try contender.transposed(
                        vowel.sound(pitch: pitch, frames: 66_150), semitones: semitones)
                    return vowel.error(of: sound[26_000..<46_000], pitch: pitch * ratio)
                }
                return (contender, errors.reduce(0, +) / Double(errors.count))
            }
            table.add(quantity, values)
        }
        table.print(asJSON: isJSON)
    }

    /// Writes the sounds of the pictures in docs/stretching.md: sources, and the results of Woodshed and Rubber Band R3
    /// for the pictures at half speed, as one channel of 32-bit floats without a header.
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
        try write(TestSignals.dyad(349.2, 349.2 * TestSignals.semitone), to: "\(folder)/semitone-source.f32")
        try write(TestSignals.lowNote(55), to: "\(folder)/low-note-source.f32")
    }

    static func write(_ sound: [Float], to path: String) throws {
        guard let file = unsafe fopen(path, "w") else { throw WritingFailed(path: path) }
        let written = unsafe fwrite(sound, MemoryLayout<Float>.stride, sound.count, file)
        guard unsafe fclose(file) == 0, written == sound.count else { throw WritingFailed(path: path) }
    }

    struct WritingFailed: Error {
        let path: String
    }
}

/// A factor in a readable form.
func percent(_ factor: Double) -> String { "\(Int((factor * 100).rounded())) %" }
