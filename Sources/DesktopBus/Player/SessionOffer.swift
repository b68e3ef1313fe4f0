/// A player offered on the session bus, over one connection. Used on the bus's thread only.
final class SessionOffer {
    /// The result of requesting a name.
    enum News: Equatable {
        /// The player is on the bus, under this name.
        case named(String)
        /// The player is on the bus without a name; carries the reason.
        case nameless(String)
    }

    private let connection: BusConnection
    private let identity: MediaIdentity
    private let position: () -> Int64
    private let now: () -> Int64
    private let names: [String]
    /// The pending call for a name, with the index of the name.
    private var nameCall: (cookie: UInt64, index: Int)?
    private var state: MediaState
    private var watch: PositionWatch
    private(set) var isNamed = false

    /// The longest duration of a reading, in ns: small beside the tolerance of a jump.
    private static let stall: Int64 = 20_000_000
    /// RequestName's flag not to wait for a name in use, and the answers that mean ownership, new or old.
    private static let (doNotQueue, owned): (UInt32, Set<UInt32>) = (4, [1, 4])

    /// - Parameter process: The process ID, for the name of a second player.
    init(
        _ connection: BusConnection, _ identity: MediaIdentity, _ state: MediaState, process: Int32,
        now: @escaping () -> Int64, position: @escaping () -> Int64
    ) {
        (self.connection, self.identity, self.state) = (connection, identity, state)
        (self.now, self.position) = (now, position)
        let name = BusInterface.root.name + "." + identity.shortName
        names = [name, "\(name).instance\(process)"]
        watch = PositionWatch(position: 0, now: now())
        note()
        askName(0)
    }

    private func askName(_ index: Int) {
        nameCall = connection.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            [.string(names[index]), .uint32(Self.doNotQueue)]
        ).map { ($0, index) }
    }

    private var properties: MediaProperties { MediaProperties(identity: identity, state: state) }

    // MARK: The owner's side

    /// Shows another state, and announces the changes.
    func publish(_ new: MediaState) {
        let changes = MediaChanges(from: properties, to: MediaProperties(identity: identity, state: new))
        let (isOtherTrack, isOtherMotion) = (new.track?.id != state.track?.id, new.belief != state.belief)
        // Announces a jump at this moment with the old rate, because programs learn the new rate afterwards.
        if !isOtherTrack { look() }
        state = new
        for change in changes.properties {
            connection.signal(
                BusInterface.path, BusInterface.properties.name, "PropertiesChanged",
                [.string(change.interface), .dictionary(change.changed), .strings(change.invalidated)])
        }
        for signal in changes.signals {
            connection.signal(BusInterface.path, BusInterface.trackList.name, signal.member, signal.values)
        }
        if isOtherTrack {
            // Programs assume that a track begins at its beginning.
            watch.change(position: 0, now: now(), believed: state.belief, real: state.truth)
            look()
        } else if isOtherMotion || watch.real != state.truth {
            note()
        }
    }

    /// Returns the position, and the time of the position. If the thread was delayed between the two, reads again,
    /// because a delay looks like a jump.
    private func reading() -> (place: Int64, time: Int64) {
        var (place, time) = (state.place(position()), now())
        for _ in 0..<20 {
            let before = time
            (place, time) = (state.place(position()), now())
            if time - before < Self.stall { break }
        }
        return (place, time)
    }

    private func note() {
        let (place, time) = reading()
        watch.change(position: place, now: time, believed: state.belief, real: state.truth)
    }

    /// Announces the position if programs believe another.
    func look() {
        let (place, time) = reading()
        guard watch.jumps(to: place, now: time) else { return }
        connection.signal(BusInterface.path, BusInterface.player.name, "Seeked", [.int64(place)])
    }

    /// True if the position moves by itself, and so must be watched.
    var moves: Bool { state.playback == .playing }

    // MARK: The bus's side

    /// Handles a message.
    ///
    /// - Parameter request: Receives a request; returns false if too many wait.
    func take(_ message: BusMessage, request: (MediaRequest) -> Bool) -> News? {
        switch message.kind {
        case .call:
            answer(message, request)
            return nil
        case .reply, .error: return nameAnswer(message)
        case .signal: return nil
        }
    }

    private func answer(_ message: BusMessage, _ request: (MediaRequest) -> Bool) {
        withoutActuallyEscaping(request) { request in
            let object = PlayerObject(properties: properties, position: position, request: request)
            let call = PlayerObject.Call(
                path: message.path, interface: message.interface, member: message.member,
                signature: message.signature, values: message.values)
            do throws(BusFault) {
                connection.answer(message, try object.answer(call))
            } catch {
                connection.answer(message, error)
            }
        }
    }

    private func nameAnswer(_ message: BusMessage) -> News? {
        guard let (cookie, index) = nameCall, message.replyCookie == cookie,
            message.sender == "org.freedesktop.DBus"
        else { return nil }
        nameCall = nil
        if message.kind == .reply, case .uint32(let answer)? = try? message.values().first, Self.owned.contains(answer)
        {
            isNamed = true
            return .named(names[index])
        }
        guard index + 1 < names.count else { return .nameless(message.fault?.message ?? "the name is taken") }
        askName(index + 1)
        return nil
    }
}

extension MediaState {
    /// Speed of the position as believed by programs.
    var belief: Double { playback == .playing ? rate : 0 }
    /// True speed of the position.
    var truth: Double { playback == .playing ? motion ?? rate : 0 }
}
