/// Tells a device that is merely slow from one that is dead, by how long it was waited for.
///
/// Time in which its own thread was held up is not the device's: whoever stops a program for a minute, or computes too long,
/// must not find the device lost.
struct ProgressWatch {
    /// How long a device may be waited for in vain, in nanoseconds: a second, or three periods if those are longer.
    let limit: Int64
    /// How long to rest between fruitless wakes: a quarter period, 1 to 20 ms.
    let restNanoseconds: Int64
    /// Since the device has last moved frames or was started.
    private var waitedNanoseconds: Int64 = 0
    private var lastAvailable = 0
    private var fruitlessWakes = 0

    init(periodNanoseconds: Int64) {
        limit = max(MonotonicTime.nanosecondsPerSecond, 3 * periodNanoseconds)
        restNanoseconds = min(max(periodNanoseconds / 4, 1_000_000), 20_000_000)
    }

    /// The device has moved frames or was started.
    mutating func reset() {
        waitedNanoseconds = 0
        lastAvailable = 0
        fruitlessWakes = 0
    }

    /// The device was started for the first time, and some sound servers take a second to get going.
    mutating func allowSlowStart() {
        reset()
        waitedNanoseconds = -MonotonicTime.nanosecondsPerSecond
    }

    /// So many frames can be moved; more than before is progress.
    mutating func observe(available: Int) {
        guard available > lastAvailable else { return }
        reset()
        lastAvailable = available
    }

    /// The device was waited for once more; a wait longer than `timeout` was longer for another's sake. In nanoseconds.
    mutating func countWake(after waited: Int64, timeout: Int64) {
        fruitlessWakes += 1
        waitedNanoseconds += min(waited, timeout)
    }

    /// Whether the device wakes its thread again and again without moving frames.
    var isSpinning: Bool { fruitlessWakes >= 8 }

    var isExhausted: Bool { waitedNanoseconds >= limit }
}

/// Bounds how often a device is started again: a hundred times at once, twenty times a second for long.
struct RecoveryBudget {
    private static let capacity: Int64 = 100
    private static let nanosecondsEach: Int64 = 50_000_000
    private var left = capacity
    private var lastRefill: Int64 = 0

    /// Takes one recovery; false when there is none left.
    mutating func spend(now: Int64) -> Bool {
        let earned = (now - lastRefill) / Self.nanosecondsEach
        if earned > 0 {
            left = earned > Self.capacity ? Self.capacity : min(Self.capacity, left + earned)
            lastRefill = now
        }
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}

/// Follows a running device's position by the clock, to tell when it stood still and how long it has been gone.
struct PositionClock {
    let sampleRate: Int
    /// A shorter standstill is taken for the steps in which devices count.
    let toleranceFrames: Int64
    private(set) var time: Int64 = 0
    private(set) var position: Int64 = 0

    init(sampleRate: Int, periodFrames: Int) {
        self.sampleRate = sampleRate
        toleranceFrames = max(Int64(2 * periodFrames), Int64(sampleRate / 100))
    }

    /// The device was started, or goes on, at a position.
    mutating func restart(at position: Int64, now: Int64) {
        self.position = position
        time = now
    }

    /// Where the device should be.
    func expectedPosition(at now: Int64) -> Int64 {
        position + MonotonicTime.frames(inNanoseconds: max(0, now - time), sampleRate: sampleRate)
    }

    /// When the device was, or will be, at a position.
    func time(of frame: Int64) -> Int64 {
        time + MonotonicTime.nanoseconds(ofFrames: frame - position, sampleRate: sampleRate)
    }

    /// Takes a position that was asked for between two times; returns for how many frames the device stood still, or nil
    /// where it has not moved since.
    mutating func observe(position: Int64, after: Int64, before: Int64) -> Int64? {
        guard position > self.position else { return nil }
        // By the time before the question, and from the time after the last one: a thread that was held up in between
        // must not look like a device that stood still.
        let missing = expectedPosition(at: after) - position
        let isFirst = self.position == 0
        restart(at: position, now: before)
        // What a device needs to get going after its start is no standstill.
        return missing > toleranceFrames && !isFirst ? missing : 0
    }
}
