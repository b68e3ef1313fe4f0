extension UInt8 {
    /// True for an ASCII letter, small or capital.
    package var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }

    /// True for a digit from 0 to 9.
    package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
}
