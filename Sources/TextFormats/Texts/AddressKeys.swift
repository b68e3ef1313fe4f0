internal import Files

/// Removes private keys from addresses.
///
/// A key is a text that a server expects from a single reader: the user's name and password before the host, and
/// parameters of the query or the fragment with telling names, such as `auth`, `token`, `api_key` and
/// `X-Amz-Signature`. A key within the path, or under any other name, is not recognised.
///
/// A blank, a quotation mark or an angle bracket ends an address in a text, but can also be an unescaped part of an
/// address. Parameters after an address are therefore examined, too, up to the next address.
///
/// The text is split at bytes, not at characters, so a combining mark after a sign hides no key.
///
/// Real-time safe: no. Threads: any.
package enum AddressKeys {
    /// Returns a text without the keys of its addresses. The rest of each address stays. Repeating the removal changes
    /// nothing.
    package static func removed(from text: String) -> String {
        var text = text
        // A removed key may have contained the sign that hid the end of a password from the search.
        for _ in 0..<mostRemovals {
            let shorter = removed(from: text, isInner: false)
            if shorter.utf8.count == text.utf8.count { return text }
            text = shorter
        }
        // No address is written like this. Nothing after the first scheme stays.
        return text.utf8.firstRange(of: "://".utf8).map { String(text[..<$0.lowerBound]) } ?? text
    }

    /// - Parameter isInner: True for the value of a parameter. Values inside such a value are not split again, so the
    ///   time is linear in the length.
    private static func removed(from text: String, isInner: Bool) -> String {
        // Fast path: most texts contain no address.
        guard text.utf8.contains(UInt8(ascii: ":")) else { return text }
        var (result, rest) = ("", text[...])
        while let sign = rest.utf8.firstRange(of: "://".utf8) {
            let isAlone = result.isEmpty && !rest[..<sign.lowerBound].unicodeScalars.contains(where: isEnd)
            result += rest[..<sign.upperBound]
            rest = withoutUser(rest[sign.upperBound...], isAlone: isAlone)
            let end = Self.end(of: rest)
            result += shortened(rest[..<end], isInner)
            rest = rest[end...]
            while let start = firstParameter(in: rest) {
                let end = Self.end(of: rest[start...])
                result += rest[..<start] + parameters(rest[start..<end], isInner)
                rest = rest[end...]
            }
        }
        return result + rest
    }

    /// True if a character ends an address in a text.
    private static func isEnd(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar == "<" || scalar == ">" || scalar == "\""
    }

    private static func end(of text: Substring) -> Substring.Index {
        text.unicodeScalars.firstIndex(where: isEnd) ?? text.endIndex
    }

    /// Returns the start of the first parameter before the next address, at its sign.
    private static func firstParameter(in text: Substring) -> Substring.Index? {
        let bytes = text.utf8
        let place = bytes.indices.first { "&;?#".utf8.contains(bytes[$0]) || bytes[$0...].starts(with: "://".utf8) }
        return place.flatMap { bytes[$0] == UInt8(ascii: ":") ? nil : $0 }
    }

    /// Returns the rest of a text after an address's scheme, without the user's name and password.
    ///
    /// A password may contain unescaped signs that end the host. In this case, no port follows the colon before these
    /// signs, and an `@` comes after them.
    ///
    /// - Parameter isAlone: True if the text is a single address, so that the password may contain a blank.
    private static func withoutUser(_ rest: Substring, isAlone: Bool) -> Substring {
        var rest = rest
        while true {
            let scalars = rest.unicodeScalars
            let end = scalars.firstIndex { isEnd($0) || "/?#\\".unicodeScalars.contains($0) } ?? rest.endIndex
            if let at = rest[..<end].utf8.lastIndex(of: UInt8(ascii: "@")) {
                return rest[rest.utf8.index(after: at)...]
            }
            guard hasNoPort(rest[..<end]) else { return rest }
            let place = scalars[end...].indices.first {
                scalars[$0] == "@" || !isAlone && scalars[$0].properties.isWhitespace
                    || rest.utf8[$0...].starts(with: "://".utf8)
            }
            guard let place, scalars[place] == "@" else { return rest }
            rest = rest[scalars.index(after: place)...]
        }
    }

    /// True if the text after a colon is not a port number.
    private static func hasNoPort(_ authority: Substring) -> Bool {
        // IPv6 addresses also contain colons.
        let isNumber = authority.utf8.first == UInt8(ascii: "[")
        let start = isNumber ? authority.utf8.firstIndex(of: UInt8(ascii: "]")) : authority.startIndex
        guard let start, let colon = authority[start...].utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        return !authority[colon...].utf8.dropFirst().allSatisfy { $0.isASCIIDigit }
    }

    /// Returns the rest of an address after the user's name and password, without keys.
    private static func shortened(_ rest: Substring, _ isInner: Bool) -> String {
        var (address, fragment) = (rest, rest[rest.endIndex...])
        if let sign = address.utf8.firstIndex(of: UInt8(ascii: "#")) {
            (address, fragment) = (address[..<sign], address[sign...])
        }
        var query = address[address.endIndex...]
        if let sign = address.utf8.firstIndex(of: UInt8(ascii: "?")) {
            (address, query) = (address[..<sign], address[sign...])
        }
        return path(address) + parameters(query, isInner) + parameters(fragment, isInner)
    }

    /// Returns a host with its path, without names and passwords in addresses inside the path.
    private static func path(_ text: Substring) -> String {
        var (result, rest) = ("", text)
        while let sign = rest.utf8.firstRange(of: "://".utf8) {
            result += rest[..<sign.upperBound]
            rest = withoutUser(rest[sign.upperBound...], isAlone: false)
        }
        return result + rest
    }

    /// Returns a query or a fragment, with its sign, without key parameters.
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
            // The next parameter takes the place of the key.
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
        // An address within an address. Decoding has also removed the escapes of further inner addresses, so their
        // parameters are examined together with the outer parameters.
        return isInner ? path(value[...]) != value : removed(from: value, isInner: true) != value
    }

    /// True if the name of a parameter indicates a secret.
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
        // `key1` is also a key.
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

    /// True for a word such as `feedkey` or `basicauth`.
    private static func endsAsKey(_ word: String) -> Bool {
        if word.hasSuffix("auth") { return true }
        return word.hasSuffix("key") && !harmlessEndings.contains { word.hasSuffix($0) }
    }

    /// English words that end in "key".
    private static let harmlessEndings = [
        "donkey", "hockey", "hotkey", "jockey", "lackey", "malarkey", "mickey", "monkey", "smokey", "turkey", "turnkey",
        "whiskey",
    ]

    /// Words that name a secret, alone or with other words.
    private static let secretWords: Set<String> = [
        "auth", "authcode", "authorization", "bearer", "hdnea", "hdntl", "hdnts", "hmac", "jwt", "key", "pass",
        "passcode", "pw", "pwd", "sas", "session", "sid", "sig", "sign", "ticket",
    ]
    /// Parts of longer names that indicate a secret.
    private static let secretParts = [
        "accessid", "accesskey", "apikey", "authkey", "credential", "passphrase", "passwd", "password", "secret",
        "sessid",
        "sessionid", "signature", "streamkey", "token", "userkey",
    ]

    /// Returns a text without escapes, even repeated escapes. A text with invalid escapes stays unchanged.
    private static func decoded(_ text: Substring) -> String {
        var text = String(text)
        for _ in 0..<mostEscapes {
            guard text.utf8.contains(UInt8(ascii: "%")), let bytes = PercentText.decoded(text.utf8) else { break }
            text = String(decoding: bytes, as: UTF8.self)
        }
        return text
    }

    /// Maximum removals from one text: an address with keys in addresses in its keys has three.
    private static let mostRemovals = 8
    /// Maximum levels of escapes: an address in an address in an address has three.
    private static let mostEscapes = 4
}
