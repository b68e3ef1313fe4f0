package import Files

/// Names of files as text. For the system a name is bytes; names on old disks and in archives are often not UTF-8.
///
/// A byte outside valid UTF-8 becomes the character U+10FF00 + byte, from the unused end of Unicode's last private use
/// area. Bytes encoding such a character in UTF-8 are treated in the same way. Every name therefore has a distinct
/// text, and a UTF-8 name is its own text. Functions for reading a recording accept such a text; no file is written
/// under such a text.
///
/// Real-time safe: no.
package enum FileName {
    /// Returns the text for a name.
    package static func text(of name: some Sequence<UInt8>) -> String {
        let bytes = Array(name)
        // Fast path: nearly all names are UTF-8, in which the stand-in characters begin with byte 0xF4.
        if !bytes.contains(0xF4), let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = String.UnicodeScalarView()
        var parser = Unicode.UTF8.ForwardParser()
        var source = bytes.makeIterator()
        var place = 0
        while true {
            let length: Int
            switch parser.parseScalar(from: &source) {
            case .emptyInput: return String(text)
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                length = encoded.count
                if standsForByte(scalar) { break }
                text.append(scalar)
                place += length
                continue
            case .error(let count): length = count
            }
            for byte in bytes[place..<min(bytes.count, place + length)] {
                if let scalar = Unicode.Scalar(first + UInt32(byte)) { text.append(scalar) }
            }
            place += length
        }
    }

    /// Returns the name for a text.
    package static func bytes(of text: String) -> [UInt8] {
        // In UTF-8, all stand-in characters begin with byte 0xF4.
        guard text.utf8.contains(0xF4) else { return Array(text.utf8) }
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            if standsForByte(scalar) {
                bytes.append(UInt8(scalar.value & 0xFF))
            } else {
                bytes.append(contentsOf: Unicode.UTF8.encode(scalar) ?? Unicode.UTF8.encodedReplacementCharacter)
            }
        }
        return bytes
    }

    /// Returns a text for people: the bytes outside UTF-8 are read as Latin-1, as on most old disks.
    package static func readable(_ text: String) -> String {
        guard !isUTF8(text) else { return text }
        var readable = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let byte = Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value))
            // Latin-1 has control characters below 0xA0.
            readable.append(!standsForByte(scalar) ? scalar : byte.value >= 0xA0 ? byte : "\u{FFFD}")
        }
        return String(readable)
    }

    /// Returns true if a name is UTF-8. Files are only written under UTF-8 names.
    package static func isUTF8(_ text: String) -> Bool {
        !text.utf8.contains(0xF4) || !text.unicodeScalars.contains(where: standsForByte)
    }

    /// Returns true if a character stands for a byte outside valid UTF-8. The lowest eight bits of the character are
    /// this byte.
    package static func standsForByte(_ scalar: Unicode.Scalar) -> Bool { scalar.value >= first + 0x80 }

    private static let first: UInt32 = 0x10_FF00

    /// Returns the absolute path of the same file as text. Symbolic links in the folders are resolved; a link in the
    /// last component stays. Returns nil if the folder does not exist.
    package static func absolute(_ text: String) -> String? {
        guard !text.isEmpty, text.utf8.last != UInt8(ascii: "/"),
            let resolved = unsafe FilePlace.resolvedBytes(systemName(FilePlace.folder(of: text)))
        else { return nil }
        let folder = Self.text(of: resolved)
        return (folder == "/" ? "" : folder) + "/" + fileName(text)
    }

    /// Returns the names in a folder as texts, without `.` and `..`, unsorted.
    ///
    /// - Throws: As `Folder.names`.
    package static func names(in folder: String) throws(FileFault) -> [String] {
        try unsafe Folder.names(inFolder: systemName(folder)).map { text(of: $0) }
    }

    /// Returns the name for a text in the system's form, ended by a zero.
    package static func systemName(_ text: String) -> [CChar] { bytes(of: text).map { CChar(bitPattern: $0) } + [0] }
}
