// Formats numbers for people: times, percentages, decibels and sizes.
internal import Explanations
import Glibc

/// Formats a number with up to three decimals, without trailing zeros.
package func shortest(_ value: Double) -> String {
    var text = fixed(value, decimals: 3)
    while text.hasSuffix("0") { text.removeLast() }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
}

/// Formats a number with a fixed number of decimals, rounded half away from zero.
package func fixed(_ value: Double, decimals: Int) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
    let scale = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
    let units = Int64((abs(value) * scale).rounded())
    let sign = value < 0 && units > 0 ? "-" : ""
    guard decimals > 0 else { return sign + String(units) }
    let padded = zeroPadded(units, to: decimals + 1)
    return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
}

/// Formats a position in time, such as `0:07.9`, or `1:02:03.2` from an hour on.
package func clockText(_ seconds: Double, decimals: Int = 1) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e12 else { return "-:--" }
    let scale = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
    // Cut, not rounded: the clock must not show 0:60.0, and must not run ahead of the sound.
    let units = Int64(seconds * scale)
    let whole = units / Int64(scale)
    let rest = Double(units % Int64(scale)) / scale
    let hours = whole / 3600
    let minutes = whole / 60 % 60
    let secondsText = fixed(Double(whole % 60) + rest, decimals: decimals)
    let padded = whole % 60 < 10 ? "0" + secondsText : secondsText
    guard hours > 0 else { return "\(minutes):\(padded)" }
    return "\(hours):\(zeroPadded(minutes, to: 2)):\(padded)"
}

/// Formats a speed factor such as `70 %`, with a decimal unless the percentage is a whole number.
package func percentText(_ factor: Double) -> String {
    let text = fixed(factor * 100, decimals: 1)
    return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + " %"
}

/// Formats a change of pitch such as `+3 st`, with up to two decimals.
package func semitoneText(_ semitones: Double) -> String {
    var text = fixed(semitones, decimals: 2)
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return (semitones > 0 ? "+" : "") + text + " st"
}

/// Formats a level in dB of full scale; a level of silence is shown as `-inf dB`.
package func decibelText(_ decibels: Double) -> String {
    decibels > -99.9 ? fixed(decibels, decimals: 1) + " dB" : "-inf dB"
}

/// Formats a size such as `84 GB`, in powers of a thousand, as for disks.
package func sizeText(_ bytes: UInt64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"]
    var value = Double(bytes)
    var index = 0
    while value >= 1000, index < units.count - 1 {
        value /= 1000
        index += 1
    }
    return fixed(value, decimals: index > 0 && value < 10 ? 1 : 0) + " " + units[index]
}
