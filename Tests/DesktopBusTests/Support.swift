// A silent player, a program to control the player over a private bus, and a simulated login manager.
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DesktopBus

func nanoseconds() -> Int64 {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// A bus for a test; the test fails where none starts.
func startBus() throws -> PrivateBus { try #require(PrivateBus(), "no private bus starts") }

/// Carries out the bus's requests at once and in silence.
final class FakePlayer: Sendable {
    struct Model: Sendable {
        var state = MediaState()
        /// The place and time of the last move, start or stop.
        var place: Int64 = 0
        var since: Int64 = 0
        var requests: [MediaRequest] = []
        var news: [DesktopNews] = []

        var position: Int64 {
            guard state.playback == .playing else { return place }
            return place &+ Int64(Double(nanoseconds() - since) / 1000 * (state.motion ?? state.rate))
        }

        mutating func move(to position: Int64) { (place, since) = (position, nanoseconds()) }
    }

    /// The objects kept by the bus's thread until the thread has ended.
    private final class Core: Sendable {
        let model: Mutex<Model>
        let bus: DesktopBus
        /// Whether the player carries requests out.
        let obeys: Bool

        init(_ state: MediaState, obeys: Bool) throws {
            model = Mutex(Model(state: state))
            bus = try DesktopBus()
            self.obeys = obeys
        }

        func change(_ body: (inout Model) -> Void) {
            let state = model.withLock { model in
                body(&model)
                return model.state
            }
            bus.publish(state)
        }

        func take(_ news: DesktopNews) {
            model.withLock { $0.news.append(news) }
            guard case .request(let request) = news else { return }
            guard obeys else { return model.withLock { $0.requests.append(request) } }
            change { model in
                model.requests.append(request)
                FakePlayer.carryOut(request, &model)
            }
            bus.carriedOut()
        }
    }

    private let core: Core
    var bus: DesktopBus { core.bus }

    static let identity = MediaIdentity(
        name: "Woodshed", shortName: "woodshed", schemes: ["file", "https"], mimeTypes: ["audio/flac", "audio/wav"])

    static var state: MediaState {
        var state = MediaState()
        state.playback = .paused
        (state.loop, state.shuffle, state.volume, state.rates) = (MediaState.Loop.none, false, 1, 0.25...4)
        state.can = [.next, .previous, .play, .pause, .seek, .control, .quit, .open, .editTracks]
        let tracks = (0..<3).map { number in
            var track = MediaTrack(id: number)
            (track.length, track.title, track.artists) = (100_000_000, "Tune \(number)", ["Somebody"])
            (track.album, track.number, track.comments) = ("Album", number + 1, ["section 2: Bridge"])
            track.url = MediaTrack.url(ofPath: Array("/music/tune \(number).flac".utf8))
            return track
        }
        (state.tracks, state.track) = (tracks, tracks[1])
        return state
    }

    init(_ addresses: BusAddresses, _ state: MediaState = FakePlayer.state, obeys: Bool = true) throws {
        core = try Core(state, obeys: obeys)
        try bus.start(
            addresses, Self.identity, state, position: { [core] in core.model.withLock { $0.position } },
            receive: { [core] in core.take($0) })
    }

    convenience init(on privateBus: PrivateBus, _ state: MediaState = FakePlayer.state, obeys: Bool = true) throws {
        try self.init(BusAddresses(session: privateBus.address, system: nil), state, obeys: obeys)
        try #require(eventually { name != nil })
    }

    deinit { bus.close() }

    var news: [DesktopNews] { core.model.withLock { $0.news.map(\.self) } }
    var requests: [MediaRequest] { core.model.withLock { $0.requests.map(\.self) } }
    var state: MediaState { core.model.withLock { $0.state } }
    var position: Int64 { core.model.withLock { $0.position } }

    /// The player's newest name on the bus.
    var name: String? {
        core.model.withLock { model in
            for case .available(let name) in model.news.reversed() { return name }
            return nil
        }
    }

    func change(_ body: (inout Model) -> Void) { core.change(body) }

    private static func carryOut(_ request: MediaRequest, _ model: inout Model) {
        func playback(_ playback: MediaState.Playback) {
            model.move(to: playback == .stopped ? 0 : model.position)
            model.state.playback = playback
        }
        func go(by step: Int) {
            guard let tracks = model.state.tracks, let current = model.state.track,
                let index = tracks.firstIndex(where: { $0.id == current.id })
            else { return }
            model.state.track = tracks[(index + step + tracks.count) % tracks.count]
            model.move(to: 0)
        }
        switch request {
        case .play: playback(.playing)
        case .pause: if model.state.playback == .playing { playback(.paused) }
        case .playPause: playback(model.state.playback == .playing ? .paused : .playing)
        case .stop: playback(.stopped)
        case .next: go(by: 1)
        case .previous: go(by: -1)
        case .seek(let offset):
            switch MediaSeek(by: offset, from: model.position, length: model.state.track?.length) {
            case .next: go(by: 1)
            case .place(let place): model.move(to: place)
            }
        case .goTo(let place): model.move(to: place)
        case .setRate(let rate):
            model.move(to: model.position)
            model.state.rate = rate
        case .setVolume(let volume): model.state.volume = volume
        case .setLoop(let loop): model.state.loop = loop
        case .setShuffle(let isOn): model.state.shuffle = isOn
        case .removeTrack(let id): model.state.tracks?.removeAll { $0.id == id }
        case .goToTrack(let id):
            model.state.track = model.state.tracks?.first { $0.id == id }
            model.move(to: 0)
        case .addTrack(let uri, let after, _):
            var track = MediaTrack(id: (model.state.tracks?.map(\.id).max() ?? 0) + 1)
            track.url = uri
            let index = model.state.tracks?.firstIndex { $0.id == after }.map { $0 + 1 } ?? 0
            model.state.tracks?.insert(track, at: index)
        case .open, .quit: break
        }
    }
}

/// A program on the bus; each call waits for the answer.
final class BusProgram {
    let connection: BusConnection
    /// Signals that have arrived.
    private(set) var signals: [(member: String, sender: String, values: [BusValue])] = []

    struct Refused: Error, Equatable {
        /// The last part of the error's name.
        let name: String
        let message: String
    }

    struct Gone: Error {}

    init(_ address: String) throws { connection = try BusConnection(address, takesDescriptors: true) }

    /// Reads arrived messages, waiting a moment if there are none.
    ///
    /// - Returns: A message for a waiting call.
    func step() throws -> BusMessage? {
        switch connection.next() {
        case .lost: throw Gone()
        case .progress: return nil
        case .message(let message):
            if message.kind == .signal {
                signals.append((message.member, message.sender, (try? message.values()) ?? []))
            }
            return message
        case .idle:
            var waiting = connection.waiting
            _ = unsafe poll(&waiting, 1, 20)
            return nil
        }
    }

    /// Calls a method and waits for the answer.
    func call(
        _ destination: String, _ interface: String, _ member: String, _ values: [BusValue] = [],
        path: String = BusInterface.path
    ) throws -> [BusValue] {
        let cookie = try #require(connection.call(destination, path, interface, member, values))
        let limit = nanoseconds() + 300_000_000_000
        while nanoseconds() < limit {
            guard let message = try step(), message.replyCookie == cookie else { continue }
            if message.kind == .error, let fault = message.fault {
                throw Refused(name: String(fault.name.split(separator: ".").last ?? ""), message: fault.message)
            }
            return try message.values()
        }
        throw Gone()
    }

    /// Hears the signals of all players.
    func listen() throws {
        _ = try call(
            "org.freedesktop.DBus", "org.freedesktop.DBus", "AddMatch",
            [.string("type='signal',path='\(BusInterface.path)'")], path: "/org/freedesktop/DBus")
    }

    /// Takes a name, once the previous owner has left the bus.
    func own(_ name: String) throws {
        #expect(
            try eventually {
                try call(
                    "org.freedesktop.DBus", "org.freedesktop.DBus", "RequestName", [.string(name), .uint32(4)],
                    path: "/org/freedesktop/DBus") == [.uint32(1)]
            })
    }

    /// Waits for a matching signal, and removes all signals up to the match.
    func signal(_ member: String, where fits: ([BusValue]) -> Bool = { _ in true }) throws -> [BusValue] {
        let limit = nanoseconds() + 300_000_000_000
        while nanoseconds() < limit {
            if let index = signals.firstIndex(where: { $0.member == member && fits($0.values) }) {
                defer { signals.removeSubrange(...index) }
                return signals[index].values
            }
            _ = try step()
        }
        throw Gone()
    }
}

/// A player as a program sees it.
struct SeenPlayer {
    let program: BusProgram
    let name: String

    static let player = BusInterface.player.name

    init(_ player: FakePlayer, _ program: BusProgram) throws {
        (self.program, name) = (program, try #require(player.name))
    }

    func get(_ property: String, of interface: String = player) throws -> BusValue {
        let values = try program.call(
            name, BusInterface.properties.name, "Get", [.string(interface), .string(property)])
        guard case .variant(let value)? = values.first else { throw BusProgram.Gone() }
        return value
    }

    func all(_ interface: String = player) throws -> [String: BusValue] {
        let values = try program.call(name, BusInterface.properties.name, "GetAll", [.string(interface)])
        guard case .dictionary(let all)? = values.first else { throw BusProgram.Gone() }
        return all
    }

    func set(_ property: String, _ value: BusValue, of interface: String = player) throws {
        _ = try program.call(
            name, BusInterface.properties.name, "Set", [.string(interface), .string(property), .variant(value)])
    }

    @discardableResult
    func call(_ member: String, _ values: BusValue..., of interface: String = player) throws -> [BusValue] {
        try program.call(name, interface, member, values)
    }

    /// The error of a refused call; empty if accepted.
    static func refusal(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch let error as BusProgram.Refused {
            return error.name
        } catch {
            return "\(error)"
        }
    }
}
