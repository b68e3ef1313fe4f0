/// Returns a number with a noun, as in "1 take" and "2 takes".
///
/// - Parameter many: The plural; nil for a regular plural with s.
package func counted(_ count: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
    count == 1 ? "1 \(one)" : "\(count) \(many ?? one + "s")"
}
