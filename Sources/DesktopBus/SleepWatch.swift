internal import Glibc

/// Learns from the login manager that the machine is about to sleep, and keeps the machine awake. Used on the bus's
/// thread only.
///
/// Holds two kinds of the login manager's inhibitors. A *delay* gives the player a moment to fade out before the
/// machine sleeps. A *block* protects a recording: an hour of playing is worth more than the battery. A block stops the
/// timer of the desktop and the menu's entry. Closing the lid of a laptop still ends everything, unless the user has
/// configured the login manager otherwise.
final class SleepWatch {
    enum News: Equatable {
        case sleeps
        case wakes
        /// The login manager lets the machine sleep although a reason to stay awake exists.
        case cannotStayAwake(String)
    }

    private enum Call {
        case owner
        case delay
        /// Carries the blocked actions.
        case block(String)
    }

    private let connection: BusConnection
    private let who: String
    /// The login manager's unique name; messages of other senders are ignored.
    private var owner: String?
    private var calls: [UInt64: Call] = [:]
    /// Descriptors that hold the inhibitors; closing a descriptor ends its inhibitor. -1 for none.
    private var (delay, block): (Int32, Int32) = (-1, -1)
    private var reason: String?
    private var isAsleep = false
    /// Time at which the delay ends even without an answer from the owner.
    private(set) var deadline: Int64?

    private static let (name, path, interface) = (
        "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager"
    )
    private static let bus = "org.freedesktop.DBus"
    /// The longest delay in ns. The login manager itself waits five seconds.
    private static let patience: Int64 = 4_000_000_000
    /// Blocked actions, in the order of attempts: the polkit rules of a distribution may permit less.
    private static let blocks = ["sleep:idle", "idle"]

    init(_ connection: BusConnection, who: String) {
        (self.connection, self.who) = (connection, who)
        ask(
            "AddMatch",
            "type='signal',sender='\(Self.name)',interface='\(Self.interface)',member='PrepareForSleep'")
        ask(
            "AddMatch",
            "type='signal',sender='\(Self.bus)',interface='\(Self.bus)',member='NameOwnerChanged',arg0='\(Self.name)'")
        ask("GetNameOwner", Self.name).map { calls[$0] = .owner }
    }

    deinit { for descriptor in [delay, block] where descriptor >= 0 { close(descriptor) } }

    @discardableResult
    private func ask(_ member: String, _ text: String) -> UInt64? {
        connection.call(Self.bus, "/org/freedesktop/DBus", Self.bus, member, [.string(text)])
    }

    private func inhibit(_ what: String, _ why: String, _ mode: String, _ call: Call) {
        guard owner != nil else { return }
        let values: [BusValue] = [what, who, why, mode].map { .string(busText($0)) }
        if let cookie = connection.call(Self.name, Self.path, Self.interface, "Inhibit", values) {
            calls[cookie] = call
        }
    }

    private func release(_ descriptor: inout Int32) {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    // MARK: The owner's side

    /// Keeps the machine awake, or permits sleep again.
    ///
    /// - Parameter reason: The reason, for people; nil to permit sleep.
    func stayAwake(_ reason: String?) {
        guard reason != self.reason else { return }
        self.reason = reason
        release(&block)
        if reason != nil { askBlock(0) }
    }

    private func askBlock(_ index: Int) {
        guard let reason else { return }
        inhibit(Self.blocks[index], reason, "block", .block(Self.blocks[index]))
    }

    /// Permits sleep, because the sound is paused.
    func readyToSleep() {
        deadline = nil
        if isAsleep { release(&delay) }
    }

    func look(_ now: Int64) { if let deadline, now >= deadline { readyToSleep() } }

    // MARK: The bus's side

    func take(_ message: BusMessage, now: Int64) -> News? {
        switch message.kind {
        case .call:
            connection.answer(message, BusFault.object(message.path))
            return nil
        case .reply, .error: return takeAnswer(message)
        case .signal where message.sender == Self.bus && message.member == "NameOwnerChanged":
            let texts = ((try? message.values()) ?? []).map { $0.text ?? "" }
            if texts.count == 3, texts[0] == Self.name { change(owner: texts[2].isEmpty ? nil : texts[2]) }
            return nil
        case .signal where message.sender == owner && message.interface == Self.interface:
            guard message.member == "PrepareForSleep", case .boolean(let sleeps)? = try? message.values().first else {
                return nil
            }
            return prepare(sleeps, now)
        case .signal: return nil
        }
    }

    private func change(owner new: String?) {
        guard owner != new else { return }
        owner = new
        // The inhibitors have ended with the old login manager.
        release(&delay)
        release(&block)
        (isAsleep, deadline) = (false, nil)
        inhibit("sleep", "Fades out before the machine sleeps", "delay", .delay)
        askBlock(0)
    }

    private func prepare(_ sleeps: Bool, _ now: Int64) -> News? {
        guard sleeps != isAsleep else { return nil }
        isAsleep = sleeps
        deadline = sleeps ? now + Self.patience : nil
        if !sleeps, delay < 0 { inhibit("sleep", "Fades out before the machine sleeps", "delay", .delay) }
        return sleeps ? .sleeps : .wakes
    }

    private func takeAnswer(_ message: BusMessage) -> News? {
        guard let cookie = message.replyCookie, let call = calls.removeValue(forKey: cookie) else { return nil }
        switch call {
        case .owner:
            guard message.sender == Self.bus, message.kind == .reply else { return nil }
            change(owner: (try? message.values().first)?.text)
        case .delay:
            guard let descriptor = inhibitor(message) else { return nil }
            release(&delay)
            delay = descriptor
            // Too late for this sleep; the login manager must not wait for the delay.
            if isAsleep, deadline == nil { release(&delay) }
        case .block(let what):
            guard let descriptor = inhibitor(message) else {
                if let index = Self.blocks.firstIndex(of: what), index + 1 < Self.blocks.count {
                    askBlock(index + 1)
                    return nil
                }
                return .cannotStayAwake(message.fault?.message ?? "no reason given")
            }
            release(&block)
            if reason != nil { block = descriptor } else { close(descriptor) }
        }
        return nil
    }

    private func inhibitor(_ message: BusMessage) -> Int32? {
        guard message.kind == .reply, message.sender == owner,
            case .descriptor(let descriptor)? = try? message.values().first, descriptor >= 0
        else { return nil }
        return descriptor
    }
}
