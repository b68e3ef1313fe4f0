public import AudioFiles
public import DSP
internal import Files
internal import Glibc
internal import UserState

/// Keeps waveforms by the content of their recordings, so that a recording need not be decoded again.
///
/// The key is the recording's content. The cache records the content of each file by the file's number, length and
/// times in the file system. So an unchanged file need not be read again. A copied or renamed file is identified by
/// reading. The cache uses an entry only if the entry is complete, of this version and of this content; any other entry
/// is removed. A failure in the cache is not an error for the caller: the waveform is missing, or was not kept, and a
/// text gives the reason.
///
/// Several programs can use one folder at once without a lock: files appear complete under their names by renaming and
/// never change afterwards. Two files written for one name are equal, and a file removed too early is simply made
/// again.
///
/// Real-time safe: no. Threads: any, also several at once.
public struct WaveformCache: Sendable {
    /// The default limit for all files together, in bytes: 512 MiB, some 30 hours of stereo.
    package static let defaultByteLimit: Int64 = 512 << 20

    /// The folder of the files; `nil` if the user has no home directory, and the cache keeps nothing.
    package let folder: String?
    /// The limit for all files together, in bytes.
    package let byteLimit: Int64
    private let clock: @Sendable () -> FileState.Moment

    /// The user's cache: `$XDG_CACHE_HOME/woodshed/waveforms`, by default in `~/.cache`.
    ///
    /// Does not access the folder yet.
    public init(byteLimit: Int64 = 512 << 20) {
        self.init(folder: CacheFolder.path.map { $0 + "/waveforms" }, byteLimit: byteLimit)
    }

    /// Makes a cache in a folder of the caller's choice, which must hold nothing else; keeping the first waveform
    /// creates the folder.
    public init(folder: String?, byteLimit: Int64 = 512 << 20) {
        self.init(folder: folder, byteLimit: byteLimit) { .now }
    }

    /// For tests: a clock set ahead makes files old at once.
    init(folder: String?, byteLimit: Int64 = defaultByteLimit, clock: @escaping @Sendable () -> FileState.Moment) {
        // An empty name, or a name with a zero byte, which would end the name for the system, is not a valid choice of
        // folder.
        self.folder = folder.flatMap { $0.isEmpty || $0.utf8.contains(0) ? nil : $0 }
        self.byteLimit = byteLimit
        self.clock = clock
    }

    /// The state of a recording when it was looked up.
    struct Source: Sendable {
        let path: String
        let state: FileState
        /// True if any later change will show in the state.
        let isStable: Bool
        /// The key of the recording's content, if the lookup needed the key.
        let key: ContentKey?
    }

    /// The result of a lookup.
    public struct Lookup: Sendable {
        /// The recording's waveform, if the cache holds it.
        public let waveform: Waveform?
        /// The recording; `nil` if no waveform can be kept: the recording is not a regular file, or is being written.
        let source: Source?
        /// Problems found, in plain words; empty without problems.
        public let remarks: [String]
    }

    /// The outcome of ``WaveformCache/store(_:of:madeOf:)``.
    public enum Storing: Equatable, Sendable {
        /// The cache keeps the waveform.
        case stored
        /// The waveform was not kept, for a reason in plain words.
        case notStored(String)
    }

    /// Looks up the waveform of the recording at `path`; never throws, never waits for another program.
    ///
    /// - Parameters:
    ///   - path: The recording. The lookup reads the whole recording if the cache has no record of the recording's
    ///     state in the file system. Exception: no waveform of its length is kept and its last change is more than a
    ///     few seconds old.
    ///   - tones: True if the colour of the sound is needed; false accepts a waveform with or without colour.
    public func lookup(path: String, tones: Bool) -> Lookup {
        var remarks: [String] = []
        guard let folder else { return Lookup(waveform: nil, source: nil, remarks: [Self.noHome]) }
        let now = clock()
        let file: OpenSource
        do throws(FileFault) {
            file = try OpenSource(path)
        } catch {
            return Lookup(waveform: nil, source: nil, remarks: ["\(path): no file to keep a waveform of"])
        }
        let state = file.state
        func source(_ key: ContentKey?) -> Source {
            Source(path: path, state: state, isStable: state.isStable(at: now), key: key)
        }
        let names = CacheNames(folder: folder, byteCount: state.byteCount)
        if let key = SourceEntry(state).key(in: names, &remarks) {
            let waveform = entry(key, tones: tones, names, &remarks)
            return Lookup(waveform: waveform, source: source(key), remarks: remarks)
        }
        // Compute the key now only if an entry of this length exists; otherwise `store` can compute the key later. But
        // read a file which can still change unnoticed before decoding.
        if state.isStable(at: now), !WaveformFolder(folder).hasEntry(beginningWith: names.prefix) {
            return Lookup(waveform: nil, source: source(nil), remarks: remarks)
        }
        guard let key = try? file.contentKey() else {
            remarks.append("\(path): the file is being changed")
            return Lookup(waveform: nil, source: nil, remarks: remarks)
        }
        let waveform = entry(key, tones: tones, names, &remarks)
        if waveform != nil, state.isStable(at: now), let fault = SourceEntry(state).write(key, in: names) {
            remarks.append(names.reason(fault))
        }
        return Lookup(waveform: waveform, source: source(key), remarks: remarks)
    }

    /// Keeps the waveform of a recording, and removes the least recently used files beyond the limit.
    ///
    /// - Parameters:
    ///   - waveform: The waveform of the whole recording, made after the lookup.
    ///   - lookup: The result of ``lookup(path:tones:)``. If the file has changed since the lookup, nothing is kept.
    ///   - info: The description of the recording behind the waveform; with a shortfall, nothing is kept.
    /// - Returns: `stored`, or the reason for not keeping the waveform; a failure leaves nothing behind.
    @discardableResult
    public func store(_ waveform: Waveform, of lookup: Lookup, madeOf info: AudioFileInfo? = nil) -> Storing {
        guard let folder else { return .notStored(Self.noHome) }
        guard let source = lookup.source else { return .notStored(lookup.remarks.joined(separator: "; ")) }
        if let shortfall = info?.shortfall { return .notStored("\(source.path): may not be whole: \(shortfall)") }
        let now = clock()
        let key: ContentKey
        switch content(of: source) {
        case .success(let content): key = content
        case .failure(let change): return .notStored("\(source.path): \(change.reason)")
        }
        let content = WaveformFile(waveform: waveform, contentKey: key)
        guard Int64(content.byteCount) <= byteLimit else {
            return .notStored("\(folder): the waveform is larger than all that may be kept")
        }
        let names = CacheNames(folder: folder, byteCount: source.state.byteCount)
        let name = names.entry(key, tones: waveform.hasTones)
        let entries = WaveformFolder(folder)
        do throws(FileFault) {
            try entries.make()
            try entries.write(name) { (file) throws(FileFault) in
                try unsafe content.write { (run) throws(FileFault) in try unsafe file.append(run) }
            }
        } catch {
            return .notStored(names.reason(error))
        }
        // If this fails, the waveform is still found by its content.
        if source.state.isStable(at: now) { _ = SourceEntry(source.state).write(key, in: names) }
        entries.removeOldest(until: byteLimit, but: [name, SourceEntry(source.state).name])
        return .stored
    }

    private struct Change: Error {
        let reason: String
    }

    /// Returns the content of a recording if the recording has not changed since the lookup; compares the content if a
    /// change could be unnoticed.
    private func content(of source: Source) -> Result<ContentKey, Change> {
        guard let file = try? OpenSource(source.path), file.state == source.state else {
            return .failure(Change(reason: "the file was changed or removed meanwhile"))
        }
        if let key = source.key, source.isStable { return .success(key) }
        guard let key = try? file.contentKey(), source.key == nil || source.key == key else {
            return .failure(Change(reason: "the file is being changed"))
        }
        return .success(key)
    }

    // MARK: - Entries

    private static let noHome = "there is no folder to keep waveforms in: neither XDG_CACHE_HOME nor HOME names one"

    /// Returns the waveform kept for a content. If tones are not needed, the smaller file without tones is tried first.
    private func entry(
        _ key: ContentKey, tones: Bool, _ names: CacheNames, _ remarks: inout [String]
    ) -> Waveform? {
        for hasTones in tones ? [true] : [false, true] {
            let name = names.entry(key, tones: hasTones)
            let entries = WaveformFolder(names.folder)
            let reading = entries.read(name) { (file) throws(WaveformFileError) in
                // Before any memory is allocated: the checksum comes last.
                guard file.byteCount <= byteLimit else { throw .tooLarge }
                return try WaveformFile(reading: file)
            }
            switch reading {
            case .nothing: continue
            case .value(let file) where file.contentKey == key && file.waveform.hasTones == hasTones:
                return file.waveform
            case .value: remarks.append(entries.discard(name, "it is another recording's"))
            case .damaged(let reason): remarks.append(entries.discard(name, reason))
            }
        }
        return nil
    }
}

extension WaveformFile {
    /// The size of the file in bytes.
    var byteCount: Int { WaveformHeader(waveform, contentKey: contentKey).fileByteCount }

    /// Reads a file of the cache directly into the levels' memory.
    fileprivate init(reading file: borrowing RegularFile) throws(WaveformFileError) {
        try unsafe self.init(byteCount: Int(file.byteCount)) { (target) throws(WaveformFileError) in
            try unsafe file.read(target)
        }
    }
}
