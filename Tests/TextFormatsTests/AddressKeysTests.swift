import Testing

@testable import TextFormats

@Suite("Private keys in addresses")
struct AddressKeysTests {
    @Test(
        "private keys are removed from an address, and the rest of the address stays",
        arguments: [
            ("https://h.org/feed.rss?auth=K", "https://h.org/feed.rss"),
            ("https://h.org/a.mp3?id=7&auth=K&t=1", "https://h.org/a.mp3?id=7&t=1"),
            ("https://h.org/a.mp3?auth=K&id=7", "https://h.org/a.mp3?id=7"),
            ("https://h.org/?id=7;token=K#part", "https://h.org/?id=7#part"),
            ("https://ana:K@h.org:8080/a?x=1", "https://h.org:8080/a?x=1"),
            ("ftp://K@h.org", "ftp://h.org"), ("https://a@b:K@h.org/x@y", "https://h.org/x@y"),
            ("https://h.org/#access_token=K&t=30", "https://h.org/#t=30"),
            ("https://h.org/?API_KEY=K&apikey=K&api-key=K&X-Api-Key=K&feedKey=K&key=K&id=1", "https://h.org/?id=1"),
            (
                "https://s3.org/a?X-Amz-Signature=K&X-Amz-Credential=K&X-Amz-Security-Token=K&AWSAccessKeyId=K&X-Amz-Date=7",
                "https://s3.org/a?X-Amz-Date=7"
            ),
            (
                "https://h.org/?sig=K&signature=K&secret=K&client_secret=K&password=K&pwd=K&PHPSESSID=K",
                "https://h.org/"
            ),
            ("https://h.org/?a%75th=K&x=1", "https://h.org/?x=1"),
            ("https://h.org/?passkey=K&feedkey=K&rsskey=K&privatekey=K&FEEDKEY=K&key1=K&x=1", "https://h.org/?x=1"),
            ("https://h.org/?basicauth=K&httpauth=K&oauth=K&authcode=K&ticket=K&session=K&sas=K", "https://h.org/"),
            ("https://h.org/feed?src=rss?token=K", "https://h.org/feed?src=rss"),
            ("https://h.org/#/show?token=K&x=1", "https://h.org/#/show?x=1"),
            ("https://h.org/?\u{301}token=K&\u{301}auth=K&key=\u{301}K&x=1", "https://h.org/?x=1"),
            ("https://\u{301}ana:K@\u{301}h.org/?x=1", "https://\u{301}h.org/?x=1"),
            ("https://p.org/?url=https%3A%2F%2Fh.org%2F%3Fauth%3DK&x=1", "https://p.org/?x=1"),
            (
                "page 3 of https://h.org/a?auth=K (and <https://b:K@h.org/b>)",
                "page 3 of https://h.org/a (and <https://h.org/b>)"
            ),
            // Within an address: signs after which an address in a text ends.
            ("https://h.org/?t=\"x\"&auth=K&id=1", "https://h.org/?t=\"x\"&id=1"),
            ("https://h.org/?t=<x>&auth=K", "https://h.org/?t=<x>"),
            ("https://h.org/my song.mp3?auth=K&id=1", "https://h.org/my song.mp3?id=1"),
            ("https://h.org/?t=a b&id=1&token=K c#key=K", "https://h.org/?t=a b&id=1 c"),
            ("https://h.org/a\"?auth=https://i.org/K&x=1 https://j.org/?sig=K", "https://h.org/a\"?x=1 https://j.org/"),
            // Passwords with signs after which a host ends.
            ("https://ana:K/K@h.org/a", "https://h.org/a"), ("https://ana:K?K#K@h.org/a", "https://h.org/a"),
            ("https://ana:K\"K@h.org/a", "https://h.org/a"), ("https://ana:K K@h.org/a", "https://h.org/a"),
            ("https://ana:K/K@K@h.org/x@y", "https://h.org/x@y"),
            ("https://ana:K/ana:K/K@h.org/a", "https://h.org/a"),
            ("https://a.org/web/https://ana:K@h.org/x@y?auth=K", "https://a.org/web/https://h.org/x@y"),
            // A removed key hid the end of the password.
            ("https://ana:K.org/a?auth=https://i.org/x?b=@h.org/y", "https://h.org/y"),
            // Escapes within escapes.
            ("https://h.org/?a%2575th=K&x=1", "https://h.org/?x=1"),
            ("https://p.org/?url=https%253A%252F%252Fh.org%252F%253Fauth%253DK&x=1", "https://p.org/?x=1"),
            (
                "https://p.org/?u=https%3A%2F%2Fq.org%2F%3Fu%3Dhttps%253A%252F%252Fh.org%252F%253Fsig%253DK",
                "https://p.org/"
            ),
            (
                "https://p.org/?u=https%3A%2F%2Fq.org%2F%3Fu%3Dhttps%253A%252F%252Fana%253AK%2540h.org%252F",
                "https://p.org/"
            ),
        ])
    func removed(_ text: String, _ expected: String) {
        let short = AddressKeys.removed(from: text)
        #expect(short == expected && AddressKeys.removed(from: short) == short)
    }

    @Test(
        "no private keys are found in a text or address without keys",
        arguments: [
            "", "Ana's tape, side B: take 2", "https://h.org", "https://h.org/a?v=1&list=PL2&t=30#chapter",
            "https://h.org/a?author=Ana&keyword=jazz&assign=1&keyboard=2", "https://h.org/?auth=&key", "://",
            "a://?&;#",
            "https://h.org/?monkey=1&fieldhockey=2&whiskey=3&turkey2=4&a=b?c=d", "https://h.org/user@home/auth=1",
            "https://h.org/?q=100%", "mailto:ana@h.org", "https://h.org/é?q=e\u{301}", "https://h.org/?q=100%2525",
            "https://h.org/a?b=1 Rock & Roll; key=C # 4, token = 5", "see https://h.org:80/a, or mail to ana@h.org",
            "https://[::1]:80/a@b", "see https://h.org:a b, or mail to ana@h.org", "https://h.org/x://y/z@w",
            "Rock&key=C?auth=K", "key=C <https://h.org/a>",
        ])
    func kept(_ text: String) {
        #expect(ExactText(AddressKeys.removed(from: text)) == ExactText(text))
    }
}
