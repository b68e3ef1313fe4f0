internal import AudioFiles

/// Locations as the formats write them. What is written is read back here first: whatever the rules for reading are, a location that
/// would come back as another one is written in another way, or not at all.
struct PlaylistPlace {
    typealias Location = PlaylistFile.Entry.Location

    /// Relative paths are in this folder; empty if there is none.
    private let folder: [UInt8]

    init(folder: String) {
        var bytes = FileName.bytes(of: folder)
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        self.folder = bytes
    }

    // MARK: Reading

    /// The location that a line of M3U or PLS names; nil if there is none.
    func location(line: ArraySlice<UInt8>) -> Location? { location(line, isEscaped: false) }

    /// The location that an element of XSPF names: what is not an address has percent signs too.
    func location(reference: ArraySlice<UInt8>) -> Location? { location(reference, isEscaped: true) }

    private func location(_ text: ArraySlice<UInt8>, isEscaped: Bool) -> Location? {
        let text = LineText.trimmed(text)
        // No file and no address has one.
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
        // Files with percent signs are listed without escapes by some programs; only what cannot be decoded shows it.
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

    /// The path in an address of a file, after `file:`; nil if the file is on another computer, or the address is none.
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

    /// The letters before the first colon, if they can be a scheme. One letter is a drive.
    private static func scheme(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let scheme = text.prefix(32).prefix {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard scheme.count > 1, text[scheme.endIndex...].first == UInt8(ascii: ":"), let first = scheme.first,
            first >= 0x41
        else { return nil }
        return scheme
    }

    private static func hasDrive(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count >= 3, let letter = text.first, case 0x61...0x7A = letter | 0x20 else { return false }
        let rest = text.dropFirst()
        return rest.starts(with: ":\\".utf8) || rest.starts(with: ":/".utf8)
    }

    // MARK: Writing

    /// The line for a location in M3U or PLS; nil if there is none.
    func line(for location: Location) -> String? {
        switch location {
        case .address(let address):
            return candidate(address, for: location, isEscaped: false)
        case .file(let path):
            let bytes = FileName.bytes(of: path)
            if FileName.isUTF8(path) {
                if let rest = relative(bytes) {
                    // In M3U a line that begins with this sign is a comment.
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

    /// The text of an element of XSPF for a location; nil if there is none.
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
            // A drive of Windows.
            return candidate(PercentText.encoded(bytes, keeping: "/:"), for: location, isEscaped: true)
        }
    }

    /// The rest of a path after the folder; nil if it is elsewhere.
    private func relative(_ path: [UInt8]) -> ArraySlice<UInt8>? {
        if folder.isEmpty { return path.first == UInt8(ascii: "/") ? nil : path[...] }
        let start = folder.last == UInt8(ascii: "/") ? folder : folder + [UInt8(ascii: "/")]
        return path.count > start.count && path.starts(with: start) ? path.dropFirst(start.count) : nil
    }

    private func fileAddress(_ path: [UInt8], for location: Location, isEscaped: Bool) -> String? {
        guard path.first == UInt8(ascii: "/") else { return nil }
        return candidate("file://" + PercentText.encoded(path, keeping: "/"), for: location, isEscaped: isEscaped)
    }

    /// The text, if it is one line that is read as just this location.
    private func candidate(_ text: String, for location: Location, isEscaped: Bool) -> String? {
        guard !text.utf8.contains(where: { $0 < 32 || $0 == 127 }) else { return nil }
        switch (self.location(Array(text.utf8)[...], isEscaped: isEscaped), location) {
        // Not as texts: names in composed and decomposed form are equal texts, and different files.
        case (.file(let read)?, .file(let path)): return read.utf8.elementsEqual(path.utf8) ? text : nil
        case (.address(let read)?, .address(let address)): return read.utf8.elementsEqual(address.utf8) ? text : nil
        default: return nil
        }
    }
}

extension ArraySlice<UInt8> {
    /// The text in lower case, for words of a format.
    var lowercased: String { String(decoding: self, as: UTF8.self).lowercased() }
}
