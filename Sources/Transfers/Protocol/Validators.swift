/// What tells one version of a file on a server from another (RFC 9110, 8.8).
struct Validators: Equatable {
    /// The entity tag as the server wrote it, weak or strong.
    var tag: String?
    var lastModified: String?
    /// The server's time when it said so.
    var date: String?

    init(tag: String? = nil, lastModified: String? = nil, date: String? = nil) {
        (self.tag, self.lastModified, self.date) = (tag, lastModified, date)
    }

    init(_ head: ResponseHead) {
        self.init(tag: head.value("etag"), lastModified: head.value("last-modified"), date: head.value("date"))
    }

    /// The value of `If-Range` that asks for the rest of exactly this version; nil if none can.
    ///
    /// A date changes once a second, so a file may change twice while its date stays; only a date that was a minute old tells
    /// versions apart (RFC 9110, 8.8.2.2).
    var forRange: String? {
        if let tag {
            // A weak tag says that the file may have changed a little; then the date says no more than that.
            return Self.isStrong(tag) ? tag : nil
        }
        guard let lastModified, let date, Self.isPlain(lastModified), let changed = WebDate.seconds(lastModified),
            let seen = WebDate.seconds(date), seen - changed >= 60
        else { return nil }
        return lastModified
    }

    /// Why the rest cannot be asked for.
    var hindrance: RestartReason { tag.map { Self.isStrong($0) } == false ? .weakTag : .noValidator }

    static func isStrong(_ tag: String) -> Bool {
        tag.utf8.count >= 2 && tag.utf8.count <= 1024 && tag.hasPrefix("\"") && tag.hasSuffix("\"") && isPlain(tag)
    }

    /// Whether a text may be sent in a field: without the characters that would end it.
    static func isPlain(_ text: String) -> Bool {
        text.utf8.count <= 1024 && text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
    }

    /// Whether an answer is about the same version. What was there must still be there, and the same.
    func agree(with other: Validators) -> Bool { tag == other.tag && lastModified == other.lastModified }
}

/// Why a file that was fetched in part begins again. Bytes of two versions are never put together.
public enum RestartReason: String, CaseIterable, Sendable {
    /// The part belongs to another address.
    case otherAddress
    /// The part, or its record, is damaged.
    case damagedPart
    /// The server gives nothing by which a version can be known: no strong tag, and no date that is a minute old.
    case noValidator
    /// The server's tag is weak: it says only that versions are alike.
    case weakTag
    /// The server sends the whole file, because it has another version.
    case changedOnServer
    /// The server sends the whole file, because it cannot send a part.
    case noRanges
    /// The server refuses to send the rest (416).
    case rangeRefused
    /// The server sends another part than was asked for, or does not say which one.
    case otherRange
    /// The file has another length.
    case otherLength
    /// The tag or the date is another one.
    case otherValidator
    /// The address leads to another place now.
    case otherPlace
    /// The server sends other bytes than it sent before.
    case otherBytes

    /// For messages, as the end of a sentence that begins with "begins again: ".
    public var words: String {
        switch self {
        case .otherAddress: "the part that was there is another address's"
        case .damagedPart: "the part that was there is damaged"
        case .noValidator: "the server does not say which version of the file it has"
        case .weakTag: "the server says only that the file is much the same"
        case .changedOnServer: "the file has changed on the server"
        case .noRanges: "the server sends only whole files"
        case .rangeRefused: "the server does not send the rest"
        case .otherRange: "the server sent another part of the file than was asked for"
        case .otherLength: "the file has another length now"
        case .otherValidator: "the server has another version of the file"
        case .otherPlace: "the address leads to another place now"
        case .otherBytes: "the server sent other bytes than before"
        }
    }
}
