import Files
/// Distinguishes a slow device from a dead one, by the time spent waiting for the device.
///
/// Delays of the device thread itself do not count: a program that was stopped for a minute, or computed too long, must
/// not treat its device as lost.
struct ProgressWatch {
    /// The longest wait without progress, in nanoseconds: a second, or three periods if longer.
    let limit: Int64
    /// The rest between spurious wake-ups: a quarter period, 1 to 20 ms.
    let restNanoseconds: Int64
    /// Waiting time since the device last moved frames or started.
    private var waitedNanoseconds: Int64 = 0
    private var lastAvailable = 0
    private var fruitlessWakes = 0

    init(periodNanoseconds: Int64) {
        limit = max(MonotonicTime.nanosecondsPerSecond, 3 * periodNanoseconds)
        restNanoseconds = min(max(periodNanoseconds / 4, 1_000_000), 20_000_000)
    }

    /// Begins anew after the device has moved frames or started.
    mutating func reset() {
        waitedNanoseconds = 0
        lastAvailable = 0
        fruitlessWakes = 0
    }

    /// Begins anew after the device's first start; some sound servers take a second to begin.
    mutating func allowSlowStart() {
        reset()
        waitedNanoseconds = -MonotonicTime.nanosecondsPerSecond
    }

    /// Takes the number of frames that can be transferred; more than before is progress.
    mutating func observe(available: Int) {
        guard available > lastAvailable else { return }
        reset()
        lastAvailable = available
    }

    /// Adds a wait for the device. If the wait was longer than `timeout`, the rest was not the device's fault. In
    /// nanoseconds.
    mutating func countWake(after waited: Int64, timeout: Int64) {
        if waited < timeout { fruitlessWakes += 1 }
        waitedNanoseconds += min(waited, timeout)
    }

    /// True if the device wakes its thread repeatedly without moving frames.
    var isSpinning: Bool { fruitlessWakes >= 8 }

    var isExhausted: Bool { waitedNanoseconds >= limit }
}

/// Limits restarts of a device: a hundred in quick succession, twenty a second over a longer time, eight in a row
/// before the first frame or soon after a start.
struct RecoveryBudget {
    private static let capacity: Int64 = 100
    private static let nanosecondsEach: Int64 = 50_000_000
    private static let longestRow = 8
    private var left = capacity
    private var lastRefill: Int64 = 0
    /// Consecutive interruptions before the first frame moved.
    private(set) var refusals = 0
    /// Consecutive interruptions implausibly soon after a start.
    private var earlyFaults = 0

    /// The moment of an interruption.
    enum Moment {
        case beforeFirstFrame, soonAfterStart, later
    }

    /// Reason to give a device up.
    enum Exhaustion {
        /// The device never moves a frame.
        case refusals
        /// The device stops again and again.
        case storm
    }

    /// Takes the recovery from an interruption; returns the reason if the device must be given up instead.
    mutating func spend(_ moment: Moment, now: Int64) -> Exhaustion? {
        switch moment {
        case .beforeFirstFrame:
            refusals += 1
            // Refusals are counted separately, and their count must reach its limit first.
            if refusals > Self.longestRow { return .refusals }
        case .soonAfterStart:
            (refusals, earlyFaults) = (0, earlyFaults + 1)
        case .later:
            (refusals, earlyFaults) = (0, 0)
        }
        return earlyFaults > Self.longestRow || !spend(now: now) ? .storm : nil
    }

    /// Takes one recovery; returns false if none is left.
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

/// Predicts a running device's position from the clock, to detect standstills of the device and their length.
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

    /// Begins anew at a position, after the device was started or continues.
    mutating func restart(at position: Int64, now: Int64) {
        self.position = position
        time = now
    }

    /// Returns the expected position of the device.
    func expectedPosition(at now: Int64) -> Int64 {
        position + MonotonicTime.frames(inNanoseconds: max(0, now - time), sampleRate: sampleRate)
    }

    /// Returns the time at which the device was, or will be, at a position.
    func time(of frame: Int64) -> Int64 {
        time + MonotonicTime.nanoseconds(ofFrames: frame - position, sampleRate: sampleRate)
    }

    /// Takes a position read between two times. Returns the frames of the device's standstill, or nil if the device has
    /// not moved since.
    mutating func observe(position: Int64, after: Int64, before: Int64) -> Int64? {
        guard position > self.position else { return nil }
        // Uses the time before this reading, and the time after the last reading. So a delay of the thread between the
        // readings does not look like a standstill of the device.
        let missing = expectedPosition(at: after) - position
        let isFirst = self.position == 0
        restart(at: position, now: before)
        // The delay after a start is not a standstill.
        return missing > toleranceFrames && !isFirst ? missing : 0
    }
}
