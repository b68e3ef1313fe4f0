/// A header field that a request sends besides those of its own.
package struct TransferHeader: Sendable, Hashable {
    /// Letters, digits and `-`.
    package let name: String
    /// One line.
    package let value: String

    /// A header; nil if its parts could not be sent as one, or if it is one that only the transfer itself may decide on.
    package init?(name: String, value: String) {
        let isToken = name.utf8.allSatisfy {
            (0x61...0x7A).contains($0 | 0x20) && $0 >= 0x41 || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
        }
        guard isToken, (1...64).contains(name.utf8.count), value.utf8.count <= 4096,
            !value.utf8.contains(where: { $0 < 32 || $0 == 127 }), !Self.reserved.contains(name.lowercased())
        else { return nil }
        (self.name, self.value) = (name, value)
    }

    private static let reserved: Set<String> = [
        "host", "content-length", "transfer-encoding", "connection", "te", "upgrade", "trailer", "expect", "range",
        "if-range",
        "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "accept-encoding",
        "proxy-authorization",
        "proxy-connection", "keep-alive",
    ]
}
