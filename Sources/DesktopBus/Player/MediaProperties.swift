/// The properties of a player, computed from a state.
struct MediaProperties {
    let identity: MediaIdentity
    let state: MediaState

    /// The interfaces of the player; the track list's only if there is a list.
    var interfaces: [BusInterface] { [.root, .player] + (state.tracks == nil ? [] : [.trackList]) }

    /// True if programs may control the player.
    private var isControlled: Bool { state.can.contains(.control) }

    private func allows(_ ability: MediaState.Abilities) -> BusValue {
        .boolean(isControlled && state.can.contains(ability))
    }

    /// Returns the value of a property; nil if this player lacks the property.
    ///
    /// - Parameter position: Returns the position in microseconds; called only when needed.
    func value(_ property: String, of interface: String, position: () -> Int64) -> BusValue? {
        switch interface {
        case BusInterface.root.name: root(property)
        case BusInterface.player.name: player(property, position)
        case BusInterface.trackList.name: trackList(property)
        default: nil
        }
    }

    private func root(_ property: String) -> BusValue? {
        switch property {
        case "CanQuit": .boolean(state.can.contains(.quit))
        // There is no window.
        case "CanRaise": .boolean(false)
        case "HasTrackList": .boolean(state.tracks != nil)
        case "Identity": .string(busText(identity.name))
        case "DesktopEntry": .string(busText(identity.shortName))
        case "SupportedUriSchemes": .strings(identity.schemes)
        case "SupportedMimeTypes": .strings(identity.mimeTypes)
        default: nil
        }
    }

    private func player(_ property: String, _ position: () -> Int64) -> BusValue? {
        switch property {
        case "PlaybackStatus": .string(state.playback.rawValue)
        case "LoopStatus": state.loop.map { .string($0.rawValue) }
        case "Rate": .double(state.rate)
        case "Shuffle": state.shuffle.map { .boolean($0) }
        case "Metadata": .dictionary(state.track.map(Self.metadata) ?? [:])
        case "Volume": state.volume.map { .double($0) }
        case "Position": .int64(state.place(position()))
        case "MinimumRate": .double(state.rates.lowerBound)
        case "MaximumRate": .double(state.rates.upperBound)
        case "CanGoNext": allows(.next)
        case "CanGoPrevious": allows(.previous)
        case "CanPlay": allows(.play)
        case "CanPause": allows(.pause)
        case "CanSeek": allows(.seek)
        case "CanControl": .boolean(isControlled)
        default: nil
        }
    }

    private func trackList(_ property: String) -> BusValue? {
        guard let tracks = state.tracks else { return nil }
        return switch property {
        case "Tracks": .paths(tracks.map(\.path))
        case "CanEditTracks": allows(.editTracks)
        default: nil
        }
    }

    /// Returns all properties of an interface.
    func values(of interface: BusInterface, position: () -> Int64) -> [String: BusValue] {
        var result: [String: BusValue] = [:]
        for property in interface.properties {
            result[property.name] = value(property.name, of: interface.name, position: position)
        }
        return result
    }

    /// Returns the metadata of a track, for programs.
    static func metadata(_ track: MediaTrack) -> [String: BusValue] {
        var result: [String: BusValue] = ["mpris:trackid": .path(track.path)]
        func put(_ name: String, _ text: String?) {
            if let text, !text.isEmpty { result[name] = .string(busText(text)) }
        }
        func put(_ name: String, _ texts: [String]) {
            let texts = texts.filter { !$0.isEmpty }.prefix(100).map { busText($0) }
            if !texts.isEmpty { result[name] = .strings(texts) }
        }
        if let length = track.length { result["mpris:length"] = .int64(max(0, length)) }
        put("xesam:title", track.title)
        put("xesam:artist", track.artists)
        put("xesam:album", track.album)
        put("xesam:albumArtist", track.albumArtists)
        put("xesam:genre", track.genres)
        put("xesam:comment", track.comments)
        put("mpris:artUrl", track.artURL)
        // Room for a name of 4096 bytes, each written as %XX.
        if let url = track.url, !url.isEmpty { result["xesam:url"] = .string(busText(url, limit: 16384)) }
        if let number = track.number { result["xesam:trackNumber"] = .int32(Int32(clamping: number)) }
        return result
    }
}

extension MediaState {
    /// Limits a position to the track.
    func place(_ position: Int64) -> Int64 {
        playback == .stopped ? 0 : max(0, min(position, track?.length ?? .max))
    }
}

// MARK: Changes

/// The differences between two states, as announced on the bus.
struct MediaChanges {
    struct Properties: Equatable {
        let interface: String
        var changed: [String: BusValue] = [:]
        var invalidated: [String] = []
    }

    struct Signal: Equatable {
        let member: String
        let values: [BusValue]
    }

    private(set) var properties: [Properties] = []
    /// Signals about the list of tracks.
    private(set) var signals: [Signal] = []

    init(from old: MediaProperties, to new: MediaProperties) {
        for interface in [BusInterface.root, .player, .trackList] {
            var change = Properties(interface: interface.name)
            for property in interface.properties {
                func value(_ properties: MediaProperties) -> BusValue? {
                    properties.value(property.name, of: interface.name, position: { 0 })
                }
                let (before, after) = (value(old), value(new))
                guard before != after else { continue }
                switch property.change {
                case .tells:
                    if let after {
                        change.changed[property.name] = after
                    } else {
                        change.invalidated.append(property.name)
                    }
                case .invalidates: change.invalidated.append(property.name)
                case .constant, .silent: break
                }
            }
            if !change.changed.isEmpty || !change.invalidated.isEmpty { properties.append(change) }
        }
        signals = Self.signals(from: old.state.tracks ?? [], to: new.state.tracks ?? [], current: new.state.track)
    }

    private static func signals(from old: [MediaTrack], to new: [MediaTrack], current: MediaTrack?) -> [Signal] {
        let (before, after) = (old.map(\.id), new.map(\.id))
        var result: [Signal] = []
        if before != after {
            if after.count + 1 == before.count, let index = Self.oddOne(of: before, beside: after) {
                result.append(Signal(member: "TrackRemoved", values: [.path(old[index].path)]))
            } else if before.count + 1 == after.count, let index = Self.oddOne(of: after, beside: before) {
                let place = index == 0 ? MediaTrack.none : new[index - 1].path
                result.append(
                    Signal(
                        member: "TrackAdded",
                        values: [.dictionary(MediaProperties.metadata(new[index])), .path(place)]))
            } else {
                return [
                    Signal(
                        member: "TrackListReplaced",
                        values: [.paths(new.map(\.path)), .path(current?.path ?? MediaTrack.none)])
                ]
            }
        }
        let known = Dictionary(old.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for track in new where known[track.id].map({ $0 != track }) ?? false {
            let values: [BusValue] = [.path(track.path), .dictionary(MediaProperties.metadata(track))]
            result.append(Signal(member: "TrackMetadataChanged", values: values))
        }
        return result
    }

    /// Returns the place of the only additional element in a longer list; nil if the lists differ in more.
    private static func oddOne(of longer: [Int], beside shorter: [Int]) -> Int? {
        let index = zip(longer, shorter).prefix { $0 == $1 }.count
        return longer[(index + 1)...].elementsEqual(shorter[index...]) ? index : nil
    }
}
