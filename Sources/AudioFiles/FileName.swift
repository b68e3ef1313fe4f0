package import Files

/// Names of files as text. To the system a name is bytes; names on old disks and in archives are often not UTF-8.
///
/// A byte that is not part of valid UTF-8 becomes the character U+10FF00 + byte, from the end of Unicode's last private use area,
/// which is not in use. Bytes that encode such a character in UTF-8 are treated in the same way. So every name has a text of its
/// own, and a name in UTF-8 is its own text. Functions that read a recording accept such a text; no file is written under one.
///
/// Real-time safe: no.
public enum FileName {
    /// The text for a name.
    public static func text(of name: some Sequence<UInt8>) -> String {
        let bytes = Array(name)
        // Nearly all names are UTF-8, in which the characters that stand for bytes begin with this byte.
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

    /// The name for a text.
    public static func bytes(of text: String) -> [UInt8] {
        // In UTF-8, all of those characters begin with this byte.
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

    /// A text for people, in which the bytes of a name that is not UTF-8 are Latin-1, as on most old disks.
    package static func readable(_ text: String) -> String {
        guard !isUTF8(text) else { return text }
        var readable = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let byte = Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value))
            // Below are control characters.
            readable.append(!standsForByte(scalar) ? scalar : byte.value >= 0xA0 ? byte : "\u{FFFD}")
        }
        return String(readable)
    }

    /// Whether a name is UTF-8. Files are only written under such names.
    package static func isUTF8(_ text: String) -> Bool {
        !text.utf8.contains(0xF4) || !text.unicodeScalars.contains(where: standsForByte)
    }

    /// Whether a character stands for a byte that is not part of valid UTF-8; its lowest eight bits are that byte.
    package static func standsForByte(_ scalar: Unicode.Scalar) -> Bool { scalar.value >= first + 0x80 }

    private static let first: UInt32 = 0x10_FF00

    /// The text of the same file's name from the root of the file system. Links in its folders are followed; a link in the last place is
    /// not. Nil if the folder is not there.
    package static func absolute(_ text: String) -> String? {
        guard !text.isEmpty, text.utf8.last != UInt8(ascii: "/"),
            let resolved = unsafe FilePlace.resolvedBytes(systemName(FilePlace.folder(of: text)))
        else { return nil }
        let folder = Self.text(of: resolved)
        return (folder == "/" ? "" : folder) + "/" + fileName(text)
    }

    /// The names in a folder, each as the text for it; without `.` and `..`, unsorted.
    ///
    /// - Throws: As `Folder.names`.
    package static func names(in folder: String) throws(FileFault) -> [String] {
        try unsafe Folder.names(inFolder: systemName(folder)).map { text(of: $0) }
    }

    /// The name for a text in the system's form, ended by a zero.
    package static func systemName(_ text: String) -> [CChar] { bytes(of: text).map { CChar(bitPattern: $0) } + [0] }
}
