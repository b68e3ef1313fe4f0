import Explanations
import JSON
import Sections

@testable import TextFormats

/// Texts written by other programs and other people.
enum TextReaders {
    static func catalogue(_ bytes: [UInt8]) throws -> Bool {
        guard let read = try? LibraryCatalogue(reading: bytes) else { return false }
        let merged = read.merged(with: LibraryCatalogue())
        try BrokenPromise.check(merged.merged(with: read) == merged, "merging a catalogue again changes it")
        guard let again = try? LibraryCatalogue(reading: Array(merged.text.utf8)) else {
            throw BrokenPromise(description: "a catalogue that was written is refused")
        }
        try BrokenPromise.check(again == merged, "a catalogue that was written is read as another one")
        var shared = read
        _ = shared.removeKeys()
        try BrokenPromise.check(shared.removeKeys() == 0, "keys are left in a catalogue without keys")
        _ = shared.visibleRecordings
        return true
    }

    static func feed(_ bytes: [UInt8]) throws -> Bool {
        let feed: Feed
        do throws(FeedError) {
            feed = try Feed(reading: bytes, address: "https://example.org/shows/feed.xml")
        } catch {
            try BrokenPromise.check(!error.message.isEmpty && !error.remedy.isEmpty, "a feed is refused without a word")
            return false
        }
        for episode in feed.episodes {
            try BrokenPromise.check(AddressParts.isWeb(episode.address), "an episode's address is none")
            try BrokenPromise.check(!episode.id.isEmpty, "an episode has no id")
        }
        try BrokenPromise.check(Set(feed.episodes.map(\.id)).count == feed.episodes.count, "an episode comes twice")
        return true
    }

    /// The content decides on the format, and else the name.
    static func playlist(_ bytes: [UInt8]) throws -> Bool {
        var isAccepted = false
        for name in ["list.m3u", "list.m3u8", "list.pls", "list.xspf"] {
            let list: PlaylistFile
            do throws(PlaylistFileError) {
                list = try PlaylistFile(reading: bytes, name: name, folder: "/music/lists")
            } catch {
                try BrokenPromise.check(
                    !error.message.isEmpty && !error.remedy.isEmpty, "a list is refused without a word")
                continue
            }
            isAccepted = true
            for format in PlaylistFile.Format.allCases {
                // A format may be unable to express a value, which is an error with a message.
                guard let content = try? list.content(as: format, folder: "/music/lists") else { continue }
                let file = "list." + format.rawValue
                let again = try? PlaylistFile(reading: content, name: file, folder: "/music/lists")
                try BrokenPromise.check(again?.entries == list.entries, "a list is another one as \(file)")
            }
        }
        return isAccepted
    }

    static func sections(_ bytes: [UInt8]) throws -> Bool {
        var isAccepted = false
        for format in SectionFormat.allCases {
            var list = SectionList(sampleRate: 44_100, frameCount: 4_410_000)
            let name = "sections." + format.rawValue
            guard let found = try? SectionFormat.read(bytes, fileName: name, for: list, recordingName: "song.wav")
            else {
                continue
            }
            isAccepted = true
            do { try list.apply(.add(found.drafts)) } catch {
                throw BrokenPromise(description: "sections were read that no list takes: \(error)")
            }
            for other in SectionFormat.allCases { _ = other.write(list, recordingName: "song.wav") }
        }
        return isAccepted
    }
}
