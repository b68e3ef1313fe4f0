internal import Files
internal import JSON

/// The address of a file on the web: a checked `http` or `https` URL. No socket is opened for any other address.
///
/// The check is a pure function of the text. Non-ASCII letters are permitted in the path, as browsers show them, and
/// are sent percent-encoded. The check refuses a name or a password in the address, because other users can see the
/// arguments of programs. Credentials belong in the file `.netrc`.
public struct WebAddress: Hashable, Sendable, CustomStringConvertible {
    /// The reason why a text is not the address of a file on the web.
    package enum Fault: String, CaseIterable, Error {
        /// The text is empty.
        case empty
        /// The text has more than 8000 bytes.
        case tooLong
        /// The text contains a space, a control character, a backslash, or a mark that changes the direction of text.
        case forbiddenCharacter
        /// The text does not begin with `http://` or `https://`.
        case noScheme
        /// The text begins with another scheme, such as `ftp:`.
        case otherScheme
        /// No name follows the scheme.
        case noHost
        /// The server's name or IP address is invalid.
        case badHost
        /// The port is not a number from 1 to 65535.
        case badPort
        /// The text contains a user name or a password.
        case credentials
        /// A percent sign is not followed by two hexadecimal digits, or is part of `%00`.
        case badPercent
    }

    /// The address as sent: scheme and host in lower case, no fragment, non-ASCII characters percent-encoded.
    package let text: String
    /// True if the connection is encrypted.
    package let isSecure: Bool
    /// The server's name or IP address in lower case; an IPv6 address without brackets.
    package let host: String
    /// The server's port: 80 or 443 unless the address names another.
    package let port: Int
    /// The path, from the first `/` to before the `?`; never empty.
    package let path: String

    /// Longest address in bytes; no server accepts more.
    static let longest = 8000

    /// Checks a text.
    ///
    /// - Parameter text: An address with `http://` or `https://`, at most 8000 bytes, without a user name and a
    ///   password.
    /// - Throws: `TransferError` of kind `badAddress`, whose message states the fault.
    public init(_ text: String) throws(TransferError) {
        switch WebAddress.parse(text) {
        case .success(let address): self = address
        case .failure(let fault): throw .badAddress(text, fault)
        }
    }

    /// Returns the fault of a text; nil if the text is an address.
    package static func fault(in text: String) -> Fault? {
        if case .failure(let fault) = parse(text) { fault } else { nil }
    }

    /// The address for messages and lists: without the query, which may hold a secret.
    public var shown: String { origin + path + (text.contains("?") ? "?…" : "") }

    /// The file name in the address, readable and fit for a file; nil if there is none.
    package var fileName: String? { FileNames.name(in: self) }

    /// The address as sent: scheme and host in lower case, no fragment, non-ASCII characters percent-encoded.
    public var description: String { text }

    /// Scheme, host and port.
    var origin: String { WebAddress.origin(isSecure: isSecure, host: host, port: port) }

    private static func origin(isSecure: Bool, host: String, port: Int) -> String {
        let name = host.contains(":") ? "[\(host)]" : host
        let ending = port == (isSecure ? 443 : 80) ? "" : ":\(port)"
        return "http\(isSecure ? "s" : "")://\(name)\(ending)"
    }

    /// True if both addresses name the same file of the same server, whatever the queries.
    func hasSamePlace(as other: WebAddress) -> Bool { origin == other.origin && path == other.path }

    fileprivate init(isSecure: Bool, host: String, port: Int, path: String, query: String) {
        (self.isSecure, self.host, self.port, self.path) = (isSecure, host, port, path)
        text = WebAddress.origin(isSecure: isSecure, host: host, port: port) + path + query
    }
}

extension WebAddress {
    private static func parse(_ text: String) -> Result<WebAddress, Fault> {
        do throws(Fault) { return .success(try checked(text)) } catch { return .failure(error) }
    }

    private static func checked(_ text: String) throws(Fault) -> WebAddress {
        if text.isEmpty { throw .empty }
        if text.utf8.count > longest { throw .tooLong }
        if text.unicodeScalars.contains(where: isForbidden) { throw .forbiddenCharacter }
        let (isSecure, rest) = try scheme(text)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        let authority = rest[..<end]
        if authority.isEmpty { throw .noHost }
        if authority.contains("@") { throw .credentials }
        let (host, port) = try server(authority, standard: isSecure ? 443 : 80)
        let tail = rest[end...].prefix { $0 != "#" }
        guard hasWholePercents(tail) else { throw .badPercent }
        let question = tail.firstIndex(of: "?") ?? tail.endIndex
        let path = question == tail.startIndex ? "/" : escaped(tail[..<question])
        return WebAddress(
            isSecure: isSecure, host: host, port: port, path: path, query: escaped(tail[question...]))
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\\": true
        // Marks that change the direction of text could disguise the address.
        case "\u{200B}"..."\u{200F}", "\u{2028}"..."\u{202E}", "\u{2060}"..."\u{206F}", "\u{FEFF}", "\u{FFFD}": true
        default: scalar.value <= 0x20 || (0x7F...0xA0).contains(scalar.value) || scalar.properties.isWhitespace
        }
    }

    private static func scheme(_ text: String) throws(Fault) -> (isSecure: Bool, rest: Substring) {
        let lower = text.prefix(8).lowercased()
        if lower.hasPrefix("https://") { return (true, text.dropFirst(8)) }
        if lower.hasPrefix("http://") { return (false, text.dropFirst(7)) }
        guard let colon = text.firstIndex(of: ":") else { throw .noScheme }
        let name = text[..<colon].lowercased()
        // As in "http:example.org".
        if name == "http" || name == "https" { throw .noHost }
        let isScheme =
            name.first.map { $0.isASCII && $0.isLetter } ?? false
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-".contains($0)) }
        // "localhost:8000/a" has a port, and no scheme.
        let isPort = text[text.index(after: colon)...].first?.isNumber ?? false
        throw isScheme && !isPort ? .otherScheme : .noScheme
    }

    private static func server(
        _ authority: Substring, standard: Int
    ) throws(Fault) -> (host: String, port: Int) {
        let name: Substring
        let rest: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { throw .badHost }
            name = authority[authority.index(after: authority.startIndex)..<end]
            rest = authority[authority.index(after: end)...]
            guard isNumberOfVersion6(name) else { throw .badHost }
        } else {
            let end = authority.firstIndex(of: ":") ?? authority.endIndex
            (name, rest) = (authority[..<end], authority[end...])
            if name.isEmpty { throw .noHost }
            guard isHost(name) else { throw .badHost }
        }
        if rest.isEmpty { return (name.lowercased(), standard) }
        guard rest.first == ":" else { throw .badHost }
        let digits = rest.dropFirst()
        guard digits.count <= 5, digits.allSatisfy({ ("0"..."9").contains($0) }),
            let port = Int(digits: digits, in: 1...65535)
        else { throw .badPort }
        return (name.lowercased(), port)
    }

    private static func hasWholePercents(_ text: Substring) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.allSatisfy { index in
            guard bytes[index] == UInt8(ascii: "%") else { return true }
            let digits = bytes[(index + 1)...].prefix(2)
            return digits.count == 2 && digits.allSatisfy { PercentText.value($0) != nil }
                && !digits.allSatisfy { $0 == 48 }
        }
    }

    /// Returns the text with forbidden bytes percent-encoded. Percent signs stay, because they are checked already.
    private static func escaped(_ text: Substring) -> String {
        PercentText.encoded(text.utf8, keeping: "!#$%&'()*+,/:;=?@[]")
    }
}

// The rules for names and IP addresses of servers.
extension WebAddress {
    /// Returns true for a host name or for an IPv4 address in the usual form. Labels of a host name may contain
    /// non-ASCII letters.
    private static func isHost(_ name: Substring) -> Bool {
        let whole = name.hasSuffix(".") ? name.dropLast() : name
        if whole.isEmpty || whole.utf8.count > 253 { return false }
        let labels = whole.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy(isLabel) else { return false }
        // A name ending in a number is an IP address. Refuse other spellings (0x7f.1, 127.1, 017.0.0.1): their targets
        // would surprise the user.
        guard let last = labels.last, last.allSatisfy({ $0.isNumber }) || last.lowercased().hasPrefix("0x") else {
            return true
        }
        return labels.count == 4 && !name.hasSuffix(".")
            && labels.allSatisfy { label in
                label.count <= 3 && label.allSatisfy { $0.isASCII && $0.isNumber }
                    && UInt8(digits: label, in: .min ... .max) != nil
                    && (label.count == 1 || !label.hasPrefix("0"))
            }
    }

    private static func isLabel(_ label: Substring) -> Bool {
        guard !label.isEmpty, label.utf8.count <= 63 else { return false }
        guard label.first != "-", label.last != "-" else { return false }
        return label.unicodeScalars.allSatisfy { scalar in
            if scalar.isASCII {
                return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || "-_".unicodeScalars.contains(scalar)
            }
            return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || scalar.properties.generalCategory == .nonspacingMark
        }
    }

    private static func isNumberOfVersion6(_ text: Substring) -> Bool {
        var groups = 0
        var hasGap = false
        var rest = text
        if rest.hasPrefix("::") {
            hasGap = true
            rest = rest.dropFirst(2)
        }
        while !rest.isEmpty {
            let end = rest.firstIndex(of: ":") ?? rest.endIndex
            let group = rest[..<end]
            if group.contains(".") {
                guard end == rest.endIndex, group.split(separator: ".").count == 4, isHost(group) else { return false }
                groups += 2
                break
            }
            guard (1...4).contains(group.utf8.count), group.utf8.allSatisfy({ PercentText.value($0) != nil }) else {
                return false
            }
            groups += 1
            if end == rest.endIndex { break }
            rest = rest[rest.index(after: end)...]
            if rest.isEmpty { return false }
            if rest.first == ":" {
                if hasGap { return false }
                hasGap = true
                rest = rest.dropFirst()
            }
        }
        return hasGap ? groups <= 7 : groups == 8
    }
}
