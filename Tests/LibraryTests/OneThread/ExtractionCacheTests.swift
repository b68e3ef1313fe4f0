import Foundation
import TestSupport
import Testing
import Transfers

@testable import Catalogue
@testable import Library
@testable import Store
@testable import TextFormats

@Suite("Extraction cache")
struct ExtractionCacheTests {
    /// A temporary folder; removed with the owner.
    private final class Place {
        let path = NSTemporaryDirectory() + "woodshed-extracted-\(UInt64.random(in: 0...UInt64.max))"
        var cache: ExtractionCache { ExtractionCache(path: path + "/extracted.json") }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        func write(_ text: String) throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/extracted.json"))
        }
    }

    private func link(_ number: Int) throws -> VideoLink {
        try #require(
            VideoLink("https://youtu.be/" + String(repeating: "0", count: 11 - "\(number)".count) + "\(number)"))
    }

    private func source(_ address: String = "https://a/1") throws -> ExtractedSource {
        let header = try #require(TransferHeader(name: "X", value: "y"))
        return try #require(
            ExtractedSource(
                address: address, title: "T\u{e9}", artist: "A", seconds: 1.5, pathExtension: "m4a", headers: [header]))
    }

    @Test("a cached extraction lasts for six hours or as long as its address says, by the caller's clock")
    func expiry() throws {
        let place = Place()
        let (now, hour) = (Int64(1_000_000), Int64(3600))
        #expect(try place.cache.source(for: link(1), now: now) == nil)
        #expect(try place.cache.keep(source(), for: link(1), now: now))
        #expect(try place.cache.source(for: link(1), now: now) == source())
        #expect(try place.cache.source(for: link(1), now: now + 6 * hour - 1) == source())
        #expect(try place.cache.source(for: link(1), now: now + 6 * hour) == nil)
        #expect(try place.cache.source(for: link(2), now: now) == nil)
        let short = try source("https://a/2?x=1&expire=\(now + 1000)&y=2#expire=9")
        #expect(try place.cache.keep(short, for: link(1), now: now))
        #expect(try place.cache.source(for: link(1), now: now + 939) == short)
        #expect(try place.cache.source(for: link(1), now: now + 940) == nil)
        #expect(try !place.cache.keep(source("https://a/?expire=\(now)"), for: link(3), now: now))
        #expect(ExtractionCache.expiry(of: "https://a/?expire=\(Int64.max)", now: now) == now + 7 * 24 * hour)
        for text in [
            "https://a/", "https://a/?expire=", "https://a/?expire=x", "https://a/?expire=-5", "https://a/?expires=5",
        ] {
            #expect(ExtractionCache.expiry(of: text, now: now) == now + 6 * hour)
        }
    }

    @Test("with the clock set back, no cached extraction is found, and none lasts for ever")
    func clock() throws {
        let place = Place()
        #expect(try place.cache.keep(source(), for: link(1), now: 2_000_000))
        #expect(try place.cache.source(for: link(1), now: 1_000_000) == nil)
        #expect(try place.cache.keep(source("https://a/2"), for: link(1), now: 1_000_000))
        #expect(try place.cache.source(for: link(1), now: 1_000_000)?.address == "https://a/2")
    }

    @Test("a cached video can be forgotten")
    func forgets() throws {
        let place = Place()
        #expect(
            try place.cache.keep(source(), for: link(1), now: 0) && place.cache.keep(source(), for: link(2), now: 0))
        #expect(try place.cache.forget(link(1)))
        #expect(try place.cache.source(for: link(1), now: 0) == nil && place.cache.source(for: link(2), now: 0) != nil)
    }

    @Test("the newest extractions are kept, and the cache stays small enough to be read")
    func bounds() throws {
        let place = Place()
        func fill(_ count: Int, address: String) throws {
            let entries = try (0..<count).map { number in
                let id = try link(number).canonicalID
                return "{\"id\": \"\(id)\", \"url\": \"\(address)\", \"stored\": 0, \"expires\": 9}"
            }
            try place.write("{\"v\": 1, \"entries\": [\(entries.joined(separator: ","))]}")
        }
        func isThere(_ number: Int) throws -> Bool { try place.cache.source(for: link(number), now: 1) != nil }
        let count = ExtractionCache.mostEntries
        try fill(count, address: "https://a/")
        #expect(try isThere(0) && isThere(count - 1))
        #expect(try place.cache.keep(source(), for: link(count), now: 1))
        #expect(try !isThere(0) && isThere(1) && isThere(count))
        // Fewer, but nearly as long as a state file may be.
        try fill(64, address: "https://a/" + String(repeating: "a", count: 16_000))
        #expect(try isThere(0) && isThere(63))
        #expect(try place.cache.keep(source(), for: link(64), now: 1))
        #expect(try !isThere(0) && isThere(63) && isThere(64))
    }

    @Test(
        "a damaged cache counts as empty, and is replaced",
        arguments: [
            "", "{", "[]", "{\"v\": 2, \"entries\": []}", "{\"v\": 1, \"entries\": 1}",
            "{\"v\": 1, \"entries\": [1, {\"id\": \"youtube:00000000001\", \"url\": \"file:///x\", \"stored\": 0, \"expires\": 9}]}",
            String(repeating: " ", count: 2_000_000),
        ].map(ShortText.init))
    func damage(_ text: ShortText) throws {
        let place = Place()
        try place.write(text.text)
        #expect(try place.cache.source(for: link(1), now: 1) == nil)
        #expect(try place.cache.keep(source(), for: link(1), now: 1))
        #expect(try place.cache.source(for: link(1), now: 1) == source())
    }

    @Test("only the user can read the cache, also one that an earlier version has written")
    func isPrivate() throws {
        let place = Place()
        for text in [nil, #"{"v":1,"entries":[]}"#] {
            if let text {
                try place.write(text)
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o644], ofItemAtPath: place.path + "/extracted.json")
                // Reading the file is enough.
                #expect(try place.cache.source(for: link(1), now: 1) == nil)
            } else {
                #expect(try place.cache.keep(source(), for: link(1), now: 1_000_000))
            }
            let found = try FileManager.default.attributesOfItem(atPath: place.path + "/extracted.json")
            #expect(found[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test("a cache that cannot be written causes no error")
    func unwritable() throws {
        let cache = ExtractionCache(path: "/proc/no/such/extracted.json")
        #expect(try !cache.keep(source(), for: link(1), now: 0))
        #expect(try cache.source(for: link(1), now: 0) == nil && !cache.forget(link(1)))
    }
}
