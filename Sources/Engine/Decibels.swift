internal import Glibc

/// Converts decibels to factors. Control side only, because of calls of the mathematics library.
enum Decibels {
    /// Returns the factor of a gain: 0 dB is 1, minus infinity is 0.
    static func factor(_ decibels: Double) -> Double {
        pow(10, decibels / 20)
    }
}
