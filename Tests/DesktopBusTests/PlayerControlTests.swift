// playerctl, a program for media keys.
import TestSupport
import Testing

@testable import DesktopBus

@Suite(
    "playerctl and the player",
    .enabled(if: PrivateBus.isThere && PrivateBus.hasPlayerControl, "dbus-daemon or playerctl is missing"))
struct PlayerControlTests {
    @Test("playerctl finds and reads the player, and each command of playerctl works") func commands() throws {
        let bus = try startBus()
        let player = try FakePlayer(on: bus)
        func playerctl(_ arguments: String...) -> String {
            let result = bus.run(["playerctl"] + arguments)
            return result.status == 0 ? result.text : "exit \(result.status): \(result.text)"
        }
        #expect(playerctl("--list-all") == "woodshed")
        #expect(playerctl("status") == "Paused")
        #expect(playerctl("metadata", "title") == "Tune 1")
        #expect(
            playerctl("metadata", "--format", "{{artist}} {{mpris:length}} {{mpris:trackid}} {{xesam:comment}}")
                == "Somebody 100000000 '/org/woodshed/track/1' section 2: Bridge")
        #expect(playerctl("play").isEmpty && player.state.playback == .playing)
        #expect(playerctl("pause").isEmpty && player.state.playback == .paused)
        #expect(playerctl("position", "10").isEmpty && player.position == 10_000_000)
        #expect(playerctl("position", "5+").isEmpty && player.position == 15_000_000)
        #expect(playerctl("position", "2-").isEmpty && player.position == 13_000_000)
        #expect(playerctl("position") == "13.000000")
        #expect(playerctl("volume", "0.5").isEmpty && player.state.volume == 0.5)
        #expect(playerctl("loop", "Track").isEmpty && player.state.loop == .track)
        #expect(playerctl("shuffle", "On").isEmpty && player.state.shuffle == true)
        #expect(playerctl("next").isEmpty && player.state.track?.id == 2)
        #expect(playerctl("previous").isEmpty && player.state.track?.id == 1)
        #expect(playerctl("play-pause").isEmpty && player.state.playback == .playing)
        #expect(playerctl("open", "file:///a.flac").isEmpty && player.requests.last == .open("file:///a.flac"))
        #expect(playerctl("stop").isEmpty && player.state.playback == .stopped)
    }
}
