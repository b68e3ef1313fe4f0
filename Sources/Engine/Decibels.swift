internal import Glibc

/// Converts decibels to factors. Control side only: it calls the mathematics library.
enum Decibels {
    /// 0 dB is 1, minus infinity is 0.
    static func factor(_ decibels: Double) -> Double {
        pow(10, decibels / 20)
    }
}
