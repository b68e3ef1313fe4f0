import Explanations
import Foundation
import TestSupport
import Testing
import Transfers

@testable import Catalogue
@testable import Library
@testable import Store
@testable import TextFormats

/// A helper program in the form of a shell script, in a separate folder.
private final class Helper {
    let folder: String
    let extractor: Extractor

    init(_ script: String) throws {
        folder = NSTemporaryDirectory() + "woodshed-extractor-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(script.utf8).write(to: URL(fileURLWithPath: folder + "/helper"))
        extractor = try Extractor(configuration: "/bin/sh '\(folder)/helper' {url}")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func failure(seconds: Double = 600, isWanted: () -> Bool = { true }) -> ExtractorError? {
        do throws(ExtractorError) {
            _ = try extractor.extract(address: "https://example.org/a", seconds: seconds, isWanted: isWanted)
            return nil
        } catch {
            return error
        }
    }
}

@Suite("Extractor")
struct ExtractorTests {
    private let link = VideoLink("https://youtu.be/dQw4w9WgXcQ")

    @Test("an extractor gets the address as one argument, and its description is the answer")
    func description() throws {
        let helper = try Helper(
            """
            [ $# = 1 ] && [ "$1" = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ' ] || exit 9
            echo 'a warning' >&2
            cat <<'END'
            {"url": "https://example.org/v?expire=5&x=$HOME", "title": "A\\u000ab", "uploader": "U", "duration": 61.5, "ext": "M4A",
            "http_headers": {"User-Agent": "x", "Host": "evil", "Bad name": "x", "A": "b\\r\\nc: d"}}
            END
            """)
        let source = try helper.extractor.extract(try #require(link))
        #expect(
            source.address == "https://example.org/v?expire=5&x=$HOME" && source.title == "A b" && source.artist == "U")
        #expect(source.seconds == 61.5 && source.pathExtension == "m4a")
        #expect(source.headers == [TransferHeader(name: "User-Agent", value: "x")])
    }

    @Test("a failed or killed extractor is quoted with its last error line")
    func failure() throws {
        let failed = try #require(
            try Helper("echo https://example.org/x; echo first >&2; echo 'ERROR: gone' >&2; exit 3").failure())
        #expect(failed.kind == .failed && failed.message.contains("status 3: ERROR: gone"))
        let killed = try #require(try Helper("kill -9 $$").failure())
        #expect(killed.kind == .failed && killed.message.contains("signal 9"))
        let missing = try Extractor(configuration: "/no/such/program")
        let error = #expect(throws: ExtractorError.self) { try missing.extract(address: "https://example.org/") }
        #expect(error?.kind == .cannotStart && error?.message.contains("/no/such/program") == true)
    }

    @Test(
        "an extractor that hangs or writes errors for ever is ended at the limit",
        arguments: ["exec sleep 3600", "exec yes >&2", "exec yes >/dev/null"])
    func hangs(_ script: String) throws {
        #expect(try Helper(script).failure(seconds: 0.3)?.kind == .timedOut)
    }

    @Test(
        "a cancelled extractor is ended, whatever it does",
        arguments: ["exec sleep 3600", "exec yes >&2"])
    func cancelled(_ script: String) throws {
        var count = 0
        let error = try Helper(script).failure {
            count += 1
            return count < 3
        }
        #expect(error?.kind == .cancelled && count == 3)
    }

    /// Whether the system can signal a group by a descriptor (Linux 6.9).
    private static var signalsGroups: Bool {
        var name = utsname()
        guard unsafe uname(&name) == 0 else { return false }
        let release = unsafe withUnsafeBytes(of: &name.release) {
            unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { parsed($0, as: Int.self) }
        return numbers.count == 2 && (numbers[0], numbers[1]) >= (6, 9)
    }

    @Test("an extractor that cannot be started for want of processes or memory is worth another attempt")
    func exhausted() {
        for (code, limit) in [(EAGAIN, .processes), (ENOMEM, .memory), (EMFILE, .files)] as [(Int32, SystemLimit)] {
            let error = ExtractorError.cannotStart("yt-dlp", code)
            #expect(error.message.hasSuffix(": \(limit.cause)") && error.remedy == limit.remedy, "\(error)")
            #expect(error.exitStatus == .tryAgain)
        }
        #expect(ExtractorError.cannotStart("yt-dlp", ENOENT).exitStatus == .unavailable)
    }

    @Test("the children of a cancelled extractor end with it", .enabled(if: signalsGroups))
    func family() throws {
        let helper = try Helper(
            "(while [ -e \"$0\" ]; do touch \"$0.alive\"; sleep 0.05; done) 9>\"$0.pipe\" & exec sleep 3600")
        let (alive, pipe) = (helper.folder + "/helper.alive", helper.folder + "/helper.pipe")
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        let reader = unsafe open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let error = helper.failure { !FileManager.default.fileExists(atPath: alive) }
        #expect(error?.kind == .cancelled)
        // The pipe ends when all started processes have ended, including processes just starting.
        #expect(
            eventually {
                var byte: UInt8 = 0
                return unsafe read(reader, &byte, 1) == 0
            })
        try? FileManager.default.removeItem(atPath: alive)
        usleep(500_000)
        #expect(!FileManager.default.fileExists(atPath: alive))
    }

    @Test("output of an extractor without an end is cut off, and output that is no text is refused")
    func output() throws {
        #expect(try Helper("exec yes").failure()?.kind == .tooMuchOutput)
        #expect(try Helper("head -c 100000 /dev/urandom").failure()?.kind == .notUnderstood)
        #expect(try Helper("printf '\\377https://example.org/'").failure()?.kind == .notUnderstood)
        #expect(try Helper("exit 0").failure()?.kind == .notUnderstood)
    }

    @Test("a child that an extractor leaves behind does not delay the answer")
    func grandchildren() throws {
        // The child ends when the file is gone, so the test leaves nothing behind.
        let helper = try Helper(
            "touch \"$0.here\"; (while [ -e \"$0.here\" ]; do sleep 0.05; done) & echo https://example.org/x; exit 0")
        defer { try? FileManager.default.removeItem(atPath: helper.folder + "/helper.here") }
        let source = try helper.extractor.extract(address: "https://example.org/a")
        #expect(source.address == "https://example.org/x")
    }

    @Test(
        "the words of an extractor command are divided without a shell",
        arguments: [
            ("yt-dlp -j  -f\tbestaudio {url}", ["yt-dlp", "-j", "-f", "bestaudio", "{url}"]),
            ("a 'b  c' \"d e\" f\\ g", ["a", "b  c", "d e", "f g"]),
            ("a $HOME ~ * `b` ; | > & #c", ["a", "$HOME", "~", "*", "`b`", ";", "|", ">", "&", "#c"]),
            ("a '' \"\"", ["a", "", ""]),
            ("a 'b\\'c", ["a", "b\\c"]), ("a \"b\\\"c\\\\d\\e\"", ["a", "b\"c\\d\\e"]),
            ("a b'c d'\"e f\"g", ["a", "bc de fg"]), ("  a  ", ["a"]),
            ("a \\'b \\\\", ["a", "'b", "\\"]), ("a 'é\u{301}'", ["a", "é\u{301}"]),
            ("a --x={url} b", ["a", "--x={url}", "b"]), ("a\\\"b", ["a\"b"]),
        ])
    func words(_ line: String, _ words: [String]) throws {
        #expect(try Extractor(configuration: line).words == words)
    }

    @Test("an extractor command without a meaning is refused with its cause")
    func badLines() {
        func kind(_ line: String?) -> ExtractorError.Kind? {
            do throws(ExtractorError) {
                _ = try Extractor(configuration: line)
                return nil
            } catch { return error.kind }
        }
        for line in [nil, "", "  \t "] { #expect(kind(line) == .notConfigured) }
        for line in ["a 'b", "a \"b", "a \\", "'' a", "{url} a", "a {url} {url}", "a {url} x{url}", "a\0b"] {
            #expect(kind(line) == .badConfiguration, "\(line)")
        }
        #expect(ExtractorError.notConfigured.remedy.contains("right"))
    }

    @Test("an extractor's address is one argument, and cannot be an option")
    func arguments() throws {
        func arguments(_ line: String) throws -> [String] {
            try Extractor(configuration: line).arguments(for: "https://x/?a=b&c d'\"$e")
        }
        #expect(try arguments("a -j") == ["a", "-j", "--", "https://x/?a=b&c d'\"$e"])
        #expect(try arguments("a {url} -j") == ["a", "https://x/?a=b&c d'\"$e", "-j"])
        #expect(try arguments("a '--u={url}&z'") == ["a", "--u=https://x/?a=b&c d'\"$e&z"])
        let extractor = try Extractor(configuration: "/bin/echo {url}")
        for address in [
            "-o", "--exec=x", "x", "file:///etc/passwd", "https://a b", "https://",
            "https://x/" + String(repeating: "a", count: 3000),
        ] {
            let error = #expect(throws: ExtractorError.self) { try extractor.extract(address: address) }
            #expect(error?.kind == .badAddress)
        }
    }

    @Test("extractor answers of every form are understood, or refused")
    func answers() {
        let answers: [(String, String?)] = [
            ("https://a/1\nhttps://a/2", "https://a/1"), ("\n[info] x\r\n  http://a/1  \n", "http://a/1"),
            ("ftp://a/1", nil), ("a https://a/1", nil),
            ("{\"url\": \"https://a/1\"}", "https://a/1"),
            ("{\"url\": \"https://a/1\"}\n{\"url\": \"https://a/2\"}", "https://a/1"),
            ("{\"url\": \"file:///etc/passwd\"}", nil), ("{\"url\": 1}", nil), ("{}", nil), ("{", nil),
            ("[\"https://a/1\"]", nil),
            ("{\"url\": \"https://a/1\", \"protocol\": \"m3u8_native\"}", nil),
            ("{\"url\": \"https://a/1\", \"protocol\": \"https\"}", "https://a/1"),
            ("{\"url\": \"https://a b\"}", nil),
            ("{\"url\": \"https://\(String(repeating: "a", count: 20_000))\"}", nil),
        ]
        for (answer, address) in answers {
            #expect(ExtractedSource(answer: Array(answer.utf8))?.address == address, "\(answer)")
        }
        let formats = """
            {"title": "T", "artist": "A", "uploader": "U", "ext": "mp4", "duration": -1, "http_headers": {"X-All": "1"}, "formats": [
              {"url": "https://a/story", "vcodec": "none", "acodec": "none"}, {"url": "https://a/both", "vcodec": "h", "acodec": "a", "abr": 999},
              {"url": "https://a/low", "vcodec": "none", "acodec": "opus", "abr": 50},
              {"url": "https://a/pieces", "vcodec": "none", "acodec": "opus", "abr": 900, "protocol": "http_dash_segments"},
              {"url": "https://a/high", "vcodec": "none", "acodec": "opus", "abr": 160.5, "ext": "webm"},
              {"url": "https://a/mid", "vcodec": "none", "acodec": "opus", "tbr": 100}, {"url": "https://a/video", "vcodec": "h", "acodec": "none"}]}
            """
        let best = ExtractedSource(answer: Array(formats.utf8))
        #expect(best?.address == "https://a/high" && best?.pathExtension == "webm" && best?.seconds == nil)
        #expect(best?.title == "T" && best?.artist == "A" && best?.headers.first?.name == "X-All")
        let both = formats.replacing("\"vcodec\": \"none\"", with: "\"vcodec\": \"h\"")
        #expect(ExtractedSource(answer: Array(both.utf8))?.address == "https://a/both")
        #expect(ExtractedSource(answer: Array("{\"formats\": [1, {}]}".utf8)) == nil)
    }
}
