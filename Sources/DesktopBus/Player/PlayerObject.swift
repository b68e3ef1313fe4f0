/// The object of a player on the bus: answers calls from a state, and converts them to requests. Knows no connection.
///
/// Every call, with any values, gets a value or an error.
struct PlayerObject {
    /// A call of a method.
    struct Call {
        let path: String
        /// Empty if the caller names no interface.
        let interface: String
        let member: String
        let signature: String
        /// Reads the values; called only if the signature is right.
        let values: () throws(BusFault) -> [BusValue]
    }

    let properties: MediaProperties
    let position: () -> Int64
    /// Receives a request; returns false if too many wait.
    let request: (MediaRequest) -> Bool

    private var state: MediaState { properties.state }

    /// Answers a call.
    func answer(_ call: Call) throws(BusFault) -> [BusValue] {
        let own = call.path == BusInterface.path ? properties.interfaces : []
        guard !own.isEmpty || Self.child(of: call.path) != nil else { throw .object(call.path) }
        let known = own + (own.isEmpty ? [] : [.properties]) + [.introspection]
        let named = known.filter { call.interface.isEmpty || $0.name == call.interface }
        guard !named.isEmpty else { throw .interface(call.interface) }
        guard let interface = named.first(where: { $0.method(call.member) != nil }),
            let method = interface.method(call.member)
        else { throw .method(call.member) }
        guard call.signature == method.signature else {
            throw .arguments("\(method.name) takes '\(method.signature)', not '\(call.signature)'")
        }
        let values = try call.values()
        switch interface.name {
        case BusInterface.introspection.name:
            let description = BusInterface.description(
                known.map(offered), children: own.isEmpty ? [Self.child(of: call.path) ?? ""] : [])
            return [.string(description)]
        case BusInterface.properties.name: return try properties(method.name, values)
        case BusInterface.root.name: try root(method.name)
        case BusInterface.player.name: try player(method.name, values)
        default: return try trackList(method.name, values)
        }
        return []
    }

    /// Returns an interface without the properties missing from this player.
    private func offered(_ interface: BusInterface) -> BusInterface {
        var interface = interface
        interface.properties.removeAll { properties.value($0.name, of: interface.name, position: { 0 }) == nil }
        return interface
    }

    /// Returns the next part of the object's path below another path.
    private static func child(of path: String) -> String? {
        let parent = path == "/" ? "/" : path + "/"
        guard BusInterface.path.hasPrefix(parent) else { return nil }
        return BusInterface.path.dropFirst(parent.count).split(separator: "/").first.map(String.init)
    }

    private func put(_ request: MediaRequest) throws(BusFault) {
        guard self.request(request) else { throw .limit("too many requests wait") }
    }

    // MARK: Methods

    private func root(_ method: String) throws(BusFault) {
        // Without a window there is nothing to raise.
        guard method == "Quit", state.can.contains(.quit) else { return }
        try put(.quit)
    }

    private func player(_ method: String, _ values: [BusValue]) throws(BusFault) {
        let isControlled = state.can.contains(.control)
        /// Ignores an impossible request: for most methods this is no error.
        func put(_ request: MediaRequest, if ability: MediaState.Abilities) throws(BusFault) {
            if isControlled, state.can.contains(ability) { try self.put(request) }
        }
        switch (method, values.first, values.dropFirst().first) {
        case ("Next", _, _): try put(.next, if: .next)
        case ("Previous", _, _): try put(.previous, if: .previous)
        case ("Play", _, _): try put(.play, if: .play)
        case ("Pause", _, _): try put(.pause, if: .pause)
        case ("PlayPause", _, _):
            guard isControlled, state.can.contains(.pause) else { throw .unsupported("there is nothing to pause") }
            try self.put(.playPause)
        case ("Stop", _, _):
            guard isControlled else { throw .unsupported("this player can only be watched") }
            try self.put(.stop)
        case ("Seek", .int64(let offset)?, _): try put(.seek(by: offset), if: .seek)
        case ("SetPosition", .path(let track)?, .int64(let place)?):
            // A finished track, or a place outside of the track: the caller is late, so the call has no effect.
            guard let current = state.track, track == current.path, place >= 0, place <= current.length ?? .max else {
                return
            }
            try put(.goTo(place), if: .seek)
        case ("OpenUri", .string(let uri)?, _):
            guard isControlled, state.can.contains(.open) else {
                throw .unsupported("nothing can be opened over the bus")
            }
            try self.put(.open(try checked(uri)))
        default: throw .arguments("\(method): wrong values")
        }
    }

    /// Returns a URI with a supported scheme.
    private func checked(_ uri: String) throws(BusFault) -> String {
        guard uri.utf8.count <= 4096 else { throw .arguments("the URI has more than 4096 bytes") }
        let scheme = uri.prefix { $0 != ":" }.lowercased()
        guard scheme.utf8.count < uri.utf8.count, properties.identity.schemes.contains(scheme) else {
            throw .unsupported("URIs begin with: \(properties.identity.schemes.joined(separator: ", "))")
        }
        return uri
    }

    private func trackList(_ method: String, _ values: [BusValue]) throws(BusFault) -> [BusValue] {
        let tracks = state.tracks ?? []
        func isKnown(_ id: Int) -> Bool { tracks.contains { $0.id == id } }
        let (isControlled, edits) = (state.can.contains(.control), state.can.contains(.editTracks))
        switch (method, values.first) {
        case ("GetTracksMetadata", .array(_, let paths)?):
            guard paths.count <= 1000 else { throw .limit("ask for at most 1000 tracks at a time") }
            let byPath = Dictionary(tracks.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
            let found = paths.compactMap { $0.text.flatMap { byPath[$0] } }
            return [.array(of: "a{sv}", found.map { .dictionary(MediaProperties.metadata($0)) })]
        case ("AddTrack", .string(let uri)?):
            guard values.count == 3, case .path(let after) = values[1], case .boolean(let playsIt) = values[2] else {
                throw .arguments("AddTrack: wrong values")
            }
            guard isControlled, edits else { return [] }
            // After a missing track: at the end.
            let place = MediaTrack.id(ofPath: after).flatMap { isKnown($0) ? $0 : nil }
            let last = after == MediaTrack.none ? nil : tracks.last?.id
            try put(.addTrack(try checked(uri), after: place ?? last, playsIt: playsIt))
        case ("RemoveTrack", .path(let path)?):
            guard isControlled, edits, let id = MediaTrack.id(ofPath: path), isKnown(id) else { return [] }
            try put(.removeTrack(id))
        case ("GoTo", .path(let path)?):
            guard isControlled, let id = MediaTrack.id(ofPath: path), isKnown(id) else { return [] }
            try put(.goToTrack(id))
        default: throw .arguments("\(method): wrong values")
        }
        return []
    }

    // MARK: Properties

    private func properties(_ method: String, _ values: [BusValue]) throws(BusFault) -> [BusValue] {
        let name = values.first?.text ?? ""
        guard let interface = properties.interfaces.first(where: { $0.name == name }) else { throw .interface(name) }
        if method == "GetAll" { return [.dictionary(properties.values(of: interface, position: position))] }
        let propertyName = values.dropFirst().first?.text ?? ""
        guard let property = interface.property(propertyName),
            let value = properties.value(property.name, of: interface.name, position: position)
        else { throw .property(propertyName) }
        if method == "Get" { return [.variant(value)] }
        guard property.isWritable else { throw .readOnly(property.name) }
        guard state.can.contains(.control) else { throw .readOnly(property.name) }
        guard case .variant(let new)? = values.last, new.signature == property.type else {
            throw .arguments("\(property.name) is of type '\(property.type)'")
        }
        try set(property.name, new)
        return []
    }

    private func set(_ property: String, _ value: BusValue) throws(BusFault) {
        switch (property, value) {
        case ("LoopStatus", .string(let text)):
            guard let loop = MediaState.Loop(rawValue: text) else {
                throw .arguments("LoopStatus is None, Track or Playlist")
            }
            try put(.setLoop(loop))
        case ("Shuffle", .boolean(let isOn)): try put(.setShuffle(isOn))
        case ("Volume", .double(let volume)):
            guard volume.isFinite else { throw .arguments("Volume is a number") }
            try put(.setVolume(max(0, volume)))
        // The specification requires a pause for rate 0.
        case ("Rate", .double(0)): if state.can.contains(.pause) { try put(.pause) }
        case ("Rate", .double(let rate)):
            guard state.rates.contains(rate) else {
                throw .arguments("Rate is from \(state.rates.lowerBound) to \(state.rates.upperBound)")
            }
            try put(.setRate(rate))
        default: throw .arguments("\(property): wrong value")
        }
    }
}
