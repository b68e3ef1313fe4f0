// Takes without their rows, as the command finds such takes.
import Glibc
import Testing

@testable import WoodshedCLI

@Suite("Takes that the list has lost", .serialized)
struct StrayTakeCommandTests {
    @Test(
        "library check reports takes missing from the list, and --fix puts them into the list again",
        arguments: ["loop.wav", ".woodshed-deleted-take-7"])
    func check(name: String) {
        let home = LibraryHome()
        home.add("one")
        _ = unsafe mkdir(home.folder["data/woodshed/takes"], 0o755)
        home.song("data/woodshed/takes/" + name, 7)
        for _ in 0..<2 {
            let check = home.run("library", "check")
            #expect(check.status == 2 && check.text.contains("orphan"), "\(check.error)")
            #expect(check.text.contains("takes/" + name) && check.error.contains("--fix"), "\(check.text)")
        }
        let json = home.json("library", "check").first
        let orphans = json?["orphans"] as? [[String: Any]]
        #expect(orphans?.count == 1 && orphans?[0].text("path")?.hasSuffix("takes/" + name) == true)
        #expect(home.json("takes").isEmpty)
        let fixed = home.run("library", "check", "--fix")
        #expect(fixed.status == 0 && fixed.error.contains("1 take is in the list again"), "\(fixed.error)")
        #expect(home.json("takes").count == 1 && home.titles() == ["one"])
        #expect(home.run("library", "check").status == 0)
        let shown = name == "loop.wav" ? name : "deleted-take-7.wav"
        #expect(home.folder.names(in: "data/woodshed/takes") == [shown])
    }
}
