/// When a lost device is to be looked for, and which devices are tried; reckons with times that are given to it.
///
/// The pauses between attempts grow from 50 ms to a quarter of a second, and after half a minute to two seconds: attempts cost
/// about as much as opening a device does, and nobody waits for the first second of sound after half a minute of silence.
struct DeviceSearch {
    static let shortestDelay: Int64 = 50_000_000
    private static let patience: Int64 = 30 * MonotonicTime.nanosecondsPerSecond

    private let policy: LossPolicy
    private let lost: OutputDevice
    private let began: Int64
    private var delay: Int64
    /// When to try next; nil: not before somebody asks.
    private var nextTry: Int64?
    private var isAsked = false
    private var told: DeviceError.Kind?

    /// - Parameter delay: how long to wait before the first attempt: 0, unless the device was lost as soon as it was there.
    init(_ policy: LossPolicy, lost: OutputDevice, delay: Int64, now: Int64) {
        self.policy = policy
        self.lost = lost
        self.delay = max(delay, Self.shortestDelay)
        began = now
        nextTry = policy == .pause ? nil : now + delay
    }

    /// How long the pauses have become.
    var currentDelay: Int64 { delay }

    /// Somebody wants to hear something now.
    mutating func ask(now: Int64) {
        isAsked = true
        nextTry = now
    }

    /// The system has a new device, of which there is hardly more to be said yet.
    mutating func hearOfDevice(now: Int64) {
        guard nextTry != nil else { return }
        delay = Self.shortestDelay
        nextTry = now
    }

    /// The devices to try now, the best first; none when it is not time yet.
    func due(now: Int64) -> [OutputDevice] {
        guard let nextTry, now >= nextTry else { return [] }
        guard case .fallback(let other) = policy else { return [lost] }
        // What a user asks for is the device they chose; what is announced as a replacement comes after it.
        return isAsked && other != lost ? [lost, other] : [other]
    }

    /// Notes that what was due could not be opened, and returns whether that is to be told.
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
            // That it is not there yet was told with the loss; what else keeps it from playing is news, once.
            let isNews = isAsked || !isAbsent && told != error.kind
            if !isAbsent { told = error.kind }
            return isNews
        }
    }
}
