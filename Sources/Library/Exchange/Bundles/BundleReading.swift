internal import AudioFiles
public import Catalogue
internal import Database
public import Explanations
internal import Files
internal import Glibc
internal import JSON
internal import Store
internal import TextFormats
internal import UserState

/// Result of an import of a catalogue, a bundle or a backup.
public struct ImportSummary: Sendable, Equatable {
    /// Changes to descriptions, sections and lists.
    public internal(set) var merge = MergeSummary()
    /// Recordings whose files were imported.
    public internal(set) var recordings = 0
    /// Takes whose files were imported.
    public internal(set) var takes = 0
    /// Documents whose files were imported.
    package internal(set) var documents = 0
    /// Recordings, takes and documents that the library already has, or does not want.
    package internal(set) var passedOver = 0
    /// Paths of the user's configuration files restored from a backup.
    package internal(set) var settings: [String] = []
    /// Paths of configurations in the backup that differ from the existing configurations here, which stay unchanged.
    package internal(set) var otherSettings: [String] = []
    /// Lines of the backup's configuration left out because they name programs.
    package internal(set) var omittedSettings: [String] = []
    /// Refused files with reasons, as plain sentences. Only the first 100 files: the summary is reported after each
    /// imported part. One sentence tells of further files; sentences about the store and the settings of a backup
    /// follow.
    public internal(set) var refused: [String] = []
    /// Why reading stopped before the end of the bundle; nil if the bundle is complete. Everything before that place
    /// was imported.
    public internal(set) var problem: RecordingLibraryError?

    /// Number of refused files, including those without a sentence.
    var refusedFiles = 0

    /// Limit on the files in `refused`.
    static let mostRefused = 100

    /// Adds the sentence about a refused file.
    mutating func refuse(_ sentence: String) {
        refusedFiles += 1
        if refusedFiles <= Self.mostRefused { refused.append(sentence) }
        if refusedFiles == Self.mostRefused + 1 { refused.append("more files were not imported") }
    }
}

extension RecordingLibrary {
    /// Imports a catalogue, or a bundle with its files, and merges the content into this library. Repeating the import
    /// changes nothing.
    ///
    /// Writes files only in the library's folder and its folder for takes, whatever the names in the bundle are. Every
    /// recording is compared with its key before it enters the library. A truncated bundle is imported up to its end.
    ///
    /// - Parameters:
    ///   - path: File to import; may be a pipe.
    ///   - isCancelled: Called often. If it returns true, the import ends, and imported items stay.
    /// - Throws: `RecordingLibraryError`, `StoreError`: imported items stay; another `ExplainedError` if the catalogue
    ///   cannot be read.
    public func importFile(at path: String, isCancelled: () -> Bool = { false }) throws -> ImportSummary {
        try importFile(at: path, isCancelled: isCancelled, told: { _ in })
    }

    /// - Parameter told: Called after each imported part, with the summary of all parts so far.
    package func importFile(
        at path: String, isCancelled: () -> Bool, told: (ImportSummary) -> Void
    ) throws -> ImportSummary {
        let descriptor = unsafe open(FileName.systemName(path), O_RDONLY | O_CLOEXEC | O_NOCTTY)
        if descriptor < 0 { throw RecordingLibraryError.reading(path, FileFault(code: errno)) }
        defer { close(descriptor) }
        // A catalogue begins with a brace, a bundle with a member name.
        let isCatalogue = path.lowercased().hasSuffix(".json") || Self.firstByte(of: descriptor) == UInt8(ascii: "{")
        if isCatalogue {
            return ImportSummary(
                merge: try apply(
                    Self.catalogue(in: descriptor, path), isCancelled: isCancelled,
                    told: { told(ImportSummary(merge: $0)) }))
        }
        var reading = BundleReading(self, path, TarReader(descriptor))
        return try reading.run(isCancelled, told)
    }

    private static func firstByte(of descriptor: Int32) -> UInt8? {
        (try? FileBytes.bytes(of: descriptor, at: 0, count: 1))?.first
    }

    /// Reads the catalogue in an open file. Only a catalogue from a pipe is loaded into memory as a whole.
    private static func catalogue(in descriptor: Int32, _ path: String) throws -> CataloguePieces {
        if let file = CatalogueFile(descriptor) {
            guard file.byteCount <= largestCatalogue else { throw CatalogueError.foreign }
            return try CataloguePieces(reading: file)
        }
        var (bytes, piece): ([UInt8], [UInt8]) = ([], [])
        repeat {
            do throws(FileFault) { piece = try FileBytes.bytes(of: descriptor, count: 1 << 20) } catch {
                throw RecordingLibraryError.reading(path, error)
            }
            bytes += piece
        } while !piece.isEmpty && bytes.count <= largestCatalogue
        guard bytes.count <= largestCatalogue else { throw CatalogueError.foreign }
        return try CataloguePieces(reading: bytes)
    }
}

private struct BundleReading {
    private let library: RecordingLibrary
    private let path: String
    private var reader: TarReader
    /// Takes of the catalogue; nil until the catalogue was merged.
    private var takes: [ExactText: CatalogueItem]?
    private var summary = ImportSummary()
    /// Keys of the takes that the library has.
    private var knownTakes: Set<RecordingKey> = []

    init(_ library: RecordingLibrary, _ path: String, _ reader: TarReader) {
        (self.library, self.path, self.reader) = (library, path, reader)
    }

    mutating func run(_ isCancelled: () -> Bool, _ told: (ImportSummary) -> Void) throws -> ImportSummary {
        do throws(TarReader.Fault) {
            while true {
                guard let member = try reader.next() else { break }
                do {
                    if isCancelled() { throw RecordingLibraryError.cancelled }
                    try take(member, isCancelled, told)
                    told(summary)
                } catch let fault as TarReader.Fault {
                    throw fault
                } catch {
                    // Imported takes stay, so their names and ratings are applied.
                    try? finish()
                    pending = error
                    break
                }
            }
        } catch {
            summary.problem = problem(error)
        }
        if let pending {
            if summary != ImportSummary() { told(summary) }
            throw pending
        }
        guard takes != nil else { throw summary.problem ?? notBundle }
        try finish()
        return summary
    }

    private var pending: (any Error)?

    /// Applies names and ratings to the takes imported from the bundle.
    private mutating func finish() throws {
        guard let takes, summary.takes > 0 else { return }
        summary.merge.takes += try library.apply(takes: takes).takes
    }

    private mutating func take(
        _ member: TarReader.Member, _ isCancelled: () -> Bool, _ told: (ImportSummary) -> Void
    ) throws {
        guard let kind = BundleMember(member.name), member.isFile else {
            refuse(member, member.isFile ? "it is not a part of a library" : "it is not a regular file")
            return
        }
        if takes == nil, kind != .catalogue { throw notBundle }
        let folder = library.folder
        switch kind {
        case .catalogue:
            if takes != nil { return refuse(member, "there is a second catalogue") }
            guard member.byteCount <= RecordingLibrary.largestCatalogue else {
                return refuse(member, "it is too large")
            }
            let catalogue = try reader.catalogue()
            let described = catalogue.takes
            let before = summary
            var merged = MergeSummary()
            // Also after an error: the pieces before it are merged.
            defer { summary.merge = merged }
            merged = try library.apply(
                catalogue, isCancelled: isCancelled,
                told: { piece in
                    merged = piece
                    var part = before
                    part.merge = piece
                    told(part)
                })
            takes = described
            knownTakes = Set(try library.catalogueTakes().map(\.key))
        case .recording(let key, _): try folder.writingParts { try takeRecording(member, key, isCancelled) }
        case .take(let key, let ending): try folder.writingParts { try takeTake(member, key, ending, isCancelled) }
        case .document(let hash, _): try folder.writingParts { try takeDocument(member, hash, isCancelled) }
        }
    }

    private mutating func takeDocument(
        _ member: TarReader.Member, _ hash: String, _ isCancelled: () -> Bool
    ) throws {
        guard try library.isDocumentWanted(hash) else {
            summary.passedOver += 1
            return
        }
        guard
            let part = try copy(
                member, why: "its content does not match its name", isCancelled,
                check: { ContentCheck.content(of: $0, hash) })
        else { return }
        defer { _ = library.calls.remove(part) }
        do throws(FileFault) { try FileCopy.synchronise(part, calls: library.calls) } catch {
            throw RecordingLibraryError.writing(part, error)
        }
        if try library.takeIn(documentAt: part, hash) { summary.documents += 1 } else { summary.passedOver += 1 }
    }

    private mutating func takeRecording(
        _ member: TarReader.Member, _ key: RecordingKey, _ isCancelled: () -> Bool
    ) throws {
        guard let item = try library.item(key), !item.isTrashed, item.isMissing else {
            summary.passedOver += 1
            return
        }
        guard let part = try copySound(member, key, isCancelled) else { return }
        defer { _ = library.calls.remove(part) }
        do {
            // The title already comes from the catalogue. An import continued after an interruption does not read the
            // file again.
            _ = try library.takeIn(partAt: part, named: item.originalName, keepingTitle: true) { $0 = item.words }
            summary.recordings += 1
        } catch let error as AudioFileError {
            refuse(member, error.message)
        }
    }

    private mutating func takeTake(
        _ member: TarReader.Member, _ key: RecordingKey, _ ending: String, _ isCancelled: () -> Bool
    ) throws {
        guard takes?[ExactText("\(key)")] != nil else {
            refuse(member, "the catalogue does not list it")
            return
        }
        if knownTakes.contains(key) {
            summary.passedOver += 1
            return
        }
        guard let part = try copySound(member, key, isCancelled) else { return }
        defer { _ = library.calls.remove(part) }
        let target = takePath(key, ending)
        do throws(LockedFile.Fault) { try StateFolder.makeFolders(above: target) } catch {
            throw RecordingLibraryError.writing(target, FileFault(code: error.code, isCreating: true))
        }
        do throws(FileFault) {
            try FileCopy.synchronise(part, calls: library.calls)
            try FilePlace(target).put(part, calls: library.calls)
        } catch { throw RecordingLibraryError.writing(target, error) }
        guard let takes, try library.addTake(inFileAt: target, key, takes) else { return }
        knownTakes.insert(key)
        summary.takes += 1
    }

    /// Returns the path for the file of a take: a free name, or the name of a file with the same sound, which an
    /// interrupted import has put there. Another file may be a take that the user has taken off the list and changed.
    private func takePath(_ key: RecordingKey, _ ending: String) -> String {
        var (path, count) = ("", 0)
        repeat {
            count += 1
            path = "\(library.takesFolder)/take-\(key)\(count == 1 ? "" : " (\(count))").\(ending)"
        } while FileIdentity(path: path) != nil && !RecordingLibrary.isSound(path, key)
        return path
    }

    /// Copies a recording or take into the folder for parts. Returns the path of the copy, or nil if the member is
    /// refused.
    private mutating func copySound(
        _ member: TarReader.Member, _ key: RecordingKey, _ isCancelled: () -> Bool
    ) throws -> String? {
        try copy(
            member, why: "its sound does not match its name", isCancelled,
            check: { ContentCheck.sound(of: $0, key) })
    }

    /// Copies a member into the folder for parts. Returns the path of the copy, or nil if the member is refused.
    private mutating func copy(
        _ member: TarReader.Member, why: String, _ isCancelled: () -> Bool, check: (String) -> ContentCheck
    ) throws -> String? {
        let part = library.folder.newPart()
        let descriptor = library.calls.create(part)
        if descriptor < 0 {
            throw RecordingLibraryError.writing(part, FileFault(code: Int32(-descriptor), isCreating: true))
        }
        var isDone = false
        defer {
            _ = library.calls.close(Int32(descriptor))
            if !isDone { _ = library.calls.remove(part) }
        }
        let free = library.calls.freeBytes(Int32(descriptor))
        if free >= 0, Int64(free) < member.byteCount {
            throw RecordingLibraryError.writing(part, FileFault(code: ENOSPC))
        }
        var offset: Int64 = 0
        while true {
            if isCancelled() { throw RecordingLibraryError.cancelled }
            let piece = try reader.piece()
            if piece.isEmpty { break }
            do throws(FileFault) {
                try FileBytes.write(piece, at: offset, of: Int32(descriptor), calls: library.calls)
            } catch { throw RecordingLibraryError.writing(part, error) }
            offset += Int64(piece.count)
        }
        switch check(part) {
        case .right: break
        case .wrong:
            refuse(member, why)
            return nil
        case .unknown(let reason):
            refuse(member, "it could not be compared: \(reason)")
            return nil
        }
        isDone = true
        return part
    }

    // MARK: Words

    private mutating func refuse(_ member: TarReader.Member, _ why: String) {
        let name = String(decoding: member.name.prefix(100), as: UTF8.self)
        summary.refuse("'\(line(name))' was not imported: \(why)")
    }

    private var notBundle: RecordingLibraryError {
        RecordingLibraryError(
            .badBundle, "\(path): this is not the export of a library",
            remedy: "Use a file that was written by `woodshed library bundle` or `export`.")
    }

    private func problem(_ fault: TarReader.Fault) -> RecordingLibraryError {
        guard reader.isArchive else {
            if case .system(let fault) = fault { return .reading(path, fault) }
            return notBundle
        }
        switch fault {
        case .system(let fault): return .reading(path, fault)
        case .cutOff:
            return RecordingLibraryError(
                .badBundle, "\(path): the bundle is incomplete; its complete files were imported",
                remedy: "Copy the bundle again, then import the new copy.")
        case .notHeader:
            return RecordingLibraryError(
                .badBundle, "\(path): the bundle is damaged; the files before the damage were imported",
                remedy: "Copy the bundle again, then import the new copy.")
        }
    }
}

extension RecordingLibrary {
    /// Lists a take from elsewhere, as a catalogue describes it.
    ///
    /// - Returns: False if the catalogue's description is incomplete.
    func addTake(
        inFileAt path: String, _ key: RecordingKey, _ takes: [ExactText: CatalogueItem]
    ) throws -> Bool {
        guard let content = takes[ExactText("\(key)")], let sound = Self.sound(content) else { return false }
        let take = try store.addTake(inFileAt: path, sound, model: try model(content))
        try store.change { (rows) throws(DatabaseError) in try rows.setContent(key, ofTake: take.number) }
        return true
    }

    private static func sound(_ content: CatalogueItem) -> StoredTake.Sound? {
        guard let sound = content[CatalogueField.sound], let time = sound["time"]?.integer(in: .seconds),
            let rate = sound["rate"]?.integer(in: .sampleRates),
            let channels = sound["channels"]?.integer(in: .counts), (1...64).contains(channels),
            let frames = sound["frames"]?.integer(in: .counts)
        else { return nil }
        return StoredTake.Sound(
            time: time, sampleRate: Int(rate), channelCount: Int(channels), frameCount: frames,
            device: line(sound["device"]?.stringValue ?? ""))
    }

    /// Returns the model that a take of a catalogue was recorded against, with the number of its section in this
    /// library.
    fileprivate func model(_ content: CatalogueItem) throws(StoreError) -> StoredTake.Model? {
        guard let json = content[CatalogueField.model],
            let key = content[CatalogueField.recording]?.stringValue.flatMap(RecordingKey.init),
            var model = TakeAttachment(json.text)?.model, model.key == key
        else { return nil }
        let id = EntryID(
            .section, ExactText(content[CatalogueField.section]?.stringValue ?? ""), owner: ExactText("\(key)"))
        model.sectionID =
            try store.read { (rows) throws(DatabaseError) -> Int? in
                try MergedRows(database: rows.database).section(id)
            } ?? nil
        return model
    }
}
