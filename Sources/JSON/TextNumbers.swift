// Makes the compiler report each number read from text without limits. Every module below the command that imports JSON
// has a link to this file, because these declarations hide the standard library's only in their own module.

// Never called: the checks of a change treat the warning as an error.
extension FixedWidthInteger {
    @available(*, deprecated, message: "state the limits of a number from outside: init(digits:in:)")
    init?(_ text: some StringProtocol, radix: Int = 10) { return nil }

    @available(*, deprecated, message: "state the limits of a number from outside: init(digits:in:)")
    init?(_ text: String) { return nil }
}

extension Double {
    @available(*, deprecated, message: "state the limits of a number from outside: init(decimal:in:)")
    init?(_ text: some StringProtocol) { return nil }

    @available(*, deprecated, message: "state the limits of a number from outside: init(decimal:in:)")
    init?(_ text: Substring) { return nil }
}

extension Float {
    @available(*, deprecated, message: "state the limits of a number from outside: Double.init(decimal:in:)")
    init?(_ text: some StringProtocol) { return nil }

    @available(*, deprecated, message: "state the limits of a number from outside: Double.init(decimal:in:)")
    init?(_ text: Substring) { return nil }
}
