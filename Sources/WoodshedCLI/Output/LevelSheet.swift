// The results of `measure`, as text and as JSON.
import Explanations
import Files
import JSON
import Terminal
import Woodshed

/// The levels of a whole recording.
struct LevelSheet {
    let file: String
    let recording: MeasuredRecording
    let reading: ProgrammeReading
    /// Loudness every 10 ms; nil without a request.
    let series: LoudnessSeries?

    /// Returns all fields except the series; the level of silence is null.
    ///
    /// - Parameter namesFile: True to include the file's path, for a file among several.
    private func fields(namesFile: Bool) -> [JSONValue.Field] {
        let loudness = reading.loudness
        let name: [JSONValue.Field] = namesFile ? [.init("path", .string(file))] : []
        return [.init("v", .integer(1))] + name + [
            .init("integrated", level(loudness.integrated)),
            .init("lra", loudness.range.map(level) ?? .null),
            .init("momentary_max", level(loudness.maximumMomentary)),
            .init("shortterm_max", level(loudness.maximumShortTerm)),
            .init("true_peak", level(reading.truePeakDecibels)),
            .init("sample_peak", level(reading.samplePeakDecibels)),
            .init("rms_aes17", level(reading.rmsDecibelsAES17)),
            .init("rms_plain", level(reading.rmsDecibels)), .init("ppm_type1_max_rel", level(reading.typeIDecibels)),
            .init("ppm_type2_max_rel", level(reading.typeIIaDecibels)), .init("overs", .integer(reading.overs)),
        ]
    }

    private func level(_ decibels: Double) -> JSONValue { .level(decibels) }

    /// Writes a JSON object. The series is written in parts, because hours of recording make a long series.
    func writeJSON(to report: inout FileReport) throws(OutputError) {
        let text = JSONValue.object(fields(namesFile: !report.isAlone)).text
        guard let series else { return try report.line(text) }
        try report.write(text.dropLast() + #","series":["#)
        try series.write(to: &report)
        try report.line("]}")
    }

    var text: String {
        let loudness = reading.loudness
        let channels = counted(recording.info.channelCount, "channel")
        let length = clockText(Double(recording.frameCount) / Double(recording.sampleRate))
        let rows = [
            ("loudness, integrated", value(loudness.integrated, "LUFS")),
            ("loudness range", loudness.range.map { value($0, "LU") } ?? right("-") + " LU"),
            ("highest momentary loudness", value(loudness.maximumMomentary, "LUFS")),
            ("highest short-term loudness", value(loudness.maximumShortTerm, "LUFS")),
            ("true peak", value(reading.truePeakDecibels, "dBTP")),
            ("sample peak", value(reading.samplePeakDecibels, "dBFS")),
            ("RMS, AES17", value(reading.rmsDecibelsAES17, "dBFS") + "  a full-scale sine reads 0"),
            ("RMS, plain", value(reading.rmsDecibels, "dBFS") + "  a full-scale sine reads -3.01"),
            ("highest PPM, type I", value(reading.typeIDecibels, "dB") + "    of a steady full-scale sine"),
            ("highest PPM, type IIa", value(reading.typeIIaDecibels, "dB") + "    of a steady full-scale sine"),
            ("highest VU", value(reading.volumeDecibels, "dB") + "    of a steady full-scale sine"),
            ("overs (clipped)", right(String(reading.overs)) + firstOver),
        ]
        return rows.reduce("\(printable(fileName(file))): \(length), \(info(channels))\n") { text, row in
            text + "  " + row.0 + String(repeating: " ", count: 28 - row.0.count) + row.1 + "\n"
        }
    }

    private func info(_ channels: String) -> String { "\(recording.info.sampleRate) Hz, \(channels)" }

    private var firstOver: String {
        guard let frame = reading.firstOverFrame else { return "" }
        return "       the first at " + clockText(Double(frame) / Double(reading.sampleRate), decimals: 3)
    }

    private func value(_ decibels: Double, _ unit: String) -> String {
        right(decibels == -.infinity ? "-inf" : fixed(decibels, decimals: 1)) + " " + unit
    }

    private func right(_ text: String) -> String { String(repeating: " ", count: max(0, 8 - text.count)) + text }
}

/// Momentary and short-term loudness every 10 ms, eight bytes for each pair: 3 MB for an hour.
struct LoudnessSeries {
    private var values: [SIMD2<Float>] = []

    mutating func append(_ hop: LoudnessHop) { values.append(SIMD2(Float(hop.momentary), Float(hop.shortTerm))) }

    /// Writes the elements of the array, a few thousand at a time.
    func write(to report: inout FileReport) throws(OutputError) {
        var text = ""
        for (index, value) in values.enumerated() {
            let element = JSONValue.array([
                .number(Double(index + 1) / 100), .level(Double(value[0])), .level(Double(value[1])),
            ])
            text += (index == 0 ? "" : ",") + element.text
            if text.utf8.count > 1 << 16 {
                try report.write(text)
                text = ""
            }
        }
        try report.write(text)
    }
}

extension JSONValue {
    /// Returns a level in dB, rounded to a thousandth; null for silence.
    fileprivate static func level(_ decibels: Double) -> JSONValue {
        .number(Double(fixed(decibels, decimals: 3)) ?? -.infinity)
    }
}
