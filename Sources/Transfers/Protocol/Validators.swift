/// The fields that tell versions of a file on a server apart (RFC 9110, 8.8).
struct Validators: Equatable {
    /// The entity tag as the server wrote it, weak or strong.
    var tag: String?
    var lastModified: String?
    /// The server's time of the answer.
    var date: String?

    init(tag: String? = nil, lastModified: String? = nil, date: String? = nil) {
        (self.tag, self.lastModified, self.date) = (tag, lastModified, date)
    }

    init(_ head: ResponseHead) {
        self.init(tag: head.value("etag"), lastModified: head.value("last-modified"), date: head.value("date"))
    }

    /// Value of `If-Range` for requesting the rest of exactly this version; nil if impossible.
    ///
    /// A date changes once a second, so a file may change twice under the same date. Only a date at least a minute old
    /// tells versions apart (RFC 9110, 8.8.2.2).
    var forRange: String? {
        if let tag {
            // A weak tag allows small changes of the file, and the date then proves no more.
            return Self.isStrong(tag) ? tag : nil
        }
        guard let lastModified, let date, Self.isPlain(lastModified), let changed = WebDate.seconds(lastModified),
            let seen = WebDate.seconds(date), seen - changed >= 60
        else { return nil }
        return lastModified
    }

    /// The reason why the rest cannot be requested.
    var hindrance: RestartReason { tag.map { Self.isStrong($0) } == false ? .weakTag : .noValidator }

    static func isStrong(_ tag: String) -> Bool {
        tag.utf8.count >= 2 && tag.utf8.count <= 1024 && tag.hasPrefix("\"") && tag.hasSuffix("\"") && isPlain(tag)
    }

    /// Returns true if a text may be sent in a field: at most 1024 bytes, without control characters.
    static func isPlain(_ text: String) -> Bool {
        text.utf8.count <= 1024 && text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
    }

    /// Returns true if an answer is about the same version. Every field must be present as before, with the same value.
    func agree(with other: Validators) -> Bool { tag == other.tag && lastModified == other.lastModified }
}

/// The reason why a partly fetched file restarts. Bytes of two versions are never combined.
package enum RestartReason: String, CaseIterable, Error {
    /// The part belongs to another address.
    case otherAddress
    /// The part, or its record, is damaged.
    case damagedPart
    /// The server identifies no version: no strong tag, and no date at least a minute old.
    case noValidator
    /// The server's tag is weak: equal tags mean only similar versions.
    case weakTag
    /// The server sends the whole file, because the file has changed.
    case changedOnServer
    /// The server sends the whole file, because it does not support ranges.
    case noRanges
    /// The server refuses to send the rest (416).
    case rangeRefused
    /// The server sends another range than requested, or does not state the range.
    case otherRange
    /// The file has another length.
    case otherLength
    /// The tag or the date differs.
    case otherValidator
    /// The address now redirects to another place.
    case otherPlace
    /// The server sends other bytes than before.
    case otherBytes

    /// Text for messages, as the end of a sentence beginning with "begins again: ".
    package var words: String {
        switch self {
        case .otherAddress: "the kept part belongs to another address"
        case .damagedPart: "the kept part is damaged"
        case .noValidator: "the server does not state the version of the file"
        case .weakTag: "the server states only a weak version of the file"
        case .changedOnServer: "the file has changed on the server"
        case .noRanges: "the server sends only whole files"
        case .rangeRefused: "the server does not send the rest"
        case .otherRange: "the server sent another part of the file than requested"
        case .otherLength: "the file has another length now"
        case .otherValidator: "the server has another version of the file"
        case .otherPlace: "the address leads to another place now"
        case .otherBytes: "the server sent other bytes than before"
        }
    }
}
