// `woodshed get`, killed at any moment.
import Glibc
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("A killed fetch", .serialized)
struct GetKillTests {
    @Test("a killed fetch leaves no half recording, and the next fetch ends with a whole recording")
    func killed() throws {
        let (home, server) = (LibraryHome(), try SongServer.shared())
        var random = SeededGenerator()
        let kills = environmentCount("WOODSHED_KILLS", short: Workload.isWhole ? 30 : 10)
        // Long enough that the kills fall on every step of the fetch.
        var longest = 200_000
        var (whole, broken) = (0, 0)
        for round in 0..<kills {
            let frames = 20_000 + round
            let address = server.address("/songs/song\(round).wav?frames=\(frames)&rate=2000000")
            let (delay, began) = (Int.random(in: 0...longest, using: &random), ContinuousClock.now)
            let run = home.run("get", "-q", address) { running in
                usleep(UInt32(delay))
                running.send(SIGKILL)
            }
            if run.status == 0 {
                // The fetch was quicker than the kill: the next kills come earlier.
                longest = max(20_000, Int((ContinuousClock.now - began) / .microseconds(1)))
            }
            // Every recording in the library is whole.
            let items = home.json("list")
            for item in items {
                let file = TestFolder.read(item.text("path") ?? "")
                #expect(file.count == item.number("bytes") && item["missing"] as? Bool == false, "\(random): \(item)")
            }
            let isThere = items.contains { $0.number("frames") == frames }
            if isThere { whole += 1 } else { broken += 1 }
            let next = home.run("get", "-q", address)
            #expect(next.status == 0, "\(random): \(next.error)")
            let after = home.json("list")
            #expect(after.count == round + 1 && after[0].number("frames") == frames, "\(random)")
        }
        print("of \(kills) kills \(broken) were before the end, and \(whole) after it")
        let check = home.run("library", "check", "--json")
        let report = check.json.first ?? [:]
        for key in ["missing", "changed", "orphans", "misplaced", "moved"] {
            #expect((report[key] as? [Any])?.isEmpty == true, "\(random): \(check.text)")
        }
        #expect(home.json("get", "--list").isEmpty && home.files.count == kills)
    }
}
