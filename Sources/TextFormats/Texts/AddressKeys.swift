/// The private keys in addresses, and how an address is without them.
///
/// A key is a text that a server asks from one reader alone: the user's name and password before the host, and parameters of the query or the fragment whose
/// names say so, such as `auth`, `token`, `api_key` and `X-Amz-Signature`. A key within the path, or under any other name, is not recognised.
///
/// The text is divided at bytes, not at characters: a combining mark behind a sign hides no key.
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
        while let sign = rest.utf8.firstRange(of: "://".utf8) {
            let end =
                rest[sign.upperBound...].unicodeScalars.firstIndex {
                    $0.properties.isWhitespace || $0 == "<" || $0 == ">" || $0 == "\""
                } ?? rest.endIndex
            result += rest[..<sign.upperBound]
            result += shortened(rest[sign.upperBound..<end], isInner)
            rest = rest[end...]
        }
        return result + rest
    }

    /// The rest of an address after its scheme, without keys.
    private static func shortened(_ rest: Substring, _ isInner: Bool) -> String {
        let end = rest.utf8.firstIndex { "/?#\\".utf8.contains($0) } ?? rest.endIndex
        let authority = rest[..<end]
        let at = authority.utf8.lastIndex(of: UInt8(ascii: "@"))
        let host = at.map { authority[authority.utf8.index(after: $0)...] } ?? authority
        var (address, fragment) = (rest[end...], rest[rest.endIndex...])
        if let sign = address.utf8.firstIndex(of: UInt8(ascii: "#")) {
            (address, fragment) = (address[..<sign], address[sign...])
        }
        var query = address[address.endIndex...]
        if let sign = address.utf8.firstIndex(of: UInt8(ascii: "?")) {
            (address, query) = (address[..<sign], address[sign...])
        }
        return String(host) + String(address) + parameters(query, isInner) + parameters(fragment, isInner)
    }

    /// A query or a fragment, with its sign, without the parameters that are keys.
    private static func parameters(_ text: Substring, _ isInner: Bool) -> String {
        guard let sign = text.unicodeScalars.first else { return "" }
        var (kept, separator, isChanged) = ("", "", false)
        var rest = text[text.unicodeScalars.index(after: text.startIndex)...]
        while true {
            // Some programs append their parameters with a second question mark.
            let end = rest.utf8.firstIndex { "&;?#".utf8.contains($0) } ?? rest.endIndex
            let parameter = rest[..<end]
            let isGone = isKey(parameter, isInner)
            if isGone {
                isChanged = true
            } else {
                if !kept.isEmpty { kept += separator }
                kept += String(parameter)
            }
            if end == rest.endIndex { break }
            // The next one stands where the key stood.
            if !isGone { separator = String(rest.unicodeScalars[end]) }
            rest = rest[rest.unicodeScalars.index(after: end)...]
        }
        if !isChanged { return String(text) }
        return kept.isEmpty ? "" : String(sign) + kept
    }

    private static func isKey(_ parameter: Substring, _ isInner: Bool) -> Bool {
        guard let sign = parameter.utf8.firstIndex(of: UInt8(ascii: "=")) else { return false }
        let value = decoded(parameter[parameter.utf8.index(after: sign)...])
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
        // `key1` is a key as well.
        let plain = words.map { text -> String in
            var stem = text
            while stem.last?.isNumber == true { stem.removeLast() }
            return stem
        }
        if !secretWords.isDisjoint(with: words + plain) { return true }
        if let last = plain.last(where: { !$0.isEmpty }), endsAsKey(last) { return true }
        let joined = words.joined()
        return secretParts.contains { joined.contains($0) }
    }

    /// Whether a word is one such as `feedkey` or `basicauth`.
    private static func endsAsKey(_ word: String) -> Bool {
        if word.hasSuffix("auth") { return true }
        return word.hasSuffix("key") && !harmlessEndings.contains { word.hasSuffix($0) }
    }

    /// English words that end in "key".
    private static let harmlessEndings = [
        "donkey", "hockey", "hotkey", "jockey", "lackey", "malarkey", "mickey", "monkey", "smokey", "turkey", "turnkey",
        "whiskey",
    ]

    /// Words that are a secret's name, alone or beside others.
    private static let secretWords: Set<String> = [
        "auth", "authcode", "authorization", "bearer", "hdnea", "hdntl", "hdnts", "hmac", "jwt", "key", "pass",
        "passcode", "pw", "pwd", "sas", "session", "sid", "sig", "sign", "ticket",
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
