import Glibc
import TextFormats

@testable import Library
@testable import Transfers

/// Answers of servers and helper programs.
enum NetworkReaders {
    /// The time of every run: dates of servers are compared with now.
    private static let now: Int64 = 1_800_000_000

    /// The head of an answer, line by line as libcurl passes it, and everything that a transfer reads in the head.
    static func head(_ bytes: [UInt8]) throws -> Bool {
        var head = ResponseHead()
        var rest = bytes[...]
        while let first = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.indices.last {
            let isTaken = unsafe rest[...first].withUnsafeBytes { unsafe head.take($0) }
            if !isTaken { return false }
            rest = rest[(first + 1)...]
        }
        let length = head.contentLength
        try BrokenPromise.check((length ?? 0) >= 0, "a body has a negative length")
        if let range = head.contentRange {
            try BrokenPromise.check(range.first >= 0 && range.first <= range.last, "a part ends before it begins")
            try BrokenPromise.check(range.total.map { range.last < $0 } ?? true, "a part ends behind the file")
        }
        try BrokenPromise.check((head.retryAfterSeconds(now: now) ?? 0) >= 0, "a server is asked before now")
        for checksum in Checksum.all(in: head) {
            let again = Checksum(checksum.algorithm, hexadecimal: checksum.hexadecimal)
            try BrokenPromise.check(again == checksum, "a checksum is written as another one")
        }
        let validators = Validators(head)
        if let value = validators.forRange {
            try BrokenPromise.check(Validators.isPlain(value), "a server's text would end a field of a request")
        }
        _ = (head.statesEnd, head.foreignEncoding, validators.hindrance, head.value("content-type"))
        if let name = head.value("content-disposition").flatMap(FileNames.name(inDisposition:)) {
            let isName =
                !name.isEmpty && name.utf8.count <= FileNames.longest
                && name.utf8.first != UInt8(ascii: ".") && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
            try BrokenPromise.check(isName, "a server's name for a file is none: \(name.debugDescription)")
        }
        if let place = head.value("location"), let address = try? WebAddress(place) { try check(address) }
        return head.isComplete
    }

    /// The answer of a program that finds the sound of a video, and a user's address.
    static func links(_ bytes: [UInt8]) throws -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        let shortened = AddressKeys.removed(from: text)
        try BrokenPromise.check(AddressKeys.removed(from: shortened) == shortened, "a key is left in an address")
        _ = VideoLink(text)
        let address = try? WebAddress(text)
        if let address { try check(address) }
        guard let source = ExtractedSource(answer: bytes) else { return address != nil }
        try BrokenPromise.check(AddressParts.isWeb(source.address), "the address of a sound is none")
        for header in source.headers {
            try BrokenPromise.check(
                !(header.name + header.value).utf8.contains { $0 < 32 || $0 == 127 }, "a header has more than one line")
        }
        return true
    }

    private static func check(_ address: WebAddress) throws {
        let again = try? WebAddress(address.description)
        try BrokenPromise.check(
            again == address, "an address that was written is read as another: \(address.description)")
        try BrokenPromise.check(
            address.description.utf8.allSatisfy { $0 > 32 && $0 < 127 } || !address.host.utf8.allSatisfy { $0 < 128 },
            "an address is sent with signs that end a line")
        _ = (address.fileName, address.shown)
    }
}
