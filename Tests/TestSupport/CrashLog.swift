// The changes of a disk's files, step by step, and the possible states when the power fails after any of the steps.

/// An atomic change of names, such as a rename.
struct NameChange: Sendable {
    /// Names and the file meant by each name from now on; nil for a removed name.
    var names: [(path: String, file: Int?)] = []
    /// A created folder.
    var folder: String?

    /// The folder whose synchronisation puts the change on the disk for certain.
    var home: String { crashFolder(of: folder ?? names[0].path) }
}

/// The folder of a path within the disk; empty for the disk's own.
func crashFolder(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? ""
}

/// A step.
enum CrashStep: Sendable {
    /// A file has this length now, and from `offset` on the given bytes; the rest is as before.
    case changed(file: Int, byteCount: Int, offset: Int, bytes: [UInt8])
    case named(NameChange)
    /// All of a file is on the disk.
    case synchronised(file: Int)
    /// All names in a folder are on the disk.
    case folderSynchronised(String)
    /// The program got a confirmation.
    case told(Int)
}

/// The files of a disk after some steps: the certain content, and the possible content.
struct CrashState {
    /// A file's content at the last synchronisation, and after each change since; the first is on the disk for certain.
    private(set) var versions: [Int: [[UInt8]]] = [:]
    /// Names on the disk for certain.
    private(set) var names: [String: Int] = [:]
    private(set) var folders: Set<String> = [""]
    /// Changes of names possibly on the disk.
    private(set) var waiting: [NameChange] = []
    /// The confirmations to the program, in order.
    private(set) var told: [Int] = []

    mutating func take(_ step: CrashStep) {
        switch step {
        case .changed(let file, let byteCount, let offset, let bytes):
            var content = versions[file]?.last ?? []
            if content.count > byteCount { content.removeLast(content.count - byteCount) }
            content += [UInt8](repeating: 0, count: byteCount - content.count)
            content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            versions[file, default: [[]]].append(content)
        case .named(let change):
            waiting.append(change)
        case .synchronised(let file):
            versions[file] = [versions[file]?.last ?? []]
        case .folderSynchronised(let folder):
            for change in waiting where change.home == folder { Self.make(change, in: &names, &folders) }
            waiting.removeAll { $0.home == folder }
        case .told(let number):
            told.append(number)
        }
    }

    static func make(_ change: NameChange, in names: inout [String: Int], _ folders: inout Set<String>) {
        if let folder = change.folder { folders.insert(folder) }
        for (path, file) in change.names { names[path] = file }
    }
}

// MARK: - Images

/// The remaining part of unsynchronised data.
enum CrashKind: CaseIterable {
    /// Nothing.
    case nothing
    /// Everything, as after the end of a process.
    case everything
    /// All names, and no data: each file is as before.
    case namesOnly
    /// All names and all lengths, and zeros instead of the new data.
    case lengthsOnly
    /// Every name, length and sector for itself.
    case anything
}

extension CrashState {
    /// The smallest part of a file written as a whole by a disk, in bytes.
    private static let sectorBytes = 512

    /// A possible state of the disk at the next start.
    func image(_ kind: CrashKind, using random: inout SeededGenerator) -> CrashImage {
        var (names, folders) = (names, folders)
        // A journal keeps changes of names in order; other file systems promise nothing.
        let (isInOrder, first) = (Bool.random(using: &random), Int.random(in: 0...waiting.count, using: &random))
        for (index, change) in waiting.enumerated() {
            let isKept =
                switch kind {
                case .nothing: false
                case .everything, .namesOnly, .lengthsOnly: true
                case .anything: isInOrder ? index < first : Bool.random(using: &random)
                }
            if isKept { Self.make(change, in: &names, &folders) }
        }
        var files: [Int: [UInt8]] = [:]
        for file in Set(names.values).sorted() {
            files[file] = Self.content(of: versions[file] ?? [[]], kind, using: &random)
        }
        // The loss of a folder includes the folder's content.
        func isThere(_ folder: String) -> Bool {
            folder.isEmpty || folders.contains(folder) && isThere(crashFolder(of: folder))
        }
        return CrashImage(
            folders: folders.filter { !$0.isEmpty && isThere($0) }.sorted(),
            names: names.filter { isThere(crashFolder(of: $0.key)) }, contents: files, told: told, kind: kind)
    }

    private static func content(
        of versions: [[UInt8]], _ kind: CrashKind, using random: inout SeededGenerator
    ) -> [UInt8] {
        let (old, new) = (versions[0], versions[versions.count - 1])
        if versions.count == 1 { return old }
        switch kind {
        case .nothing, .namesOnly: return old
        case .everything: return new
        case .lengthsOnly:
            return Array((old + [UInt8](repeating: 0, count: max(0, new.count - old.count))).prefix(new.count))
        case .anything: break
        }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return old
        case 1: return new
        default: return mixture(of: versions, using: &random)
        }
    }

    /// Each sector, or each page of eight, as at some moment. Where there was no sector before, the disk may also have
    /// zeros, or data of another file.
    private static func mixture(of versions: [[UInt8]], using random: inout SeededGenerator) -> [UInt8] {
        let count = versions[Int.random(in: 0..<versions.count, using: &random)].count
        let size = sectorBytes * (Bool.random(using: &random) ? 1 : 8)
        var content: [UInt8] = []
        content.reserveCapacity(count)
        for start in stride(from: 0, to: count, by: size) {
            let range = start..<min(start + size, count)
            let isNew = start >= versions[0].count
            switch isNew ? Int.random(in: 0..<8, using: &random) : 0 {
            case 7: content += [UInt8](repeating: 0, count: range.count)
            case 6: content += garbage(range.count, using: &random)
            default:
                var moment = Int.random(in: 0..<versions.count, using: &random)
                // A disk does not clear truncated data: a file with the old length again has the old end.
                while moment > 0, versions[moment].count <= start { moment -= 1 }
                let version = versions[moment]
                let end = min(range.upperBound, version.count)
                if start < end { content += version[start..<end] }
                content += [UInt8](repeating: 0, count: range.upperBound - content.count)
            }
        }
        return content
    }

    private static func garbage(_ count: Int, using random: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            let word = random.next()
            for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * UInt64(shift)))) }
        }
        return Array(bytes.prefix(count))
    }
}
