/// A player that is offered on the session bus, over one connection. Used on the bus's thread only.
final class SessionOffer {
    /// What has become of the connection.
    enum News: Equatable {
        /// The player is on the bus, under this name.
        case named(String)
        /// It is on the bus, but may have no name.
        case nameless(String)
    }

    private let connection: BusConnection
    private let identity: MediaIdentity
    private let position: () -> Int64
    private let now: () -> Int64
    private let names: [String]
    /// The call for the name with this index is on its way.
    private var nameCall: (cookie: UInt64, index: Int)?
    private var state: MediaState
    private var watch: PositionWatch
    private(set) var isNamed = false

    /// What a reading may take, in ns: little beside what counts as a jump.
    private static let stall: Int64 = 20_000_000
    /// RequestName's flag not to wait until the name is free, and its answers that we own it now, or did before.
    private static let (doNotQueue, owned): (UInt32, Set<UInt32>) = (4, [1, 4])

    /// - Parameter process: This process's number, for a second player.
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

    /// Shows another state, and tells what has changed.
    func publish(_ new: MediaState) {
        let changes = MediaChanges(from: properties, to: MediaProperties(identity: identity, state: new))
        let (isOtherTrack, isOtherMotion) = (new.track?.id != state.track?.id, new.belief != state.belief)
        // A jump at this moment is told at the old rate, because programs hear of the new one afterwards.
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
            // Programs believe that a track begins at its beginning.
            watch.change(position: 0, now: now(), believed: state.belief, real: state.truth)
            look()
        } else if isOtherMotion || watch.real != state.truth {
            note()
        }
    }

    /// The position, and when it was there. Where the thread was held up between the two, the position is read again: it would seem to have
    /// jumped.
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

    /// Tells the position if it is not where programs believe it to be.
    func look() {
        let (place, time) = reading()
        guard watch.jumps(to: place, now: time) else { return }
        connection.signal(BusInterface.path, BusInterface.player.name, "Seeked", [.int64(place)])
    }

    /// Whether the position moves by itself, so that it must be looked at.
    var moves: Bool { state.playback == .playing }

    // MARK: The bus's side

    /// Takes a message.
    ///
    /// - Parameter request: Takes a request; false if too many wait.
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
    /// How fast programs believe the position to move.
    var belief: Double { playback == .playing ? rate : 0 }
    /// How fast it moves.
    var truth: Double { playback == .playing ? motion ?? rate : 0 }
}
