internal import Glibc

func cosine(_ radians: Double) -> Double { cos(radians) }

/// A frequency in Hz on the mel scale (O'Shaughnessy, "Speech Communication", 1987).
func mel(_ hertz: Double) -> Double { 2595 * log10(1 + hertz / 700) }

/// Returns a power in dB; −200 dB for 0.
func decibels(ofPower power: Float) -> Float { 10 * log10(max(power, 1e-20)) }

func power(ofDecibels decibels: Float) -> Float { exp(decibels * 0.230_258_51) }

/// Returns the value below which a share of the values lies; nil for no values. The values may be in any order.
func quantile(_ values: [Double], _ share: Double) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let place = share * Double(sorted.count - 1)
    let low = Int(place)
    let high = min(low + 1, sorted.count - 1)
    return sorted[low] + (place - Double(low)) * (sorted[high] - sorted[low])
}

/// Returns the mean of the absolute values without the largest twentieth, so a few wild values do not move the mean.
/// Nil for no values.
func trimmedMean(ofMagnitudes values: [Double]) -> Double? {
    let sorted = values.map { abs($0) }.sorted()
    let kept = sorted.prefix(max(1, Int(0.95 * Double(sorted.count))))
    return kept.isEmpty ? nil : kept.reduce(0, +) / Double(kept.count)
}
