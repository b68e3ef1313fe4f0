// The rows of the specification of MPRIS 2.2, over a private bus.
import TestSupport
import Testing

@testable import DesktopBus

@Suite("Player on the session bus", .enabled(if: PrivateBus.isThere, "dbus-daemon is missing"))
struct PlayerTests {
    let bus: PrivateBus
    let player: FakePlayer
    let program: BusProgram
    let seen: SeenPlayer

    init() throws {
        bus = try startBus()
        player = try FakePlayer(on: bus)
        program = try BusProgram(bus.address)
        seen = try SeenPlayer(player, program)
        try program.listen()
    }

    // MARK: org.mpris.MediaPlayer2

    @Test("a player is found by its name, and a second player by another name") func names() throws {
        #expect(player.name == "org.mpris.MediaPlayer2.woodshed")
        let second = try FakePlayer(on: bus)
        let name = try #require(second.name)
        #expect(name.hasPrefix("org.mpris.MediaPlayer2.woodshed.instance"))
        #expect(try SeenPlayer(second, program).get("PlaybackStatus") == .string("Paused"))
    }

    @Test("the root interface has every property, Raise does nothing, and Quit reaches the player") func root() throws {
        #expect(
            try seen.all(BusInterface.root.name) == [
                "CanQuit": .boolean(true), "CanRaise": .boolean(false), "HasTrackList": .boolean(true),
                "Identity": .string("Woodshed"), "DesktopEntry": .string("woodshed"),
                "SupportedUriSchemes": .strings(["file", "https"]),
                "SupportedMimeTypes": .strings(["audio/flac", "audio/wav"]),
            ])
        try seen.call("Raise", of: BusInterface.root.name)
        #expect(player.requests.isEmpty)
        try seen.call("Quit", of: BusInterface.root.name)
        #expect(player.requests == [.quit])
    }

    @Test("the player describes itself by introspection, also on the way to its object") func description() throws {
        for (path, child) in [("/", "org"), ("/org", "mpris"), ("/org/mpris", "MediaPlayer2")] {
            let text = try program.call(seen.name, BusInterface.introspection.name, "Introspect", path: path)
            #expect(text.first?.text?.contains("<node name=\"\(child)\"/>") == true)
        }
        let text = try #require(
            try program.call(seen.name, BusInterface.introspection.name, "Introspect").first?.text)
        for interface in [BusInterface.root, .player, .trackList] {
            #expect(text.contains("<interface name=\"\(interface.name)\">"))
            for name in interface.methods.map(\.name) + interface.signals.map(\.name) + interface.properties.map(\.name)
            {
                #expect(text.contains(" name=\"\(name)\""))
            }
        }
        _ = try program.call(seen.name, "org.freedesktop.DBus.Peer", "Ping")
    }

    // MARK: org.mpris.MediaPlayer2.Player: properties

    @Test("the player's interface has every property") func properties() throws {
        let all = try seen.all()
        #expect(Set(all.keys) == Set(BusInterface.player.properties.map(\.name)))
        #expect(all["PlaybackStatus"] == .string("Paused") && all["LoopStatus"] == .string("None"))
        #expect(all["Rate"] == .double(1) && all["MinimumRate"] == .double(0.25) && all["MaximumRate"] == .double(4))
        #expect(all["Shuffle"] == .boolean(false) && all["Volume"] == .double(1) && all["Position"] == .int64(0))
        for name in ["CanGoNext", "CanGoPrevious", "CanPlay", "CanPause", "CanSeek", "CanControl"] {
            #expect(all[name] == .boolean(true))
        }
        for (name, value) in all where name != "Position" { #expect(try seen.get(name) == value) }
    }

    @Test("a property that the player lacks is absent, and cannot be set") func absent() throws {
        player.change { ($0.state.loop, $0.state.shuffle, $0.state.volume, $0.state.tracks) = (nil, nil, nil, nil) }
        _ = try program.signal("PropertiesChanged") { $0.first == .string(SeenPlayer.player) }
        let all = try seen.all()
        for name in ["LoopStatus", "Shuffle", "Volume"] {
            #expect(all[name] == nil)
            #expect(SeenPlayer.refusal { _ = try seen.get(name) } == "UnknownProperty")
        }
        #expect(SeenPlayer.refusal { try seen.set("Shuffle", .boolean(true)) } == "UnknownProperty")
        #expect(
            SeenPlayer.refusal { try seen.call("GoTo", .path("/a"), of: BusInterface.trackList.name) }
                == "UnknownInterface")
        #expect(try seen.get("HasTrackList", of: BusInterface.root.name) == .boolean(false))
    }

    @Test("the metadata name the track by a valid path, and have length, tags, section and URL") func metadata() throws
    {
        guard case .dictionary(let metadata) = try seen.get("Metadata") else { throw BusProgram.Gone() }
        #expect(
            metadata == [
                "mpris:trackid": .path("/org/woodshed/track/1"), "mpris:length": .int64(100_000_000),
                "xesam:title": .string("Tune 1"), "xesam:artist": .strings(["Somebody"]),
                "xesam:album": .string("Album"), "xesam:trackNumber": .int32(2),
                "xesam:comment": .strings(["section 2: Bridge"]), "xesam:url": .string("file:///music/tune%201.flac"),
            ])
    }

    @Test("the position is that of the moment of the request, and stands still in a pause") func position() throws {
        player.change { $0.move(to: 1_234_567) }
        #expect(try seen.get("Position") == .int64(1_234_567))
        #expect(try seen.all()["Position"] == .int64(1_234_567))
        player.change { $0.move(to: 500_000_000) }
        #expect(try seen.get("Position") == .int64(100_000_000), "never beyond the end")
        player.change { $0.move(to: 0) }
        try seen.call("Play")
        #expect(try eventually { try seen.get("Position") != .int64(0) })
    }

    @Test("only changed properties are signalled, and never the position") func changes() throws {
        player.change {
            $0.move(to: 5_000_000)
            $0.state.volume = 0.5
        }
        let first = try program.signal("PropertiesChanged")
        #expect(first == [.string(SeenPlayer.player), .dictionary(["Volume": .double(0.5)]), .strings([])])
        player.change { $0.state.track?.comments = ["section 3: Solo"] }
        let second = try program.signal("PropertiesChanged")
        guard case .dictionary(let changed) = second[1] else { throw BusProgram.Gone() }
        #expect(Array(changed.keys) == ["Metadata"])
        // The same again is no change.
        player.change { _ in }
        player.change { $0.state.volume = 0.25 }
        #expect(try program.signal("PropertiesChanged")[1] == .dictionary(["Volume": .double(0.25)]))
    }

    @Test("the rate is set within its limits, 0 pauses, and other values are refused") func rate()
        throws
    {
        try seen.call("Play")
        for rate in [0.25, 0.7, 1, 4] {
            try seen.set("Rate", .double(rate))
            #expect(try eventually { try seen.get("Rate") == .double(rate) })
        }
        for rate in [0.2499, 4.0001, -1, .infinity, -.infinity, .nan, 1e300, .leastNonzeroMagnitude] {
            #expect(SeenPlayer.refusal { try seen.set("Rate", .double(rate)) } == "InvalidArgs")
        }
        #expect(player.state.rate == 4 && player.state.playback == .playing)
        try seen.set("Rate", .double(0))
        #expect(try eventually { try seen.get("PlaybackStatus") == .string("Paused") })
        #expect(player.state.rate == 4)
    }

    @Test("a volume below 0 becomes 0, and a volume that is no number is refused") func volume() throws {
        try seen.set("Volume", .double(0.3))
        try seen.set("Volume", .double(-0.0))
        try seen.set("Volume", .double(-2))
        #expect(player.requests == [.setVolume(0.3), .setVolume(0), .setVolume(0)])
        for volume in [Double.nan, .infinity] {
            #expect(SeenPlayer.refusal { try seen.set("Volume", .double(volume)) } == "InvalidArgs")
        }
    }

    @Test("loop status and shuffle are set by their values") func loopAndShuffle() throws {
        for loop in MediaState.Loop.allCases { try seen.set("LoopStatus", .string(loop.rawValue)) }
        try seen.set("Shuffle", .boolean(true))
        #expect(player.requests == [.setLoop(.none), .setLoop(.track), .setLoop(.playlist), .setShuffle(true)])
        #expect(SeenPlayer.refusal { try seen.set("LoopStatus", .string("none")) } == "InvalidArgs")
    }

    @Test("a read-only property cannot be set, by whatever value") func readOnly() throws {
        let properties = BusInterface.player.properties.filter { !$0.isWritable }.map(\.name)
        for name in properties { #expect(SeenPlayer.refusal { try seen.set(name, .int64(1)) } == "PropertyReadOnly") }
        #expect(SeenPlayer.refusal { try seen.set("Rate", .string("fast")) } == "InvalidArgs")
        #expect(SeenPlayer.refusal { try seen.set("Rate", .int64(1)) } == "InvalidArgs")
        #expect(SeenPlayer.refusal { try seen.set("Speed", .double(1)) } == "UnknownProperty")
        #expect(SeenPlayer.refusal { try seen.set("Rate", .double(1), of: "org.example") } == "UnknownInterface")
        #expect(player.requests.isEmpty)
    }

    // MARK: org.mpris.MediaPlayer2.Player: methods

    @Test("Play, Pause, PlayPause, Stop, Next and Previous reach the player") func keys() throws {
        for name in ["Play", "Pause", "PlayPause", "Stop", "Next", "Previous"] { try seen.call(name) }
        #expect(player.requests == [.play, .pause, .playPause, .stop, .next, .previous])
    }

    @Test("a seek is relative, and signals the new position") func relativeSeek() throws {
        player.change { $0.move(to: 30_000_000) }
        try seen.call("Seek", .int64(5_000_000))
        #expect(try program.signal("Seeked") { $0 == [.int64(35_000_000)] } == [.int64(35_000_000)])
        try seen.call("Seek", .int64(-10_000_000))
        #expect(try program.signal("Seeked") { $0 == [.int64(25_000_000)] } == [.int64(25_000_000)])
        #expect(try seen.get("Position") == .int64(25_000_000))
    }

    @Test("a seek before the beginning goes to the beginning, and a seek beyond the end to the next track") func edges()
        throws
    {
        player.change { $0.move(to: 30_000_000) }
        try seen.call("Seek", .int64(-30_000_001))
        #expect(try eventually { try seen.get("Position") == .int64(0) })
        try seen.call("Seek", .int64(.min))
        #expect(player.state.track?.id == 1 && player.position == 0)
        try seen.call("Seek", .int64(100_000_000))
        #expect(player.state.track?.id == 1 && player.position == 100_000_000, "the end is not beyond it")
        try seen.call("Seek", .int64(1))
        #expect(player.state.track?.id == 2 && player.position == 0)
        try seen.call("Seek", .int64(.max))
        #expect(player.state.track?.id == 0)
    }

    @Test("a position is set only for the playing track, and within its length") func setPosition() throws {
        let current = BusValue.path("/org/woodshed/track/1")
        try seen.call("SetPosition", current, .int64(40_000_000))
        #expect(try program.signal("Seeked") { $0 == [.int64(40_000_000)] } == [.int64(40_000_000)])
        try seen.call("SetPosition", .path("/org/woodshed/track/2"), .int64(1))
        try seen.call("SetPosition", .path("/org/woodshed/track/01"), .int64(1))
        try seen.call("SetPosition", .path(MediaTrack.none), .int64(1))
        try seen.call("SetPosition", current, .int64(-1))
        try seen.call("SetPosition", current, .int64(100_000_001))
        #expect(player.requests == [.goTo(40_000_000)])
        try seen.call("SetPosition", current, .int64(100_000_000))
        #expect(player.position == 100_000_000)
    }

    @Test("a jump while playing is signalled, whatever its cause, and steady playing is not") func jumps() throws {
        try seen.call("Play")
        player.change { $0.move(to: 60_000_000) }
        guard case .int64(let place)? = try program.signal("Seeked").first else { throw BusProgram.Gone() }
        #expect(place >= 60_000_000)
    }

    @Test("a URI is opened if the player accepts it, and otherwise refused") func openURI() throws {
        try seen.call("OpenUri", .string("FILE:///a.flac"))
        #expect(player.requests == [.open("FILE:///a.flac")])
        for uri in ["", "a.flac", "ftp://a/b", "javascript:1", "https", ":"] {
            #expect(SeenPlayer.refusal { try seen.call("OpenUri", .string(uri)) } == "NotSupported")
        }
        let long = "https://" + String(repeating: "a", count: 100_000)
        #expect(SeenPlayer.refusal { try seen.call("OpenUri", .string(long)) } == "InvalidArgs")
        player.change { $0.state.can.remove(.open) }
        #expect(
            eventually { SeenPlayer.refusal { try seen.call("OpenUri", .string("file:///a.flac")) } == "NotSupported" })
    }

    @Test("a request that is not possible has no effect, and PlayPause and Stop report an error") func impossible()
        throws
    {
        player.change { $0.state.can = [] }
        #expect(try eventually { try seen.get("CanControl") == .boolean(false) })
        for name in ["Next", "Previous", "Pause", "Play"] { try seen.call(name) }
        try seen.call("Seek", .int64(1))
        try seen.call("SetPosition", .path("/org/woodshed/track/1"), .int64(1))
        for name in ["PlayPause", "Stop"] { #expect(SeenPlayer.refusal { try seen.call(name) } == "NotSupported") }
        for (name, value) in [("Rate", BusValue.double(1)), ("Volume", .double(1)), ("Shuffle", .boolean(true))] {
            #expect(SeenPlayer.refusal { try seen.set(name, value) } == "PropertyReadOnly")
        }
        #expect(player.requests.isEmpty)
    }

    // MARK: org.mpris.MediaPlayer2.TrackList

    @Test("the track list is read, and signals added, removed, changed and replaced tracks") func trackList() throws {
        let list = BusInterface.trackList.name
        func path(_ id: Int) -> BusValue { .path("/org/woodshed/track/\(id)") }
        #expect(try seen.get("Tracks", of: list) == .array(of: "o", [path(0), path(1), path(2)]))
        #expect(try seen.get("CanEditTracks", of: list) == .boolean(true))
        let answer = try seen.call("GetTracksMetadata", .array(of: "o", [path(2), path(7), path(0)]), of: list)
        guard case .array(_, let metadata)? = answer.first else { throw BusProgram.Gone() }
        #expect(
            metadata.map { value -> BusValue? in
                guard case .dictionary(let entries) = value else { return nil }
                return entries["mpris:trackid"]
            } == [path(2), path(0)])

        try seen.call("AddTrack", .string("https://a.org/b.mp3"), path(1), .boolean(false), of: list)
        #expect(try program.signal("TrackAdded").last == path(1))
        #expect(try seen.get("Tracks", of: list) == .array(of: "o", [path(0), path(1), path(3), path(2)]))
        try seen.call("AddTrack", .string("file:///c"), .path(MediaTrack.none), .boolean(false), of: list)
        #expect(try program.signal("TrackAdded").last == .path(MediaTrack.none))
        try seen.call("AddTrack", .string("file:///d"), path(99), .boolean(true), of: list)
        _ = try program.signal("TrackAdded")
        #expect(player.requests.last == .addTrack("file:///d", after: 2, playsIt: true))
        try seen.call("RemoveTrack", path(3), of: list)
        #expect(try program.signal("TrackRemoved") == [path(3)])
        try seen.call("GoTo", path(2), of: list)
        #expect(player.state.track?.id == 2)

        let count = player.requests.count
        try seen.call("RemoveTrack", path(99), of: list)
        try seen.call("GoTo", path(99), of: list)
        try seen.call("GoTo", .path("/"), of: list)
        #expect(player.requests.count == count)
        #expect(
            SeenPlayer.refusal {
                try seen.call("AddTrack", .string("gopher:a"), path(1), .boolean(false), of: list)
            } == "NotSupported")

        player.change { $0.state.tracks?[0].title = "Another" }
        #expect(try program.signal("TrackMetadataChanged").first == .path(try #require(player.state.tracks?[0].path)))
        player.change { $0.state.tracks?.reverse() }
        #expect(try program.signal("TrackListReplaced").last == path(2))
    }

    // MARK: The life of a bus

    @Test("a program that never answers blocks no caller, and is not flooded with requests") func deafOwner() throws {
        let deaf = try FakePlayer(on: bus, obeys: false)
        let seen = try SeenPlayer(deaf, program)
        var refused = 0
        for _ in 0..<200 where SeenPlayer.refusal({ try seen.call("PlayPause") }) == "LimitsExceeded" { refused += 1 }
        #expect(deaf.requests.count == 64 && refused == 136)
        #expect(try seen.get("PlaybackStatus") == .string("Paused"))
    }

    @Test("the loss of the bus is reported once, and the player comes back with the bus") func loss() throws {
        let path = "/tmp/woodshed-test-bus-\(nanoseconds())"
        let first = try #require(PrivateBus(listen: "unix:path=" + path))
        // Without the number of the bus, which changes when the bus comes back.
        let address = "unix:path=" + path
        let player = try FakePlayer(BusAddresses(session: address, system: nil))
        #expect(eventually { player.name != nil })
        first.stop()
        #expect(eventually { player.news.contains { if case .lost = $0 { true } else { false } } })
        let second = try #require(PrivateBus(listen: "unix:path=" + path))
        let program = try BusProgram(address)
        let seen = try SeenPlayer(player, program)
        #expect(eventually { SeenPlayer.refusal { _ = try seen.get("Rate") }.isEmpty })
        #expect(player.news.count == 3)
        second.stop()
    }

    @Test("a thousand random calls during playback each get a value or an error") func random() throws {
        var generator = SeededGenerator()
        try seen.call("Play")
        let interfaces = [BusInterface.root, .player, .trackList, .properties, .introspection]
        let numbers: [Int64] = [0, 1, -1, .min, .max, 50_000_000, 100_000_001]
        let doubles = [0, 1, -1, 0.25, 4, 4.1, .nan, .infinity, -.infinity, 1e308, .leastNonzeroMagnitude]
        let texts = ["", "Track", "file:///a", "\u{202E}é\u{FFFD}", String(repeating: "ä", count: 30_000)]
        let names = interfaces.flatMap { $0.properties.map(\.name) } + interfaces.map(\.name)
        func value(_ type: String) -> BusValue {
            switch type {
            case "x": .int64(numbers.randomElement(using: &generator) ?? 0)
            case "d": .double(doubles.randomElement(using: &generator) ?? 0)
            case "b": .boolean(Bool.random(using: &generator))
            case "s": .string((Bool.random(using: &generator) ? texts : names).randomElement(using: &generator) ?? "")
            case "o": .path("/org/woodshed/track/\(Int.random(in: 0..<4, using: &generator))")
            case "ao": .paths((0..<3).map { "/org/woodshed/track/\($0)" })
            default: .variant(value(["x", "d", "b", "s", "o", "v"].randomElement(using: &generator) ?? "x"))
            }
        }
        for _ in 0..<1000 {
            let interface = interfaces.randomElement(using: &generator) ?? .player
            guard let method = interface.methods.randomElement(using: &generator) else { continue }
            var types = method.takes.map(\.type)
            if Int.random(in: 0..<10, using: &generator) == 0 { types.append("x") }
            if Int.random(in: 0..<10, using: &generator) == 0 { types = types.map { _ in "v" } }
            let path = Int.random(in: 0..<20, using: &generator) == 0 ? "/else" : BusInterface.path
            let values = types.map(value)
            do {
                _ = try program.call(
                    seen.name, Int.random(in: 0..<20, using: &generator) == 0 ? "org.example" : interface.name,
                    method.name, values, path: path)
            } catch is BusProgram.Refused {}
        }
        #expect(try seen.all().count == BusInterface.player.properties.count)
    }
}
