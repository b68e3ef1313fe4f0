import Testing

@testable import TextFormats

@Suite("Video links")
struct VideoLinkTests {
    private static let id = "dQw4w9-_gXc"

    @Test(
        "the four forms of video links are recognised, with any further parameters",
        arguments: [
            "https://www.youtube.com/watch?v=ID", "https://youtube.com/watch?v=ID", "https://m.youtube.com/watch?v=ID",
            "https://youtu.be/ID",
            "http://www.youtube.com/watch?v=ID", "http://youtu.be/ID", "www.youtube.com/watch?v=ID",
            "youtube.com/watch?v=ID",
            "m.youtube.com/watch?v=ID", "youtu.be/ID", "HTTPS://WWW.YOUTUBE.COM/watch?v=ID", "https://YouTu.Be/ID",
            "https://www.youtube.com/watch?v=ID&t=42s", "https://www.youtube.com/watch?list=PL1&v=ID&index=2",
            "https://www.youtube.com/watch?v=ID#t=1m", "https://youtu.be/ID?si=abc&t=1", "https://youtu.be/ID#x?y",
            "https://www.youtube.com/watch?v=ID&v=ID", "https://www.youtube.com/watch?app=desktop&&v=ID&",
            "https://www.youtube.com/watch?v=ID#@/?",
        ])
    func recognised(_ form: String) throws {
        let link = try #require(VideoLink(form.replacing("ID", with: Self.id)))
        #expect(
            link.canonicalID == "youtube:" + Self.id && link.address == "https://www.youtube.com/watch?v=" + Self.id)
        #expect(VideoLink(link.address) == link)
    }

    @Test(
        "similar links and other pages are not taken for video links",
        arguments: [
            "", "ID", "https://", "https://youtube.com.evil.example/watch?v=ID",
            "https://youtube.com@evil.example/watch?v=ID",
            "https://evil.example@youtube.com/watch?v=ID", "https://a:b@youtube.com/watch?v=ID",
            "https://notyoutube.com/watch?v=ID",
            "https://xyoutu.be/ID", "https://youtu.be.evil.example/ID", "https://www.youtu.be/ID",
            "https://youtube.com:443/watch?v=ID",
            "https://youtube.com./watch?v=ID", "https://youtube.com%2Eevil.example/watch?v=ID",
            "https://%79outube.com/watch?v=ID",
            "https://xn--yutube-wqf.com/watch?v=ID", "https://yоutube.com/watch?v=ID", "https://youtube。com/watch?v=ID",
            "https://evil.example/https://youtube.com/watch?v=ID", "https://evil.example/?u=youtube.com/watch?v=ID",
            "https://evil.example#youtube.com/watch?v=ID", "https://youtube.com#/watch?v=ID",
            "https://youtube.com\\@evil.example/watch?v=ID",
            "https://youtube.com/\\watch?v=ID", "https:/youtube.com/watch?v=ID", "https:///youtube.com/watch?v=ID",
            "//youtube.com/watch?v=ID",
            "ftp://youtube.com/watch?v=ID", "javascript:youtube.com/watch?v=ID",
            "https://https://youtube.com/watch?v=ID",
            "https://youtube.com/watch?v=", "https://youtube.com/watch?v=ID1", "https://youtube.com/watch?v=short",
            "https://youtube.com/watch",
            "https://youtube.com/watch?V=ID", "https://youtube.com/watch?vv=ID", "https://youtube.com/watch/?v=ID",
            "https://youtube.com/Watch?v=ID",
            "https://youtube.com//watch?v=ID", "https://youtube.com/?v=ID", "https://youtube.com/embed/ID",
            "https://youtube.com/shorts/ID",
            "https://music.youtube.com/watch?v=ID", "https://youtu.be/", "https://youtu.be//ID", "https://youtu.be/ID/",
            "https://youtu.be/watch?v=ID",
            "https://youtube.com/watch?v=dQw4w9-_gX%63", "https://youtube.com/watch?v=dQw4w9-_gX.",
            "https://youtube.com/watch?v=ID&v=aaaaaaaaaaa",
            " https://youtube.com/watch?v=ID", "https://youtube.com/watch?v=ID ", "https://youtube.com/watch?v=ID\n",
            "https://youtu.be/ID\u{0}",
            "https://youtube.com\t/watch?v=ID", "-o youtube.com/watch?v=ID", "youtube.com/watch#?v=ID",
            "https://youtube.com/watch;v=ID",
        ])
    func refused(_ form: String) {
        #expect(VideoLink(form.replacing("ID", with: Self.id)) == nil)
    }

    @Test("a long text is refused at once as a video link")
    func long() {
        #expect(VideoLink("https://youtu.be/" + Self.id + "?" + String(repeating: "a", count: 3000)) == nil)
    }
}
