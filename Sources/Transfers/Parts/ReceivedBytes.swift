internal import Files

/// The bytes of a file in a part, and the version of the file to which the bytes belong. Decides whether the answer of
/// a server continues these bytes, replaces them, or is refused.
///
/// The value lives as long as the transfer. A retry and a redirection keep it; a restart makes the bytes unusable until
/// an answer replaces them.
struct ReceivedBytes {
    /// Record of the version; nil without usable bytes.
    private(set) var record: PartRecord?
    /// Number of usable bytes.
    private(set) var count: Int64 = 0
    /// Number of bytes on the disk, or on their way to the disk.
    var notedCount: Int64 = 0
    /// Content type of the bytes in the part, usable or not, as named by the server; empty if unnamed. Nil without
    /// bytes.
    private(set) var type: String?
    /// True if bytes in the part come from an earlier transfer.
    private(set) var areEarlier = false

    /// A part without bytes.
    init() {}

    /// Bytes of an earlier transfer.
    init(_ record: PartRecord) {
        (self.record, count, notedCount) = (record, record.durableBytes, record.durableBytes)
        (type, areEarlier) = (record.contentType ?? "", true)
    }

    /// Number of bytes of the file; nil if unknown.
    var total: Int64? { record?.byteCount }

    // MARK: Changes

    /// Makes all bytes unusable. The next answer brings the file from its first byte.
    mutating func forget() { (record, count, notedCount) = (nil, 0, 0) }

    /// Begins an answer with the whole file.
    mutating func begin(_ new: PartRecord) {
        self = ReceivedBytes()
        (record, type) = (new, new.contentType ?? "")
    }

    /// Begins an answer with the rest of the same file.
    mutating func goOn(_ new: PartRecord) { record = new }

    mutating func add(_ bytes: Int) { count += Int64(bytes) }

    /// Takes the present bytes for the whole file.
    mutating func complete() { record?.byteCount = count }

    /// The present bytes proved not to be the whole file.
    mutating func reopen(_ new: PartRecord) { (record, notedCount) = (new, new.durableBytes) }

    // MARK: Requesting the rest

    /// Largest number of bytes before the resume point fetched again for comparison.
    private static let overlapBytes: Int64 = 1 << 14

    /// Returns the range to request; nil for the whole file.
    ///
    /// - Parameter read: Returns bytes of the part, from an offset; nil if they cannot be read.
    /// - Throws: The reason why the rest cannot be requested.
    func range(
        read: (_ offset: Int64, _ count: Int) -> [UInt8]?
    ) throws(RestartReason) -> (start: Int64, overlap: [UInt8], validator: String)? {
        guard count > 0, let record else { return nil }
        guard let validator = record.validators.forRange else { throw record.validators.hindrance }
        if let total, count > total { throw .damagedPart }
        let length = min(Self.overlapBytes, (count + 1) / 2)
        guard let overlap = read(count - length, Int(length)) else { throw .damagedPart }
        return (count - length, overlap, validator)
    }

    // MARK: Deciding

    /// The decision after the head of an answer.
    enum Verdict: Equatable {
        /// Write the body into the part. The record names the version to which the body belongs; `restart` is the
        /// reason for not using the bytes received before.
        case take(PartRecord, restart: RestartReason?)
        /// Follow the redirection.
        case redirect
        /// Discard the part; the next request asks for the whole file.
        case again(RestartReason)
        /// End the transfer. The bytes are discarded if nothing could continue from them.
        case fail(TransferError, isUseless: Bool = false)
    }

    /// Reserve left free on the disk, in bytes.
    private static let spareBytes: Int64 = 1 << 20

    /// Decides by the head of an answer.
    ///
    /// - Parameters:
    ///   - address: The address asked, after redirections.
    ///   - start: Requested first byte; nil if the whole file was requested.
    ///   - freeBytes: Number of bytes that may still be written to the disk; nil if unknown.
    func verdict(
        _ head: ResponseHead, from address: WebAddress, start: Int64?, for request: TransferRequest,
        freeBytes: () -> Int64?
    ) -> Verdict {
        if [301, 302, 303, 307, 308].contains(head.status), head.value("location") != nil { return .redirect }
        if head.status == 416, start != nil { return .again(.rangeRefused) }
        if let error = TransferError.answer(head.status, address, retryAfterSeconds: head.retryAfterSeconds()) {
            return .fail(error)
        }
        if let encoding = head.foreignEncoding {
            let name = FileNames.printable(encoding).prefix(40)
            return .fail(.unexpected(address, "the server sends the file in another form (\(name))"))
        }
        var new = PartRecord(address: request.address.text, effectiveAddress: address.text)
        new.validators = Validators(head)
        new.isEndStated = head.statesEnd
        new.checksums = Checksum.all(in: head)
        new.contentType = head.value("content-type").map { String(FileNames.printable($0).prefix(200)) }
        new.suggestedName =
            head.value("content-disposition").flatMap(FileNames.name(inDisposition:)) ?? FileNames.name(in: address)
            ?? FileNames.name(in: request.address)
        var answer: TransferAnswer
        var reason: RestartReason?
        let whole: Int64?
        if head.status == 206 {
            guard let start, let record else {
                return .fail(.unexpected(address, "the server sends a part of the file unasked"))
            }
            if let reason = difference(head, new, from: address, start: start, to: record) { return .again(reason) }
            whole = head.contentRange?.total
            new = continued(record, by: new, whole: whole)
            answer = new.answer(from: address)
        } else {
            new.byteCount = head.contentLength
            whole = new.byteCount
            answer = new.answer(from: address)
            answer.replacedType = type
            if start != nil, let record {
                reason = record.validators.agree(with: new.validators) ? .noRanges : .changedOnServer
            }
        }
        if let total = new.byteCount, total > request.sizeLimit {
            return .fail(.tooLarge(address, limit: request.sizeLimit))
        }
        do { try request.acceptsAnswer?(answer) } catch { return .fail(.rejected(by: error, address)) }
        // The part is emptied before the bytes of a whole file are written.
        if let missing = whole.map({ $0 - count }), let free = freeBytes(), missing > max(0, free - Self.spareBytes) {
            return .fail(.diskFull(request.path, needed: missing))
        }
        return .take(new, restart: reason)
    }

    /// Returns the reason why an answer is not the rest of the same file; nil if every field confirms it.
    private func difference(
        _ head: ResponseHead, _ new: PartRecord, from address: WebAddress, start: Int64, to record: PartRecord
    ) -> RestartReason? {
        guard let range = head.contentRange, range.first == start, range.last >= count - 1 else { return .otherRange }
        if let length = head.contentLength, length != range.last - range.first + 1 { return .otherRange }
        if let known = record.byteCount {
            guard let total = range.total else { return .otherRange }
            guard total == known else { return .otherLength }
        }
        let (old, now) = (record.validators, new.validators)
        // A server omitting the requested validator does not confirm the same version.
        if old.tag != nil ? now.tag != old.tag : now.lastModified != old.lastModified || now.tag != nil {
            return .otherValidator
        }
        if let date = now.lastModified, let before = old.lastModified, date != before { return .otherValidator }
        guard let place = try? WebAddress(record.effectiveAddress), place.hasSamePlace(as: address) else {
            return .otherPlace
        }
        return nil
    }

    private func continued(_ record: PartRecord, by new: PartRecord, whole: Int64?) -> PartRecord {
        var kept = record
        kept.effectiveAddress = new.effectiveAddress
        kept.byteCount = record.byteCount ?? whole
        // The answer states its own end. This is the end of the file only if the length of the file is known: a server
        // may send less than requested.
        kept.isEndStated = kept.byteCount != nil
        for sum in new.checksums where !kept.checksums.contains(sum) { kept.checksums.append(sum) }
        return kept
    }
}

extension PartRecord {
    /// The server's statements about the version.
    func answer(from address: WebAddress) -> TransferAnswer {
        TransferAnswer(
            address: address, contentType: contentType, byteCount: byteCount, suggestedName: suggestedName,
            tag: validators.tag, lastModified: validators.lastModified)
    }
}
