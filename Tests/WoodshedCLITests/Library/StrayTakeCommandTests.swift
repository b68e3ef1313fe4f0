// Takes without their rows, as the command finds such takes.
import Glibc
import Testing

@testable import WoodshedCLI

@Suite("Takes that the list has lost", .serialized)
struct StrayTakeCommandTests {
    @Test("library check reports takes missing from the list, and --fix puts them into the list again")
    func check() {
        let home = LibraryHome()
        home.add("one")
        _ = unsafe mkdir(home.folder["data/woodshed/takes"], 0o755)
        home.song("data/woodshed/takes/loop.wav", 7)
        for _ in 0..<2 {
            let check = home.run("library", "check")
            #expect(check.status == 2 && check.text.contains("orphan"), "\(check.error)")
            #expect(check.text.contains("takes/loop.wav") && check.error.contains("--fix"), "\(check.text)")
        }
        let json = home.json("library", "check").first
        let orphans = json?["orphans"] as? [[String: Any]]
        #expect(orphans?.count == 1 && orphans?[0].text("path")?.hasSuffix("takes/loop.wav") == true)
        #expect(home.json("takes").isEmpty)
        let fixed = home.run("library", "check", "--fix")
        #expect(fixed.status == 0 && fixed.error.contains("1 take is in the list again"), "\(fixed.error)")
        #expect(home.json("takes").count == 1 && home.titles() == ["one"])
        #expect(
            home.run("library", "check").status == 0 && home.folder.names(in: "data/woodshed/takes") == ["loop.wav"])
    }
}
