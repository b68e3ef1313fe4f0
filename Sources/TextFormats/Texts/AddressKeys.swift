/// The private keys in addresses, and how an address is without them.
///
/// A key is what a server asks from one reader alone: the user's name and password before the host, and parameters of the query or the fragment whose
/// names say so, such as `auth`, `token`, `api_key` and `X-Amz-Signature`. A key within the path, or under any other name, is not recognised.
///
/// Real-time safe: no. Threads: any.
package enum AddressKeys {
    /// A text without the keys of the addresses in it. The rest of each address stays; doing it again changes nothing.
    package static func removed(from text: String) -> String { removed(from: text, isInner: false) }

    /// - Parameter isInner: Whether the text is the value of a parameter. Addresses further inside are not looked for, so the time grows with the
    ///   length alone.
    private static func removed(from text: String, isInner: Bool) -> String {
        // Most texts have no address.
        guard text.utf8.contains(UInt8(ascii: ":")) else { return text }
        var (result, rest) = ("", text[...])
        while let sign = rest.firstRange(of: "://") {
            let end = rest[sign.upperBound...].firstIndex { $0.isWhitespace || "<>\"".contains($0) } ?? rest.endIndex
            result += rest[..<sign.upperBound]
            result += shortened(rest[sign.upperBound..<end], isInner)
            rest = rest[end...]
        }
        return result + rest
    }

    /// What follows the scheme of an address, without keys.
    private static func shortened(_ rest: Substring, _ isInner: Bool) -> String {
        let end = rest.firstIndex { "/?#\\".contains($0) } ?? rest.endIndex
        let authority = rest[..<end]
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        var (address, fragment) = (rest[end...], rest[rest.endIndex...])
        if let sign = address.firstIndex(of: "#") { (address, fragment) = (address[..<sign], address[sign...]) }
        var query = address[address.endIndex...]
        if let sign = address.firstIndex(of: "?") { (address, query) = (address[..<sign], address[sign...]) }
        return host + address + parameters(query, isInner) + parameters(fragment, isInner)
    }

    /// A query or a fragment, with its sign, without the parameters that are keys.
    private static func parameters(_ text: Substring, _ isInner: Bool) -> String {
        guard let sign = text.first else { return "" }
        var (kept, separator, isChanged) = ("", "", false)
        var rest = text.dropFirst()
        while true {
            let end = rest.firstIndex { $0 == "&" || $0 == ";" } ?? rest.endIndex
            let parameter = rest[..<end]
            if isKey(parameter, isInner) {
                isChanged = true
            } else {
                kept += (kept.isEmpty ? "" : separator) + parameter
            }
            if end == rest.endIndex { break }
            (separator, rest) = (String(rest[end]), rest[rest.index(after: end)...])
        }
        if !isChanged { return String(text) }
        return kept.isEmpty ? "" : "\(sign)\(kept)"
    }

    private static func isKey(_ parameter: Substring, _ isInner: Bool) -> Bool {
        guard let sign = parameter.firstIndex(of: "=") else { return false }
        let value = decoded(parameter[parameter.index(after: sign)...])
        if value.isEmpty { return false }
        if isSecret(decoded(parameter[..<sign])) { return true }
        // An address within an address.
        return !isInner && removed(from: value, isInner: true) != value
    }

    /// Whether the name of a parameter tells a secret.
    private static func isSecret(_ name: String) -> Bool {
        var (words, word): ([String], String) = ([], "")
        var wasLower = false
        for character in name {
            // `feedKey` has two words.
            if !character.isLetter && !character.isNumber || character.isUppercase && wasLower {
                words.append(word)
                word = ""
            }
            if character.isLetter || character.isNumber { word += character.lowercased() }
            wasLower = character.isLowercase || character.isNumber
        }
        words.append(word)
        if !secretWords.isDisjoint(with: words) { return true }
        let joined = words.joined()
        return secretParts.contains { joined.contains($0) }
    }

    /// Words that are a secret's name, alone or beside others.
    private static let secretWords: Set<String> = [
        "auth", "authorization", "bearer", "hdnea", "hdntl", "hdnts", "hmac", "jwt", "key", "pass", "passcode", "pw",
        "pwd",
        "sid", "sig", "sign",
    ]
    /// Parts of longer names.
    private static let secretParts = [
        "accessid", "accesskey", "apikey", "authkey", "credential", "passphrase", "passwd", "password", "secret",
        "sessid",
        "sessionid", "signature", "streamkey", "token", "userkey",
    ]

    /// A text without escapes; one with wrong escapes stays as it is.
    private static func decoded(_ text: Substring) -> String {
        PercentText.decoded(text.utf8).map { String(decoding: $0, as: UTF8.self) } ?? String(text)
    }
}
