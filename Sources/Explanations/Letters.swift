extension UInt8 {
    /// True for an ASCII letter, small or capital.
    package var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }
}
