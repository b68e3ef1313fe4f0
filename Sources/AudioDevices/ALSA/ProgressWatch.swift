/// Distinguishes a slow device from a dead one, by the time spent waiting for it.
///
/// Time in which the device thread itself was held up does not count: a program that was stopped for a minute, or computed too long,
/// must not treat its device as lost.
struct ProgressWatch {
    /// The longest wait without progress, in nanoseconds: a second, or three periods if those are longer.
    let limit: Int64
    /// The rest between spurious wake-ups: a quarter period, 1 to 20 ms.
    let restNanoseconds: Int64
    /// Waiting time since the device last moved frames or was started.
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

    /// The device was started for the first time; some sound servers take a second to begin.
    mutating func allowSlowStart() {
        reset()
        waitedNanoseconds = -MonotonicTime.nanosecondsPerSecond
    }

    /// Frames that can be transferred; more than before is progress.
    mutating func observe(available: Int) {
        guard available > lastAvailable else { return }
        reset()
        lastAvailable = available
    }

    /// Adds a wait for the device. If it was longer than `timeout`, the rest was not the device's fault. In nanoseconds.
    mutating func countWake(after waited: Int64, timeout: Int64) {
        if waited < timeout { fruitlessWakes += 1 }
        waitedNanoseconds += min(waited, timeout)
    }

    /// Whether the device wakes its thread repeatedly without moving frames.
    var isSpinning: Bool { fruitlessWakes >= 8 }

    var isExhausted: Bool { waitedNanoseconds >= limit }
}

/// Limits restarts of a device: a hundred in quick succession, twenty a second over a longer time.
struct RecoveryBudget {
    private static let capacity: Int64 = 100
    private static let nanosecondsEach: Int64 = 50_000_000
    private var left = capacity
    private var lastRefill: Int64 = 0

    /// Takes one recovery; false if none is left.
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

/// Predicts a running device's position from the clock, to find out when it stood still and for how long.
struct PositionClock {
    let sampleRate: Int
    /// A shorter standstill counts as the step size of the device's position.
    let toleranceFrames: Int64
    private(set) var time: Int64 = 0
    private(set) var position: Int64 = 0

    init(sampleRate: Int, periodFrames: Int) {
        self.sampleRate = sampleRate
        toleranceFrames = max(Int64(2 * periodFrames), Int64(sampleRate / 100))
    }

    /// The device was started, or continues, at a position.
    mutating func restart(at position: Int64, now: Int64) {
        self.position = position
        time = now
    }

    /// The expected position of the device.
    func expectedPosition(at now: Int64) -> Int64 {
        position + MonotonicTime.frames(inNanoseconds: max(0, now - time), sampleRate: sampleRate)
    }

    /// The time at which the device was, or will be, at a position.
    func time(of frame: Int64) -> Int64 {
        time + MonotonicTime.nanoseconds(ofFrames: frame - position, sampleRate: sampleRate)
    }

    /// Takes a position that was read between two times. Returns how many frames the device stood still for, or nil
    /// if it has not moved since.
    mutating func observe(position: Int64, after: Int64, before: Int64) -> Int64? {
        guard position > self.position else { return nil }
        // Uses the time before this reading, and the time after the last one, so that a thread that was held up in between
        // does not look like a device that stood still.
        let missing = expectedPosition(at: after) - position
        let isFirst = self.position == 0
        restart(at: position, now: before)
        // The delay after a start is not a standstill.
        return missing > toleranceFrames && !isFirst ? missing : 0
    }
}
