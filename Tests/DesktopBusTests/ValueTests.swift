// Values that need no bus: positions, texts, paths, addresses.
import Explanations
import Glibc
import TestSupport
import Testing

@testable import DesktopBus

@Suite("Values on the bus")
struct ValueTests {
    @Test("a text for the bus loses characters that no message may contain, and is cut between characters") func texts()
    {
        // Invalid characters, which no literal may contain.
        let refused = [0, 0xFDD0, 0xFFFE, 0x1FFFF].compactMap { UnicodeScalar(UInt32($0)) }.map { String($0) }
        #expect(busText("a\(refused.joined(separator: "b"))ä") == "a\u{FFFD}b\u{FFFD}b\u{FFFD}b\u{FFFD}ä")
        #expect(busText(String(repeating: "ä", count: 5000)).utf8.count == 4096)
        #expect(busText("abcä", limit: 4) == "abc")
    }

    @Test("the URI of a file has every byte of its name, text or not") func urls() {
        #expect(MediaTrack.url(ofPath: Array("/a b/ü#?%.flac".utf8)) == "file:///a%20b/%C3%BC%23%3F%25.flac")
        #expect(MediaTrack.url(ofPath: [0x2F, 0xFF, 0x01]) == "file:///%FF%01")
    }

    @Test("media keys without a thread, or without an open file, name the limit, with the status 75") func limits() {
        for (error, limit) in [
            (.exhausted(.threads), .threads), (.refused("unix:path=/bus", EMFILE), .files),
        ] as [(DesktopBusError, SystemLimit)] {
            #expect(error.message.contains(limit.cause) && error.remedy == limit.remedy, "\(error)")
            #expect(error.kind == .noThread && error.exitStatus == .tryAgain)
        }
        #expect(DesktopBusError.refused("unix:path=/bus", ECONNREFUSED).exitStatus == .unavailable)
    }

    @Test("only a track's own path names the track") func paths() {
        #expect(MediaTrack.id(ofPath: "/org/woodshed/track/12") == 12)
        for path in [
            "/org/woodshed/track/", "/org/woodshed/track/012", "/org/woodshed/track/-1", "/12", MediaTrack.none,
        ] {
            #expect(MediaTrack.id(ofPath: path) == nil)
        }
    }

    @Test("a seek within a track ends in the track, or leads to the next track") func seeks() {
        #expect(MediaSeek(by: 5, from: 10, length: 20) == .place(15))
        #expect(MediaSeek(by: -50, from: 10, length: 20) == .place(0))
        #expect(MediaSeek(by: 10, from: 10, length: 20) == .place(20))
        #expect(MediaSeek(by: 11, from: 10, length: 20) == .next)
        #expect(MediaSeek(by: .max, from: 10, length: nil) == .place(.max))
        #expect(MediaSeek(by: .max, from: 10, length: 20) == .next)
        #expect(MediaSeek(by: .min, from: -10, length: 20) == .place(0))
    }

    @Test("steady playing is no jump, but a seek, a loop and a standstill are") func watch() {
        let second: Int64 = 1_000_000_000
        var watch = PositionWatch(position: 0, now: 0, believed: 0.5, real: 0.5)
        let places = (1...100).map { (Int64($0) * 100_000, Int64($0) * second / 5) }
        let jumps = (places + [(2_000_000, 21 * second), (2_500_000, 22 * second), (2_500_000, 23 * second)]).map {
            watch.jumps(to: $0, now: $1)
        }
        #expect(jumps == Array(repeating: false, count: 100) + [true, false, true])
        // In a rest the programs count on, and are put right once a second.
        watch.change(position: 1_000_000, now: 100 * second, believed: 1, real: 0)
        let told = (1...50).filter { watch.jumps(to: 1_000_000, now: 100 * second + Int64($0) * second / 5) }
        #expect(told == [5, 10, 15, 20, 25, 30, 35, 40, 45, 50])
    }

    @Test("the addresses of the bus are those of the environment, then the usual sockets, or none") func addresses() {
        let given = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/a", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/b"]
        #expect(BusAddresses { given[$0] } == BusAddresses(session: "unix:path=/a", system: "unix:path=/b"))
        #expect(
            BusAddresses { ["XDG_RUNTIME_DIR": "/nonexistent", "DBUS_SESSION_BUS_ADDRESS": ""][$0] }.session == nil)
        #expect(BusAddresses.escaped("/run/a b,c") == "/run/a%20b%2Cc")
    }

    @Test(
        "without a bus the player gets the cause and a remedy", arguments: [nil, "unix:path=/nonexistent", "nonsense"])
    func noBus(_ address: String?) throws {
        let player = try FakePlayer(BusAddresses(session: address, system: address))
        #expect(eventually { !player.news.isEmpty })
        guard case .unavailable(let error)? = player.news.first else {
            Issue.record("\(player.news)")
            return
        }
        #expect(error.kind == (address == nil ? .noBus : .refused))
        #expect(!error.message.isEmpty && !error.remedy.isEmpty)
        player.change { $0.state.volume = 0.5 }
        player.bus.close()
        #expect(player.news.count == 1)
    }
}
