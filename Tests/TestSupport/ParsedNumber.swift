/// Parses a number. Tests with access to a module's internals see the module's `TextNumbers.swift`, too, and the texts
/// of tests need no limits.
public func parsed<Number: LosslessStringConvertible>(_ text: some StringProtocol, as _: Number.Type = Number.self)
    -> Number?
{
    Number(String(text))
}
