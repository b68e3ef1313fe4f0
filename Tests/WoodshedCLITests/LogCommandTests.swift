// `--log-level`, `--log-file` and the matching variables, from a user's side.
import Glibc
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("The log of a run", .serialized)
struct LogCommandTests {
    private let home = LibraryHome()
    private let log = "state/woodshed/woodshed.log"

    private var lines: [Substring] {
        String(decoding: home.folder.read(log), as: UTF8.self).split(separator: "\n")
    }

    @Test("WOODSHED_LOG=sql:trace writes the statements of list to the file, and the output is unchanged")
    func statements() {
        home.add("Blue Bossa")
        let plain = home.run("list")
        #expect(lines.isEmpty)
        let logged = home.run("list", with: ["WOODSHED_LOG": "sql:trace"])
        #expect(logged.status == 0 && logged.output == plain.output && logged.error == plain.error)
        #expect(lines.contains { $0.contains(" trace sql ") && $0.contains("SELECT") && $0.contains(" rows: ") })
        #expect(!lines.contains { $0.contains(" session ") || $0.contains("Blue Bossa") })
    }

    @Test("the options of the log win over the variables, anywhere before --, and name a file")
    func options() {
        let run = home.run(
            "list", "--log-level=session:info", "--log-file", "here.log", with: ["WOODSHED_LOG": "trace"])
        #expect(run.status == 0 && lines.isEmpty, "\(run.error)")
        let text = String(decoding: home.folder.read("here.log"), as: UTF8.self)
        #expect(text.contains(" info session ") && !text.contains(" sql "))
        #expect(home.run("--log-level", "off", "list").status == 0)
    }

    @Test("unknown words for the log are refused; an unusable log file is reported and stops no run")
    func faults() {
        let unknown = home.run("list", "--log-level", "tv:debug")
        #expect(unknown.status == 64 && unknown.error.contains("audio, sql, net"), "\(unknown.error)")
        let level = home.run("list", with: ["WOODSHED_LOG": "sql:loud"])
        #expect(level.status == 78 && level.error.contains("trace"), "\(level.error)")
        let song = home.song("song.wav")
        let refused = home.run("list", "--log-level", "debug", "--log-file", song)
        let told = refused.errorLines.filter { $0.contains("the log ") }
        #expect(refused.status == 0 && told.count == 1, "\(refused.error)")
    }

    @Test("a secret in an address is not written to the log")
    func secrets() throws {
        let server = try SongServer.shared()
        let trace = ["WOODSHED_LOG": "trace"]
        let run = home.run("get", server.address("/songs/one.wav?frames=8000&token=hush1"), with: trace)
        #expect(run.status == 0, "\(run.error)")
        home.run("get", "http://user:hush2@127.0.0.1/a.wav", with: trace)
        home.run("get", server.address("/missing?key=hush3"), "--no-such-option=hush4", with: trace)
        #expect(lines.contains { $0.contains(" net ") && $0.contains("status 200") })
        #expect(!lines.contains { $0.contains("hush") })
    }

    @Test("doctor names the log's file and level")
    func doctor() {
        #expect(home.run("doctor", "--plain").text.contains(home.folder[log]))
        let on = home.run("doctor", "--plain", with: ["WOODSHED_LOG": "net:debug"])
        #expect(on.text.contains("net:debug, in \(home.folder[log])"))
    }
}
