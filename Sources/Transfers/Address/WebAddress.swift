internal import JSON

/// The address of a file on the web: an `http` or `https` URL that was checked. No socket is opened for anything else.
///
/// The check is a pure function of the text. Letters beyond ASCII are permitted in the path, as browsers show them; they are sent in
/// percent form. A name and a password in the address are refused, because other users see the arguments of programs: they belong into
/// the file `.netrc`.
public struct WebAddress: Hashable, Sendable, CustomStringConvertible {
    /// Why a text is not the address of a file on the web.
    package enum Fault: String, CaseIterable, Sendable {
        /// There is no text.
        case empty
        /// More than 8000 bytes.
        case tooLong
        /// A space, a control character, a backslash, or a mark that changes the direction of text.
        case forbiddenCharacter
        /// It does not begin with `http://` or `https://`.
        case noScheme
        /// It begins with another scheme, such as `ftp:`.
        case otherScheme
        /// No name follows the scheme.
        case noHost
        /// The name or number of the server cannot be one.
        case badHost
        /// The port is not a number from 1 to 65535.
        case badPort
        /// It contains a user name or a password.
        case credentials
        /// A percent sign without two hexadecimal digits after it, or `%00`.
        case badPercent
    }

    /// As it is sent: scheme and host in lower case, without a fragment, characters beyond ASCII in percent form.
    public let text: String
    /// Whether the connection is encrypted.
    package let isSecure: Bool
    /// The server's name or number in lower case; a number of version 6 without its brackets.
    package let host: String
    /// The server's port: 80 or 443 unless the address names another.
    package let port: Int
    /// From the first `/` to before the `?`; never empty.
    package let path: String

    /// More bytes than any server takes.
    static let longest = 8000

    /// Checks a text.
    ///
    /// - Parameter text: an address with `http://` or `https://`, at most 8000 bytes, without a user name and a password.
    /// - Throws: `TransferError` of kind `badAddress`, whose message says what is wrong.
    public init(_ text: String) throws(TransferError) {
        switch WebAddress.parse(text) {
        case .success(let address): self = address
        case .failure(let error): throw .badAddress(text, error.fault)
        }
    }

    /// The fault of a text; nil if it is an address.
    package static func fault(in text: String) -> Fault? {
        if case .failure(let error) = parse(text) { error.fault } else { nil }
    }

    /// The address without what follows its path, which may hold a secret: for messages and lists.
    public var shown: String { origin + path + (text.contains("?") ? "?…" : "") }

    /// The name of the file that it names, readable and fit for a file; nil if there is none.
    package var fileName: String? { FileNames.name(in: self) }

    /// The address as it is sent.
    public var description: String { text }

    /// Scheme, host and port.
    var origin: String { WebAddress.origin(isSecure: isSecure, host: host, port: port) }

    private static func origin(isSecure: Bool, host: String, port: Int) -> String {
        let name = host.contains(":") ? "[\(host)]" : host
        let ending = port == (isSecure ? 443 : 80) ? "" : ":\(port)"
        return "http\(isSecure ? "s" : "")://\(name)\(ending)"
    }

    /// Whether both name the same file of the same server, whatever follows the path.
    func hasSamePlace(as other: WebAddress) -> Bool { origin == other.origin && path == other.path }

    fileprivate init(isSecure: Bool, host: String, port: Int, path: String, query: String) {
        (self.isSecure, self.host, self.port, self.path) = (isSecure, host, port, path)
        text = WebAddress.origin(isSecure: isSecure, host: host, port: port) + path + query
    }
}

extension WebAddress {
    private static func parse(_ text: String) -> Result<WebAddress, FaultError> {
        do throws(FaultError) { return .success(try checked(text)) } catch { return .failure(error) }
    }

    private static func checked(_ text: String) throws(FaultError) -> WebAddress {
        if text.isEmpty { throw .init(.empty) }
        if text.utf8.count > longest { throw .init(.tooLong) }
        if text.unicodeScalars.contains(where: isForbidden) { throw .init(.forbiddenCharacter) }
        let (isSecure, rest) = try scheme(text)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        let authority = rest[..<end]
        if authority.isEmpty { throw .init(.noHost) }
        if authority.contains("@") { throw .init(.credentials) }
        let (host, port) = try server(authority, standard: isSecure ? 443 : 80)
        let tail = rest[end...].prefix { $0 != "#" }
        guard hasWholePercents(tail) else { throw .init(.badPercent) }
        let question = tail.firstIndex(of: "?") ?? tail.endIndex
        let path = question == tail.startIndex ? "/" : escaped(tail[..<question])
        return WebAddress(
            isSecure: isSecure, host: host, port: port, path: path, query: escaped(tail[question...]))
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\\": true
        // Marks that change the direction of text could show another address than the one that is fetched.
        case "\u{200B}"..."\u{200F}", "\u{2028}"..."\u{202E}", "\u{2060}"..."\u{206F}", "\u{FEFF}", "\u{FFFD}": true
        default: scalar.value <= 0x20 || (0x7F...0xA0).contains(scalar.value) || scalar.properties.isWhitespace
        }
    }

    private static func scheme(_ text: String) throws(FaultError) -> (isSecure: Bool, rest: Substring) {
        let lower = text.prefix(8).lowercased()
        if lower.hasPrefix("https://") { return (true, text.dropFirst(8)) }
        if lower.hasPrefix("http://") { return (false, text.dropFirst(7)) }
        guard let colon = text.firstIndex(of: ":") else { throw .init(.noScheme) }
        let name = text[..<colon].lowercased()
        // As in "http:example.org".
        if name == "http" || name == "https" { throw .init(.noHost) }
        let isScheme =
            name.first.map { $0.isASCII && $0.isLetter } ?? false
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-".contains($0)) }
        // "localhost:8000/a" has a port, and no scheme.
        let isPort = text[text.index(after: colon)...].first?.isNumber ?? false
        throw .init(isScheme && !isPort ? .otherScheme : .noScheme)
    }

    private static func server(
        _ authority: Substring, standard: Int
    ) throws(FaultError) -> (host: String, port: Int) {
        let name: Substring
        let rest: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { throw .init(.badHost) }
            name = authority[authority.index(after: authority.startIndex)..<end]
            rest = authority[authority.index(after: end)...]
            guard HostName.isNumberOfVersion6(name) else { throw .init(.badHost) }
        } else {
            let end = authority.firstIndex(of: ":") ?? authority.endIndex
            (name, rest) = (authority[..<end], authority[end...])
            if name.isEmpty { throw .init(.noHost) }
            guard HostName.isValid(name) else { throw .init(.badHost) }
        }
        if rest.isEmpty { return (name.lowercased(), standard) }
        guard rest.first == ":" else { throw .init(.badHost) }
        let digits = rest.dropFirst()
        guard digits.count <= 5, digits.allSatisfy({ ("0"..."9").contains($0) }),
            let port = Int(digits: digits, in: 1...65535)
        else { throw .init(.badPort) }
        return (name.lowercased(), port)
    }

    private static func hasWholePercents(_ text: Substring) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.allSatisfy { index in
            guard bytes[index] == UInt8(ascii: "%") else { return true }
            let digits = bytes[(index + 1)...].prefix(2)
            return digits.count == 2 && digits.allSatisfy { HostName.isHexadecimal($0) }
                && !digits.allSatisfy { $0 == 48 }
        }
    }

    private static let escapedASCII = Array("<>\"^`{|}".utf8)

    /// Bytes that may not be sent as they are, in percent form.
    private static func escaped(_ text: Substring) -> String {
        var result = ""
        for byte in text.utf8 {
            if byte < 0x80, !escapedASCII.contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%" + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }
}

/// A fault, as an error within this file.
struct FaultError: Error {
    let fault: WebAddress.Fault
    init(_ fault: WebAddress.Fault) { self.fault = fault }
}

/// What may be the name or the number of a server.
enum HostName {
    static func isHexadecimal(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
    }

    /// A name, in whose labels letters beyond ASCII are permitted, or a number of version 4 in its usual form.
    static func isValid(_ name: Substring) -> Bool {
        let whole = name.hasSuffix(".") ? name.dropLast() : name
        if whole.isEmpty || whole.utf8.count > 253 { return false }
        let labels = whole.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy(isLabel) else { return false }
        // What ends in a number is one: other spellings (0x7f.1, 127.1, 017.0.0.1) lead where nobody would look for them.
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

    static func isNumberOfVersion6(_ text: Substring) -> Bool {
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
                guard end == rest.endIndex, group.split(separator: ".").count == 4, isValid(group) else { return false }
                groups += 2
                break
            }
            guard (1...4).contains(group.utf8.count), group.utf8.allSatisfy(isHexadecimal) else { return false }
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
