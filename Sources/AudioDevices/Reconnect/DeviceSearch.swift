import Files
/// Decides when to look for a lost device, and which devices to try. The caller passes in all times.
///
/// The pauses between attempts grow from 50 ms to a quarter of a second, and after half a minute to two seconds: an
/// attempt costs about as much as opening a device, and after half a minute of silence another second does not matter.
struct DeviceSearch {
    static let shortestDelay: Int64 = 50_000_000
    private static let patience: Int64 = 30 * MonotonicTime.nanosecondsPerSecond

    private let policy: LossPolicy
    private let lost: OutputDevice
    private let began: Int64
    private var delay: Int64
    /// The time of the next attempt; nil until a request.
    private var nextTry: Int64?
    private var isAsked = false
    private var told: DeviceError.Kind?

    /// - Parameter delay: wait before the first attempt, in ns: 0, unless the device was lost right after its opening.
    init(_ policy: LossPolicy, lost: OutputDevice, delay: Int64, now: Int64) {
        self.policy = policy
        self.lost = lost
        self.delay = max(delay, Self.shortestDelay)
        began = now
        nextTry = policy == .pause ? nil : now + delay
    }

    /// The current pause between attempts.
    var currentDelay: Int64 { delay }

    /// Notes that a player wants sound now.
    mutating func ask(now: Int64) {
        isAsked = true
        nextTry = now
    }

    /// Notes that the system reports a new device, about which nothing else is known yet.
    mutating func hearOfDevice(now: Int64) {
        guard nextTry != nil else { return }
        delay = Self.shortestDelay
        nextTry = now
    }

    /// Returns the devices to try now, the best first; none if no attempt is due.
    func due(now: Int64) -> [OutputDevice] {
        guard let nextTry, now >= nextTry else { return [] }
        guard case .fallback(let other) = policy else { return [lost] }
        // On request the lost device comes first, because the user chose this device; the fallback comes after.
        return isAsked && other != lost ? [lost, other] : [other]
    }

    /// Records a failed attempt, and returns true if the failure should be reported.
    mutating func fail(with error: DeviceError, now: Int64) -> Bool {
        defer { isAsked = false }
        switch policy {
        case .pause, .fallback:
            nextTry = nil
            return true
        case .wait:
            let limit = (now - began < Self.patience ? 1 : 8) * MonotonicTime.nanosecondsPerSecond / 4
            nextTry = now + delay
            delay = min(delay * 2, limit)
            let isAbsent = [.noDevice, .unknownDevice, .lost].contains(error.kind)
            // The loss itself already reported the device as absent; any other reason is reported once.
            let isNews = isAsked || !isAbsent && told != error.kind
            if !isAbsent { told = error.kind }
            return isNews
        }
    }
}
