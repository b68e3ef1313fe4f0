import Synchronization
import Testing

@testable import Transfers

@Suite("Decisions about the received bytes")
struct ReceivedBytesTests {
    private let address: WebAddress
    private let request: TransferRequest

    init() throws {
        address = try WebAddress("http://example.org/a.wav")
        request = TransferRequest(address, to: "/tmp/a.wav", sizeLimit: 5000)
    }

    /// The first 600 of 1000 bytes, of a version with a strong tag.
    private func received(_ change: (inout PartRecord) -> Void = { _ in }) -> ReceivedBytes {
        var record = PartRecord(address: address.text)
        record.validators = Validators(tag: "\"a\"")
        (record.byteCount, record.durableBytes, record.contentType) = (1000, 600, "audio/x")
        change(&record)
        return ReceivedBytes(record)
    }

    /// The decision on an answer to a request for the bytes from 300 on.
    private func verdict(
        _ status: Int, _ fields: String, on bytes: ReceivedBytes? = nil, from place: WebAddress? = nil,
        free: Int64? = nil
    ) -> ReceivedBytes.Verdict {
        (bytes ?? received()).verdict(
            head("HTTP/1.1 \(status) X\n\(fields)\n"), from: place ?? address, start: 300, for: request
        ) { free }
    }

    static let rests: [(fields: String, reason: RestartReason?)] = [
        ("ETag: \"a\"\nContent-Range: bytes 300-999/1000", nil),
        ("ETag: \"a\"\nContent-Range: bytes 300-599/1000\nContent-Length: 300", nil),
        ("ETag: \"a\"\nContent-Range: bytes 300-598/1000", .otherRange),
        ("ETag: \"a\"\nContent-Range: bytes 0-999/1000", .otherRange),
        ("ETag: \"a\"\nContent-Range: bytes 300-999/*", .otherRange),
        ("ETag: \"a\"\nContent-Range: bytes 300-999/1000\nContent-Length: 699", .otherRange),
        ("ETag: \"a\"", .otherRange), ("ETag: \"a\"\nContent-Range: bytes 300-999/1001", .otherLength),
        ("ETag: \"b\"\nContent-Range: bytes 300-999/1000", .otherValidator),
        ("ETag: W/\"a\"\nContent-Range: bytes 300-999/1000", .otherValidator),
        ("Content-Range: bytes 300-999/1000", .otherValidator),
    ]

    @Test(arguments: rests.indices)
    func `only an answer that confirms every field continues the received bytes`(index: Int) throws {
        let (fields, reason) = Self.rests[index]
        let verdict = verdict(206, fields)
        if let reason {
            #expect(verdict == .again(reason))
            return
        }
        guard case .take(let record, restart: nil) = verdict else { throw TestFailure() }
        #expect(record.byteCount == 1000 && record.isEndStated && record.validators.tag == "\"a\"")
        #expect(record.durableBytes == 600 && record.contentType == "audio/x")
    }

    @Test
    func `a rest from another place, a refused range and a whole file each have their reason`() throws {
        let rest = "ETag: \"a\"\nContent-Range: bytes 300-999/1000"
        let query = try WebAddress("http://example.org/a.wav?key=1")
        guard case .take(_, restart: nil) = verdict(206, rest, from: query) else { throw TestFailure() }
        #expect(verdict(206, rest, from: try WebAddress("http://example.org/b.wav")) == .again(.otherPlace))
        #expect(verdict(416, "") == .again(.rangeRefused))
        for (tag, reason) in [("a", RestartReason.noRanges), ("b", .changedOnServer)] {
            guard case .take(let record, let restart) = verdict(200, "ETag: \"\(tag)\"\nContent-Length: 70") else {
                throw TestFailure()
            }
            #expect(restart == reason && record.byteCount == 70 && record.durableBytes == 0)
        }
        let unasked = received().verdict(
            head("HTTP/1.1 206 X\n\(rest)\n"), from: address, start: nil, for: request
        ) { nil }
        guard case .fail(let error, isUseless: false) = unasked else { throw TestFailure() }
        #expect(error.kind == .unexpected)
    }

    @Test
    func `bytes that no range can continue are requested from the first byte, with the reason`() throws {
        func range(_ bytes: ReceivedBytes, canRead: Bool = true) throws -> Int64? {
            try bytes.range { _, count in canRead ? [UInt8](repeating: 0, count: count) : nil }?.start
        }
        #expect(try range(received()) == 300)
        #expect(throws: RestartReason.weakTag) { try range(received { $0.validators.tag = "W/\"a\"" }) }
        #expect(throws: RestartReason.noValidator) { try range(received { $0.validators.tag = nil }) }
        #expect(throws: RestartReason.damagedPart) { try range(received { $0.byteCount = 599 }) }
        #expect(throws: RestartReason.damagedPart) { try range(received(), canRead: false) }
        var forgotten = received()
        forgotten.forget()
        #expect(try range(forgotten) == nil && forgotten.count == 0 && forgotten.total == nil)
    }

    @Test
    func `forgotten bytes are of their type until an answer replaces them`() throws {
        let seen = Mutex<[String]>([])
        var wanted = request
        wanted.acceptsAnswer = { answer in seen.withLock { $0.append(answer.replacedType ?? "-") } }
        var bytes = received()
        bytes.forget()
        #expect(bytes.areEarlier)
        let answer = head("HTTP/1.1 200 X\nContent-Type: text/html\n")
        for _ in 0..<2 {
            let verdict = bytes.verdict(answer, from: address, start: nil, for: wanted) { nil }
            guard case .take(let record, restart: nil) = verdict else { throw TestFailure() }
            bytes.begin(record)
            #expect(bytes.count == 0 && bytes.notedCount == 0 && !bytes.areEarlier)
        }
        #expect(seen.withLock { $0 } == ["audio/x", "text/html"])
    }

    @Test
    func `only the missing bytes need room on the disk`() throws {
        for (status, fields) in [
            (206, "ETag: \"a\"\nContent-Range: bytes 300-999/1000"), (200, "Content-Length: 1000"),
        ] {
            guard case .take = verdict(status, fields, free: 400 + 1 << 20) else { throw TestFailure() }
            guard case .fail(let error, isUseless: false) = verdict(status, fields, free: 399 + 1 << 20) else {
                throw TestFailure()
            }
            #expect(error.kind == .diskFull && error.message.contains("400 more bytes"))
        }
        guard case .fail(let error, isUseless: false) = verdict(200, "Content-Length: 5001") else {
            throw TestFailure()
        }
        #expect(error.kind == .tooLarge)
    }
}
