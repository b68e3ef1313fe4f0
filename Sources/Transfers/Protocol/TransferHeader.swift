internal import Explanations

/// A header field added by the caller to a request.
package struct TransferHeader: Sendable, Hashable {
    /// Name of 1 to 64 letters, digits and `-`.
    package let name: String
    /// Value of a single line, at most 4096 bytes.
    package let value: String

    /// Creates a header. Returns nil if its parts cannot be sent, or if the transfer itself controls this header.
    package init?(name: String, value: String) {
        let isToken = name.utf8.allSatisfy {
            $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-")
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
