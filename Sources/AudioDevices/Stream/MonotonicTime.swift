// CALSA too: alsa-lib's headers bring the C library's structs with them, and the compiler may count them as its own.
import CALSA
import Glibc

/// The system's monotonic clock.
package enum MonotonicTime {
    package static let nanosecondsPerSecond: Int64 = 1_000_000_000

    /// Nanoseconds since some moment before the process began.
    ///
    /// Costs no system call on Linux. Real-time safe: yes.
    package static func now() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* nanosecondsPerSecond &+ Int64(time.tv_nsec)
    }

    /// How long so many frames last, rounded down.
    static func nanoseconds(ofFrames frames: Int64, sampleRate: Int) -> Int64 {
        // In two parts, since frames × 10⁹ would overflow after two days.
        let rate = Int64(sampleRate)
        let (seconds, rest) = frames.quotientAndRemainder(dividingBy: rate)
        return seconds * nanosecondsPerSecond + rest * nanosecondsPerSecond / rate
    }

    /// How many whole frames so many nanoseconds hold.
    static func frames(inNanoseconds nanoseconds: Int64, sampleRate: Int) -> Int64 {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: nanosecondsPerSecond)
        return seconds * Int64(sampleRate) + rest * Int64(sampleRate) / nanosecondsPerSecond
    }
}
