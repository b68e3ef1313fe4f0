// Columns as JSON, for programs with their own drawing.
import Glibc
import JSON
import Woodshed

extension WaveformScene {
    /// Returns an object with the range, and with each channel's columns as lists.
    func json(columns count: Int) throws -> JSONValue {
        var channels: [JSONValue] = []
        var tones: [WaveformTone?] = []
        for (channel, columns) in zip(self.channels, try columns(count)) {
            tones = columns.map(\.tone)
            func list(_ value: (WaveformColumn) -> JSONValue) -> JSONValue {
                .array(columns.map { $0.isEmpty ? .null : value($0) })
            }
            channels.append(
                .object([
                    .init("channel", channel.map { .integer($0 + 1) } ?? .null),
                    .init("min", list { .number(Self.short($0.minimum)) }),
                    .init("max", list { .number(Self.short($0.maximum)) }),
                    .init("rms", list { .number(Self.short($0.rms)) }),
                    .init("clipped", list { .bool($0.isClipped) }),
                ]))
        }
        func band(_ level: (WaveformTone) -> Float) -> JSONValue {
            .array(tones.map { $0.map(level).flatMap { $0.isFinite ? .number(Double($0)) : nil } ?? .null })
        }
        return .object([
            .init("v", .integer(1)), .init("path", .string(facts.path)),
            .init("sample_rate", .integer(facts.sampleRate)), .init("frames", .integer(facts.frameCount)),
            .init("from_frame", .integer(frames.lowerBound)), .init("to_frame", .integer(frames.upperBound)),
            .init("columns", .integer(count)), .init("channels", .array(channels)),
            .init("low_db", band { $0.bandLevels.low }), .init("mid_db", band { $0.bandLevels.mid }),
            .init("high_db", band { $0.bandLevels.high }),
            .init("centroid_hz", .array(tones.map { $0?.centroid.map { .number(Double($0.rounded())) } ?? .null })),
            .init("sections", sections.json(within: frames)),
        ])
    }

    /// Rounds to the number of decimals of 16-bit samples.
    private static func short(_ value: Float) -> Double { (Double(value) * 100_000).rounded() / 100_000 }
}
