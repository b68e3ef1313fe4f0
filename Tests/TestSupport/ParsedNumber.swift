/// Parses a number. Tests that see the internals of a module see its `TextNumbers.swift`, too, and their texts need no
/// limits.
public func parsed<Number: LosslessStringConvertible>(_ text: some StringProtocol, as _: Number.Type = Number.self)
    -> Number?
{
    Number(String(text))
}
