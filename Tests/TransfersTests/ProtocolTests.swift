import Files
import JSON
import TestSupport
import Testing

@testable import Transfers

@Suite("HTTP parsing")
struct ProtocolTests {
    @Test
    func `HTTP dates are read in their three forms`() {
        for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            #expect(WebDate.seconds(text, now: 1_700_000_000) == 784_111_777, "\(text)")
        }
        #expect(WebDate.seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
        #expect(WebDate.seconds("Thu, 29 Feb 2024 12:00:00 GMT") == 1_709_208_000)
        for text in [
            "", "0", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 6 Foo 1994 08:49:37 GMT", "-1",
            "Sun, 99999999999999999999 Nov 1994 08:49:37 GMT",
        ] {
            #expect(WebDate.seconds(text) == nil, "\(text)")
        }
    }

    @Test
    func `interim answers are skipped, and bytes after the head are not read as head`() {
        let answer = head("HTTP/1.1 103 Early\nETag: \"x\"\n\nHTTP/1.1 200 OK\nETag: \"y\"\n\nETag: \"z\"")
        #expect(answer.status == 200 && answer.isComplete && answer.value("etag") == "\"y\"")
        #expect(head("HTTP/1.1 200 OK\nETag: \"a\"\nETag: \"b\"\n").value("etag") == nil)
        #expect(head("HTTP/1.1 200 OK\nContent-Length: +5\n").contentLength == nil)
        #expect(head("HTTP/1.1 200 OK\nContent-Encoding: gzip\n").foreignEncoding == "gzip")
        #expect(
            head("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nContent-Encoding: identity\n").foreignEncoding == nil)
    }

    @Test
    func `byte ranges are read strictly`() {
        #expect(ContentRange("bytes 5-9/10") == ContentRange("Bytes 5-9/10"))
        #expect(ContentRange("bytes 5-9/*")?.total == nil && ContentRange("bytes 5-9/*") != nil)
        for text in [
            "", "bytes", "bytes 9-5/10", "bytes 5-10/10", "bytes */10", "bytes 5-9", "bytes -5-9/10", "items 5-9/10",
            "bytes 5-9/x", "bytes 99999999999999999999-5/6", "bytes 0-9223372036854775807/*",
            "bytes 0-9007199254740993/*",
        ] {
            #expect(ContentRange(text) == nil, "\(text)")
        }
    }

    @Test
    func `only a strong validator allows a range request`() {
        let (old, now) = ("Sun, 06 Nov 1994 08:48:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(Validators(tag: "\"a\"").forRange == "\"a\"")
        #expect(Validators(lastModified: old, date: now).forRange == old)
        #expect(Validators(lastModified: "Sun, 06 Nov 1994 08:48:38 GMT", date: now).forRange == nil)
        #expect(Validators(tag: "W/\"a\"", lastModified: old, date: now).forRange == nil)
        #expect(Validators(lastModified: old).forRange == nil && Validators().forRange == nil)
        #expect(Validators(tag: "a").forRange == nil && Validators(tag: "\"a\r\nX: y\"").forRange == nil)
    }

    @Test
    func `a Retry-After wait is read as seconds and as a date`() {
        #expect(head("HTTP/1.1 503 X\nRetry-After: 120\n").retryAfterSeconds() == 120)
        let dated = "HTTP/1.1 503 X\nDate: Sun, 06 Nov 1994 08:49:37 GMT\nRetry-After: Sun, 06 Nov 1994 08:50:07 GMT\n"
        #expect(head(dated).retryAfterSeconds() == 30)
        #expect(head("HTTP/1.1 503 X\nRetry-After: soon\n").retryAfterSeconds() == nil)
    }

    @Test
    func `checksums equal those of published vectors, for any division of the bytes`() throws {
        let vectors: [(String, String, String)] = [
            (
                "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                "d41d8cd98f00b204e9800998ecf8427e"
            ),
            (
                "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                "900150983cd24fb0d6963f7d28e17f72"
            ),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1", "8215ef0796a20bcaaae116d3876c664a"
            ),
            (
                String(repeating: "a", count: 1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", "7707d6ae4e027c70eea2a935c2296f21"
            ),
        ]
        var random = SeededGenerator(printedFor: "checksums")
        for (text, sha256, md5) in vectors {
            let bytes = Array(text.utf8)
            for (algorithm, expected) in [(Checksum.Algorithm.sha256, sha256), (.md5, md5)] {
                let computation = try ChecksumComputation(algorithm)
                var rest = bytes[...]
                while !rest.isEmpty {
                    let piece = rest.prefix(Int.random(in: 1...200, using: &random))
                    unsafe piece.withUnsafeBytes { unsafe computation.add($0) }
                    rest = rest.dropFirst(piece.count)
                }
                #expect(Checksum(algorithm, computation.finished())?.hexadecimal == expected)
            }
        }
    }

    @Test
    func `checksums are found in all header fields, and only for the whole file`() {
        let md5 = "Content-MD5: 1B2M2Y8AsgTpgAmY7PhCfg==\n"
        #expect(
            Checksum.all(in: head("HTTP/1.1 200 OK\n\(md5)")).map(\.hexadecimal) == ["d41d8cd98f00b204e9800998ecf8427e"]
        )
        #expect(Checksum.all(in: head("HTTP/1.1 206 OK\n\(md5)")).isEmpty)
        let sum = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        for field in [
            "Digest: SHA-256=\(sum)", "Digest: crc32=1, sha-256=\(sum)", "Repr-Digest: sha-256=:\(sum):",
            "Repr-Digest: sha-512=:AAAA:, sha-256=:\(sum):",
        ] {
            #expect(Checksum.all(in: head("HTTP/1.1 206 OK\n\(field)\n")).map(\.bytes.count) == [32], "\(field)")
        }
        #expect(Checksum.all(in: head("HTTP/1.1 200 OK\nDigest: sha-256=!!\nRepr-Digest: sha-256=\(sum)\n")).isEmpty)
    }

    @Test
    func `a written part record is read back, and other texts are refused`() {
        var record = PartRecord(address: "http://a/b", effectiveAddress: "http://c/d")
        record.validators = Validators(tag: "\"x\"", lastModified: "m", date: "d")
        (record.byteCount, record.durableBytes, record.holder) = (100, 50, .own)
        (record.suggestedName, record.contentType) = ("n\"\u{301}", "audio/ogg")
        record.checksums = [Checksum(.md5, [UInt8](repeating: 3, count: 16))].compactMap { $0 }
        #expect(PartRecord(record.json) == record)
        #expect(PartRecord(.null) == nil)
    }
}
