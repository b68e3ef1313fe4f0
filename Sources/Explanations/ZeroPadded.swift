/// Returns a number with zeros before its digits, as in "07". A number with more digits keeps all its digits.
///
/// - Parameter digits: The least number of digits.
package func zeroPadded(_ value: some BinaryInteger, to digits: Int, radix: Int = 10) -> String {
    let text = String(value, radix: radix)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
}
