// CALSA too: alsa-lib's headers include the C library's structs, and the compiler may attribute the structs to CALSA.
import CALSA
import Files
import Glibc

extension MonotonicTime {
    /// Suspend time of the computer since it was switched on, in nanoseconds: `now` stands still during a suspend.
    /// Within a few microseconds.
    ///
    /// Costs no system call on Linux. Real-time safe: yes.
    static func asleep() -> Int64 {
        asleep(now: now) {
            var time = timespec()
            unsafe clock_gettime(CLOCK_BOOTTIME, &time)
            return Int64(time.tv_sec) &* nanosecondsPerSecond &+ Int64(time.tv_nsec)
        }
    }

    /// The same by two clocks, of which the second includes the suspends. Real-time safe: yes, if the clocks are.
    static func asleep(now: () -> Int64, sinceBoot: () -> Int64) -> Int64 {
        var asleep = Int64.min
        // A delay of the thread between both readings makes the difference too small, so the largest counts.
        for _ in 0..<8 {
            let before = now()
            let boot = sinceBoot()
            let after = now()
            asleep = max(asleep, boot &- after)
            if after &- before < 20_000 { break }
        }
        return asleep
    }

    /// The duration of a number of frames, rounded down.
    static func nanoseconds(ofFrames frames: Int64, sampleRate: Int) -> Int64 {
        // In two parts, because frames × 10⁹ would overflow after two days.
        let rate = Int64(sampleRate)
        let (seconds, rest) = frames.quotientAndRemainder(dividingBy: rate)
        return seconds * nanosecondsPerSecond + rest * nanosecondsPerSecond / rate
    }

    /// The number of whole frames in a number of nanoseconds.
    static func frames(inNanoseconds nanoseconds: Int64, sampleRate: Int) -> Int64 {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: nanosecondsPerSecond)
        return seconds * Int64(sampleRate) + rest * Int64(sampleRate) / nanosecondsPerSecond
    }
}
