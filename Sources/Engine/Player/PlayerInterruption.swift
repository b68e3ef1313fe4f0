/// A time without a device, for one player: whether the player resumes by itself afterwards. Trivial.
///
/// Real-time safe: yes.
struct PlayerInterruption: BitwiseCopyable {
    private enum Phase: BitwiseCopyable {
        /// There is a device.
        case none
        /// Nothing is audible.
        case underWay
        /// A device is back, from the next block on.
        case over
    }

    private var phase = Phase.none
    /// True if the player resumes without a request once there is a device.
    private var resumes = false
    /// True if sound was requested since the mixer last asked.
    private var wishes = false
    /// The `PauseReason`, by its raw value.
    private(set) var reason: Int64 = 0

    /// No interruption so far.
    init() {}

    /// Begins a time without a device.
    init(reason: Int64, resumes: Bool) {
        (phase, self.reason, self.resumes) = (.underWay, reason, resumes)
    }

    /// True while nothing is audible.
    var isUnderWay: Bool {
        if case .underWay = phase { true } else { false }
    }

    /// Sets another cause of the device's absence; returns the old cause, or nil if there is a device.
    mutating func change(to reason: Int64) -> Int64? {
        guard isUnderWay else { return nil }
        defer { self.reason = reason }
        return self.reason
    }

    /// Notes the return of a device, for the next block.
    mutating func end() { phase = .over }

    /// Ends an interruption whose device is back. Returns true if the player resumes now.
    mutating func takeResumption() -> Bool {
        guard case .over = phase else { return false }
        defer { (phase, resumes) = (.none, false) }
        return resumes
    }

    /// Notes a request for sound: the player resumes once there is a device.
    mutating func wish() { (resumes, wishes) = (true, true) }

    /// Lets the player stay silent once there is a device.
    mutating func forgetWish() { resumes = false }

    /// Returns true if sound was requested since the last call.
    mutating func takeWish() -> Bool {
        defer { wishes = false }
        return wishes
    }
}
