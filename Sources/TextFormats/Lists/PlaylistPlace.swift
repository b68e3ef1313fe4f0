internal import AudioFiles
internal import Explanations
internal import Files

/// Locations in playlist formats. Every written location is read back first. If reading would give a different
/// location, another form is written, or none, whatever the reading rules are.
struct PlaylistPlace {
    typealias Location = PlaylistFile.Entry.Location

    /// Folder of relative paths; empty if there is none.
    private let folder: [UInt8]

    init(folder: String) {
        var bytes = FileName.bytes(of: folder)
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        self.folder = bytes
    }

    // MARK: Reading

    /// Returns the location in a line of M3U or PLS; nil if there is none.
    func location(line: ArraySlice<UInt8>) -> Location? { location(line, isEscaped: false) }

    /// Returns the location in an element of XSPF, which also escapes paths with percent signs.
    func location(reference: ArraySlice<UInt8>) -> Location? { location(reference, isEscaped: true) }

    private func location(_ text: ArraySlice<UInt8>, isEscaped: Bool) -> Location? {
        let text = LineText.trimmed(text)
        // Neither files nor addresses contain a zero byte.
        if text.isEmpty || text.contains(0) { return nil }
        if let scheme = Self.scheme(text) {
            let rest = text[scheme.endIndex...].dropFirst()
            if scheme.lowercased == "file", let path = Self.localPath(rest) { return file(path) }
            if rest.starts(with: "//".utf8) { return .address(String(decoding: text, as: UTF8.self)) }
        }
        let isForeign = Self.hasDrive(text)
        var path = Array(text)
        if isForeign || path.contains(UInt8(ascii: "\\")) && !path.contains(UInt8(ascii: "/")) {
            for place in path.indices where path[place] == UInt8(ascii: "\\") { path[place] = UInt8(ascii: "/") }
        }
        // Some programs list file names with percent signs without escaping; only a text that cannot be decoded reveals
        // such a name.
        if isEscaped, let decoded = PercentText.decoded(path) { path = decoded }
        if isForeign { return file(path) }
        return file(inFolder: path[...])
    }

    private func file(_ path: [UInt8]) -> Location? {
        path.isEmpty || path.contains(0) ? nil : .file(FileName.text(of: path))
    }

    private func file(inFolder path: ArraySlice<UInt8>) -> Location? {
        if path.first == UInt8(ascii: "/") || folder.isEmpty && !path.starts(with: "./".utf8) {
            return file(Array(path))
        }
        var path = path
        while path.starts(with: "./".utf8) { path = path.dropFirst(2).drop { $0 == UInt8(ascii: "/") } }
        if path.isEmpty { return nil }
        return file(folder + (folder.isEmpty || folder.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + path)
    }

    /// Returns the path in a file address, after `file:`; nil for a file on another computer, or for an invalid
    /// address.
    private static func localPath(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.first == UInt8(ascii: "/") else { return nil }
        var path = text
        if path.starts(with: "//".utf8) {
            path = path.dropFirst(2)
            let host = path.prefix { $0 != UInt8(ascii: "/") }
            guard host.isEmpty || host.lowercased == "localhost" else { return nil }
            path = path[host.endIndex...]
        }
        guard path.first == UInt8(ascii: "/") else { return nil }
        return PercentText.decoded(path) ?? Array(path)
    }

    /// Returns the letters before the first colon, if a valid scheme. A single letter is a drive.
    private static func scheme(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let scheme = text.prefix(33).prefix { $0 != UInt8(ascii: ":") }
        guard (2...32).contains(scheme.count), scheme.endIndex < text.endIndex, AddressParts.isScheme(scheme) else {
            return nil
        }
        return scheme
    }

    private static func hasDrive(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count >= 3, text[text.startIndex].isASCIILetter else { return false }
        let rest = text.dropFirst()
        return rest.starts(with: ":\\".utf8) || rest.starts(with: ":/".utf8)
    }

    // MARK: Writing

    /// Returns the line for a location in M3U or PLS; nil if impossible.
    func line(for location: Location) -> String? {
        switch location {
        case .address(let address):
            return candidate(address, for: location, isEscaped: false)
        case .file(let path):
            let bytes = FileName.bytes(of: path)
            if FileName.isUTF8(path) {
                if let rest = relative(bytes) {
                    // M3U treats a line with this first character as a comment.
                    let start = rest.first == UInt8(ascii: "#") ? "./" : ""
                    let text = start + String(decoding: rest, as: UTF8.self)
                    if let line = candidate(text, for: location, isEscaped: false) { return line }
                }
                if bytes.first != UInt8(ascii: "#"), let line = candidate(path, for: location, isEscaped: false) {
                    return line
                }
            }
            return fileAddress(bytes, for: location, isEscaped: false)
        }
    }

    /// Returns the text of an XSPF element for a location; nil if impossible.
    func reference(for location: Location) -> String? {
        switch location {
        case .address(let address): return candidate(address, for: location, isEscaped: true)
        case .file(let path):
            let bytes = FileName.bytes(of: path)
            if let rest = relative(bytes) {
                let text = PercentText.encoded(rest, keeping: "/")
                if let reference = candidate(text, for: location, isEscaped: true) { return reference }
            }
            if let reference = fileAddress(bytes, for: location, isEscaped: true) { return reference }
            // A path with a Windows drive.
            return candidate(PercentText.encoded(bytes, keeping: "/:"), for: location, isEscaped: true)
        }
    }

    /// Returns the rest of a path after the folder; nil for a path outside the folder.
    private func relative(_ path: [UInt8]) -> ArraySlice<UInt8>? {
        if folder.isEmpty { return path.first == UInt8(ascii: "/") ? nil : path[...] }
        let start = folder.last == UInt8(ascii: "/") ? folder : folder + [UInt8(ascii: "/")]
        return path.count > start.count && path.starts(with: start) ? path.dropFirst(start.count) : nil
    }

    private func fileAddress(_ path: [UInt8], for location: Location, isEscaped: Bool) -> String? {
        guard path.first == UInt8(ascii: "/") else { return nil }
        return candidate("file://" + PercentText.encoded(path, keeping: "/"), for: location, isEscaped: isEscaped)
    }

    /// Returns the text, if it is a single line that reads back as exactly this location.
    private func candidate(_ text: String, for location: Location, isEscaped: Bool) -> String? {
        guard !text.utf8.contains(where: { $0 < 32 || $0 == 127 }) else { return nil }
        switch (self.location(Array(text.utf8)[...], isEscaped: isEscaped), location) {
        // Compares bytes, not texts: composed and decomposed names are equal texts, but different files.
        case (.file(let read)?, .file(let path)): return read.utf8.elementsEqual(path.utf8) ? text : nil
        case (.address(let read)?, .address(let address)): return read.utf8.elementsEqual(address.utf8) ? text : nil
        default: return nil
        }
    }
}

extension ArraySlice<UInt8> {
    /// Lower-case text, for the words of a format.
    var lowercased: String { String(decoding: self, as: UTF8.self).lowercased() }
}
