internal import Explanations
internal import Files
internal import Glibc
internal import Realtime
internal import Synchronization

/// A test of media keys over the bus: offers a separate player, reads its state, and presses one of its keys.
package enum BusTest {
    /// Runs the test, which takes a few seconds at most.
    ///
    /// - Returns: The name of the test player.
    package static func run(_ address: String?, seconds: Double = 5) throws(DesktopBusError) -> String {
        let (bus, seen) = (try DesktopBus(), Seen())
        defer { bus.close() }
        var state = MediaState()
        (state.playback, state.can) = (.paused, [.control, .pause, .play])
        // A separate name, so that no real player is disturbed.
        let identity = MediaIdentity(name: "Woodshed (test)", shortName: "woodshed_test")
        try bus.start(BusAddresses(session: address, system: nil), identity, state, position: { 0 }) { seen.put($0) }
        let end = MonotonicTime.now() + Int64(seconds * 1e9)
        func wait(_ fits: (DesktopNews) -> Bool) throws(DesktopBusError) -> DesktopNews {
            while MonotonicTime.now() < end {
                for news in seen.all {
                    if case .unavailable(let error) = news { throw error }
                    if case .lost(let error) = news { throw error }
                    if fits(news) { return news }
                }
                usleep(2000)
            }
            throw wrong("it does not answer")
        }
        guard case .available(let name) = try wait({ if case .available = $0 { true } else { false } }) else {
            throw wrong("it refuses a name")
        }
        let program = try BusConnection(address ?? "")
        let reading: [BusValue] = [.string(BusInterface.player.name), .string("PlaybackStatus")]
        guard
            try answer(program, name, BusInterface.properties.name, "Get", reading, end) == [
                .variant(.string("Paused"))
            ]
        else { throw wrong("it shows another state") }
        guard try answer(program, name, BusInterface.player.name, "PlayPause", [], end) == [] else {
            throw wrong("it answers in another way")
        }
        _ = try wait { $0 == .request(.playPause) }
        return name
    }

    private final class Seen: Sendable {
        private let news = Mutex<[DesktopNews]>([])
        var all: [DesktopNews] { news.withLock { $0.map(\.self) } }
        func put(_ one: DesktopNews) { news.withLock { $0.append(one) } }
    }

    private static func answer(
        _ program: BusConnection, _ name: String, _ interface: String, _ member: String, _ values: [BusValue],
        _ end: Int64
    ) throws(DesktopBusError) -> [BusValue] {
        guard let cookie = program.call(name, BusInterface.path, interface, member, values) else {
            throw wrong("nothing can be sent")
        }
        while MonotonicTime.now() < end {
            switch program.next() {
            case .lost(let code): throw .lost(code)
            case .progress: break
            case .idle:
                var waiting = program.waiting
                _ = unsafe poll(&waiting, 1, 20)
            case .message(let message):
                guard message.replyCookie == cookie else { continue }
                if let fault = message.fault, message.kind == .error { throw wrong(fault.message) }
                return (try? message.values()) ?? []
            }
        }
        throw wrong("it does not answer")
    }

    private static func wrong(_ reason: String) -> DesktopBusError {
        DesktopBusError(
            .wrongAnswer, "the session bus does not work (\(reason))",
            remedy: "Log in again; the session bus starts with the desktop.")
    }
}
