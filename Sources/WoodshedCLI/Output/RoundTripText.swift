// Measured round trips as text, in sentences and in columns.
import Files
import Terminal
import Woodshed

enum RoundTripText {
    /// Returns lines about a new measurement.
    static func lines(_ trip: RoundTrip) -> [String] {
        let rate = Double(trip.setup.sampleRate)
        func row(_ name: String, _ frames: Double, _ remark: String = "") -> String {
            columns(name, frames) + right(fixed(frames * 1000 / rate, decimals: 2), 9) + " ms" + remark
        }
        let polarity = trip.isInverted ? ", polarity inverted" : ""
        return [
            row("round trip", trip.frames),
            row("driver", Double(trip.reportedFrames)),
            row("the rest", trip.addedFrames, "  (converters, cable, air)"),
            columns("spread", trip.spreadFrames) + " over \(trip.repeats) chirps",
            "level     " + right(fixed(trip.gainDecibels, decimals: 2), 10)
                + " dB on input channel \(trip.inputChannel)\(polarity)",
        ]
    }

    /// Returns an entry for a list: two lines, with the devices in the first.
    static func entry(_ trip: RoundTrip) -> String {
        let setup = trip.setup
        return """
            \(printable(setup.output)) -> \(printable(setup.input))  \(setup.sampleRate) Hz, period \(setup.periodFrames)
              \(fixed(trip.milliseconds, decimals: 2)) ms, of it \(fixed(trip.addedFrames, decimals: 2)) frames outside \
            the driver; \(day(trip.time))

            """
    }

    private static func columns(_ name: String, _ frames: Double) -> String {
        name + String(repeating: " ", count: 10 - name.count) + right(fixed(frames, decimals: 2), 10) + " frames"
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// Returns the local date of a time, such as `2026-11-21`.
    private static func day(_ time: Int64) -> String { LocalTime(time)?.date ?? "once" }
}
