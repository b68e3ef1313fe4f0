internal import Explanations

/// The parts of an address, and the resolution of relative addresses (RFC 3986, sections 3 and 5.2).
///
/// Nothing else is checked or changed: the fetching code decides if an address may be fetched.
package struct AddressParts {
    private var scheme: Substring?
    private var authority: Substring?
    private var path: Substring
    private var query: Substring?
    private var fragment: Substring?

    /// Longest resolved address, in bytes. Servers refuse even shorter addresses.
    package static let longest = 16_384

    init(_ text: String) {
        var rest = text[...]
        if let sign = rest.utf8.firstIndex(of: UInt8(ascii: "#")) {
            fragment = rest[rest.utf8.index(after: sign)...]
            rest = rest[..<sign]
        }
        if let sign = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
            query = rest[rest.utf8.index(after: sign)...]
            rest = rest[..<sign]
        }
        if let sign = rest.utf8.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<sign].utf8) {
            scheme = rest[..<sign]
            rest = rest[rest.utf8.index(after: sign)...]
        }
        if rest.utf8.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = rest[..<end]
            rest = rest[end...]
        }
        path = rest
    }

    /// True for an absolute address of a web server: http or https, a host, and no blank or control character.
    package static func isWeb(_ text: String) -> Bool {
        let address = AddressParts(text)
        guard let scheme = address.scheme?.lowercased(), scheme == "http" || scheme == "https",
            address.authority?.isEmpty == false
        else { return false }
        return !text.utf8.contains { $0 <= 32 || $0 == 127 }
    }

    /// Resolves an address that may be relative; nil if the result is not an absolute web address.
    ///
    /// - Parameter base: Address of the text that contains the reference; empty if there is none.
    static func resolved(_ reference: String, against base: String) -> String? {
        let reference = String(decoding: LineText.trimmed(Array(reference.utf8)[...]), as: UTF8.self)
        if reference.isEmpty { return nil }
        var target = AddressParts(reference)
        if target.scheme == nil {
            let base = AddressParts(base)
            guard base.scheme != nil else { return nil }
            if target.authority == nil {
                if target.path.isEmpty {
                    target.path = base.path
                    target.query = target.query ?? base.query
                } else if !target.path.utf8.starts(with: "/".utf8) {
                    let end = base.path.utf8.lastIndex(of: UInt8(ascii: "/")).map { base.path.utf8.index(after: $0) }
                    let folder = end.map { base.path[..<$0] } ?? (base.authority == nil ? "" : "/")
                    target.path = Self.withoutDots(folder + target.path)[...]
                } else {
                    target.path = Self.withoutDots(target.path)[...]
                }
                target.authority = base.authority
            }
            target.scheme = base.scheme
        }
        let text = target.text
        return isWeb(text) && text.utf8.count <= longest ? text : nil
    }

    private var text: String {
        var text = ""
        if let scheme { text += scheme + ":" }
        if let authority { text += "//" + authority }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }

    static func isScheme(_ text: some Collection<UInt8>) -> Bool {
        guard let first = text.first, first.isASCIILetter else { return false }
        return text.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }
    }

    /// Removes the steps `.` and `..` from a path.
    private static func withoutDots(_ path: some StringProtocol) -> String {
        var steps: [Substring] = []
        let all = String(path).split(separator: "/", omittingEmptySubsequences: false)
        for (index, step) in all.enumerated() {
            let isLast = index == all.count - 1
            switch step {
            case ".": if isLast { steps.append("") }
            case "..":
                if steps.count > 1 { steps.removeLast() }
                if isLast { steps.append("") }
            default: steps.append(step)
            }
        }
        return steps.joined(separator: "/")
    }
}
