import Testing

@testable import Transfers

@Suite("Addresses and names")
struct AddressTests {
    static let good: [(text: String, sent: String)] = [
        ("http://example.org", "http://example.org/"), ("https://example.org/", "https://example.org/"),
        ("HTTPS://Example.ORG/A/b.FLAC", "https://example.org/A/b.FLAC"),
        ("http://example.org:8080/a", "http://example.org:8080/a"),
        ("http://example.org:80/a", "http://example.org/a"), ("https://example.org:443", "https://example.org/"),
        ("http://127.0.0.1/a.mp3", "http://127.0.0.1/a.mp3"), ("http://[::1]:8000/a", "http://[::1]:8000/a"),
        ("http://[2001:db8::1]/a", "http://[2001:db8::1]/a"), ("http://[::ffff:1.2.3.4]/", "http://[::ffff:1.2.3.4]/"),
        ("https://example.org/a?b=c&d=e", "https://example.org/a?b=c&d=e"),
        ("https://example.org?x=1", "https://example.org/?x=1"),
        ("https://example.org/a#t=10", "https://example.org/a"),
        ("https://example.org/a%20b.wav", "https://example.org/a%20b.wav"),
        ("https://example.org/Café.ogg", "https://example.org/Caf%C3%A9.ogg"),
        ("https://example.org/音.mp3", "https://example.org/%E9%9F%B3.mp3"),
        ("https://müller.example/a", "https://müller.example/a"),
        ("https://my_host.example-1.org/a", "https://my_host.example-1.org/a"),
        ("http://localhost/a", "http://localhost/a"), ("https://example.org./a", "https://example.org./a"),
        ("https://example.org/a@b", "https://example.org/a@b"),
        ("https://example.org/?u=http://x", "https://example.org/?u=http://x"),
        ("https://example.org/a|b{c}", "https://example.org/a%7Cb%7Bc%7D"),
        ("https://example.org/a/../b", "https://example.org/a/../b"),
        ("http://1.2.3.example/a", "http://1.2.3.example/a"),
    ]

    static let bad: [(text: String, fault: WebAddress.Fault)] = [
        ("", .empty), (" ", .forbiddenCharacter), ("http://example.org/a b", .forbiddenCharacter),
        ("http://example.org/a\n", .forbiddenCharacter), ("http://example.org/\u{0}", .forbiddenCharacter),
        ("http://example.org/\u{202E}3pm.exe", .forbiddenCharacter), ("http://example.org\\a", .forbiddenCharacter),
        ("http://example.org/\u{A0}", .forbiddenCharacter), ("example.org/a", .noScheme),
        ("//example.org/a", .noScheme),
        ("/a/b.wav", .noScheme), ("localhost:8000/a", .noScheme), ("ftp://example.org/a", .otherScheme),
        ("file:///etc/passwd", .otherScheme), ("javascript:alert(1)", .otherScheme),
        ("data:audio/wav;base64,AA", .otherScheme),
        ("httpx://example.org", .otherScheme), ("http:example.org", .noHost), ("http://", .noHost),
        ("http:///a", .noHost),
        ("https://?a", .noHost), ("https://#a", .noHost), ("http://:80/", .noHost), ("http://.example.org/", .badHost),
        ("http://a..b/", .badHost), ("http://-a.example/", .badHost), ("http://a-.example/", .badHost),
        ("http://exa mple.org/", .forbiddenCharacter), ("http://ex*mple.org/", .badHost), ("http://a%2fb/", .badHost),
        ("http://256.1.1.1/", .badHost), ("http://1.2.3/", .badHost), ("http://0x7f.1/", .badHost),
        ("http://2130706433/", .badHost),
        ("http://017.0.0.1/", .badHost), ("http://[::1/", .badHost), ("http://[1::2::3]/", .badHost),
        ("http://[12345::]/", .badHost),
        ("http://[::1]x/", .badHost), ("http://example.org:/", .badPort), ("http://example.org:0/", .badPort),
        ("http://example.org:65536/", .badPort), ("http://example.org:8o/", .badPort),
        ("http://example.org:+80/", .badPort),
        ("http://me@example.org/", .credentials), ("http://me:secret@example.org/", .credentials),
        ("http://@example.org/", .credentials),
        ("http://me:my secret@example.org/", .forbiddenCharacter), ("me:secret@example.org/", .otherScheme),
        ("http://example.org/a b?key=secret", .forbiddenCharacter), ("ftp://example.org/#key=secret", .otherScheme),
        ("http://example.org/%", .badPercent), ("http://example.org/%4", .badPercent),
        ("http://example.org/%zz", .badPercent),
        ("http://example.org/a?b=%g1", .badPercent), ("http://example.org/%00", .badPercent),
        ("http://example.org/" + String(repeating: "a", count: 8000), .tooLong),
        ("http://" + String(repeating: "a", count: 64) + ".org/", .badHost),
        ("http://" + String(repeating: "a.", count: 130) + "org/", .badHost),
    ]

    @Test(arguments: good.indices)
    func `an address of a file on the web is sent in its plain form`(index: Int) throws {
        let (text, sent) = Self.good[index]
        let address = try WebAddress(text)
        #expect(address.text == sent && WebAddress.fault(in: text) == nil)
        #expect(try WebAddress(address.text) == address)
    }

    @Test(arguments: bad.indices)
    func `an address of another kind is refused with its reason, and no secret is repeated`(index: Int) throws {
        let (text, fault) = Self.bad[index]
        #expect(WebAddress.fault(in: text) == fault, "\(text.prefix(60))")
        let error = #expect(throws: TransferError.self) { try WebAddress(text) }
        #expect(error?.kind == .badAddress && error?.message.contains("secret") == false)
        #expect(error?.message.unicodeScalars.allSatisfy { $0.value >= 32 && $0 != "\u{202E}" } == true)
    }

    @Test
    func `the query and fragment of an address are not shown`() throws {
        let address = try WebAddress("https://example.org/a.wav?token=secret")
        #expect(address.shown == "https://example.org/a.wav?…")
    }

    static let names: [(from: String, to: String?)] = [
        ("a.wav", "a.wav"), ("../../etc/passwd", "passwd"), ("..", nil), (".", nil), ("", nil), ("/", nil),
        (".hidden", "hidden"),
        ("...a", "a"), ("C:\\Temp\\b.mp3", "b.mp3"), ("a\u{0}b\u{1B}[31m.wav", "ab[31m.wav"),
        ("a\u{202E}vaw.exe", "avaw.exe"),
        (" a ", "a"), ("a.", "a"), ("Cafe\u{301}.wav", "Cafe\u{301}.wav"), ("Caf\u{E9}.wav", "Caf\u{E9}.wav"),
        ("-rf", "-rf"), ("a/", "a"),
        // A sign and a following mark, even a removed mark, form a single character.
        ("a/\u{200D}../\u{200D}../\u{200D}b", "b"), ("a\\\u{200D}b", "b"), ("a/\u{301}b", "\u{301}b"),
        (".\u{301}b", "\u{301}b"), ("..\u{200D}", nil), ("a\u{200D}.\u{200D}", "a"),
        ("a" + String(repeating: "\u{301}", count: 200) + ".wav", nil),
    ]

    @Test(arguments: names.indices)
    func `harmful file names of servers become harmless`(index: Int) {
        let (from, to) = Self.names[index]
        #expect(FileNames.cleaned(from).map { Array($0.utf8) } == to.map { Array($0.utf8) })
    }

    @Test
    func `a long file name is cut at a character, and keeps its extension`() {
        let long = FileNames.cleaned(String(repeating: "ä", count: 300) + ".flac")
        #expect(long == String(repeating: "ä", count: 125) + ".flac")
        let marks = "a" + String(repeating: "\u{301}", count: 500)
        #expect(FileNames.cleaned("bb" + marks + ".wav").map { $0.utf8.count <= 255 } == true)
        #expect(FileNames.cleaned(String(repeating: "x", count: 256))?.utf8.count == 255)
        #expect(
            PartNames("/m/" + String(repeating: "x", count: 255))
                != PartNames("/m/" + String(repeating: "x", count: 254)))
    }

    @Test
    func `the file name in a Content-Disposition header is found in all its forms`() {
        let forms: [(String, String?)] = [
            ("attachment; filename=\"a b.wav\"", "a b.wav"), ("attachment; filename=a.wav", "a.wav"), ("inline", nil),
            ("attachment; filename*=UTF-8''Caf%C3%A9.wav; filename=x.wav", "Café.wav"),
            ("attachment; filename=x.wav; filename*=utf-8'en'%e2%82%ac.wav", "€.wav"),
            ("attachment; filename*=ISO-8859-1''caf%E9.wav", "café.wav"),
            ("attachment; filename=\"a\\\"b.wav\"", "a\"b.wav"), ("attachment; filename=\"../../x\"", "x"),
            ("attachment; filename=\"..%2f..%2fx\"", "%2f..%2fx"),
            ("attachment; filename*=UTF-8''..%2F..%2Fx.wav", "x.wav"),
            ("attachment; filename*=UTF-8''%00%01; filename=y", "y"), ("attachment; filename=", nil),
            ("attachment; filename=\"", nil),
            ("attachment;filename = \"q.wav\" ;x", "q.wav"),
        ]
        for (form, name) in forms { #expect(FileNames.name(inDisposition: form) == name, "\(form)") }
    }
}
