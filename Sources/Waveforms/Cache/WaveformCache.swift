public import AudioFiles
public import DSP
internal import Files
internal import Glibc
internal import UserState

/// Keeps waveforms by what the recordings hold, so that the second showing of a recording need not decode it.
///
/// The recording's content is the key. Which content a file has is remembered by what the system knows of it (its number, length
/// and times), so that it need not be read again; a copied or renamed file is found by reading it. Nothing found in the folder is
/// believed that is not whole, of this version and of this content; what is not is removed. Nothing that fails here is an error
/// of the caller's: there is no waveform, or none was kept, and why is told in words.
///
/// Several programs may use one folder at once without a lock: files appear whole under their names by renaming and are never
/// changed afterwards, two that are written for one name are equal, and one that is removed too early is only made again.
///
/// Real-time safe: no. Threads: any, also several at once.
public struct WaveformCache: Sendable {
    /// What all files together may take unless told otherwise, in bytes: 512 MiB, some 30 hours of stereo.
    public static let defaultByteLimit: Int64 = 512 << 20

    /// Where the files lie; `nil` where the user has no home, and nothing is kept.
    public let folder: String?
    /// What all files together may take, in bytes.
    public let byteLimit: Int64
    private let clock: @Sendable () -> SourceIdentity.Moment

    /// The user's cache: `$XDG_CACHE_HOME/woodshed/waveforms`, by default in `~/.cache`.
    ///
    /// Nothing is looked at or made yet.
    public init(byteLimit: Int64 = defaultByteLimit) {
        self.init(folder: CacheFolder.path.map { $0 + "/waveforms" }, byteLimit: byteLimit)
    }

    /// A cache in a folder of the caller's choice, which holds nothing else; it is made when something is kept.
    public init(folder: String?, byteLimit: Int64 = defaultByteLimit) {
        self.init(folder: folder, byteLimit: byteLimit) { .now }
    }

    /// For tests: a clock that is ahead makes files old at once.
    init(folder: String?, byteLimit: Int64 = defaultByteLimit, clock: @escaping @Sendable () -> SourceIdentity.Moment) {
        // No name, or one that the system would read as a shorter one, is no place of the caller's choice.
        self.folder = folder.flatMap { $0.isEmpty || $0.utf8.contains(0) ? nil : $0 }
        self.byteLimit = byteLimit
        self.clock = clock
    }

    /// A recording as it was when it was looked up.
    public struct Source: Sendable {
        let path: String
        let identity: SourceIdentity
        /// Whether a change since then shows in the identity.
        let isStable: Bool
        /// What it holds, where that was needed.
        let key: ContentKey?
    }

    /// What was found.
    public struct Lookup: Sendable {
        /// The recording's waveform, if it is kept.
        public let waveform: Waveform?
        /// The recording, to be given to ``WaveformCache/store(_:of:madeOf:)`` with the waveform that was made of it after
        /// the lookup; `nil` for what cannot be kept: no regular file, or one that is being written.
        public let source: Source?
        /// What came in the way, in plain words; empty when nothing did.
        public let remarks: [String]
    }

    /// Whether a waveform was kept.
    public enum Storing: Equatable, Sendable {
        /// It was.
        case stored
        /// It was not, for a reason in plain words.
        case notStored(String)
    }

    /// Looks for the waveform of the recording at `path`; never throws, never waits for another program.
    ///
    /// - Parameters:
    ///   - path: The recording; it is read whole where the system's knowledge of it does not tell what it holds, unless
    ///     nothing of its length is kept.
    ///   - tones: Whether the colour of the sound is wanted. A waveform that has it is also found when it is not.
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
        let identity = file.identity
        func source(_ key: ContentKey?) -> Source {
            Source(path: path, identity: identity, isStable: identity.isStable(at: now), key: key)
        }
        let names = CacheNames(folder: folder, byteCount: identity.byteCount)
        if let key = SourceEntry(identity).key(in: names, &remarks) {
            let waveform = entry(key, tones: tones, names, &remarks)
            return Lookup(waveform: waveform, source: source(key), remarks: remarks)
        }
        // The key is only needed now if something of this length is kept; else `store` may take its time for it. But what
        // changes unseen has to be read before it is decoded.
        if identity.isStable(at: now), !WaveformFolder(folder).hasEntry(beginningWith: names.prefix) {
            return Lookup(waveform: nil, source: source(nil), remarks: remarks)
        }
        guard let key = try? file.contentKey(), OpenSource.identity(of: file.descriptor) == identity else {
            remarks.append("\(path): the file is being changed")
            return Lookup(waveform: nil, source: nil, remarks: remarks)
        }
        let waveform = entry(key, tones: tones, names, &remarks)
        if waveform != nil, identity.isStable(at: now), let fault = SourceEntry(identity).write(key, in: names) {
            remarks.append(names.reason(fault))
        }
        return Lookup(waveform: waveform, source: source(key), remarks: remarks)
    }

    /// Keeps the waveform of a recording, and removes what was not used for longest where there is too much.
    ///
    /// - Parameters:
    ///   - waveform: Of the whole recording, made after the lookup.
    ///   - source: What ``lookup(path:tones:)`` named. Where the file is not any more what it was then, nothing is kept.
    ///   - info: What it was made of; where that has a shortfall, nothing is kept.
    /// - Returns: Whether it was kept; a failure leaves nothing behind.
    @discardableResult
    public func store(_ waveform: Waveform, of source: Source, madeOf info: AudioFileInfo? = nil) -> Storing {
        guard let folder else { return .notStored(Self.noHome) }
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
        let names = CacheNames(folder: folder, byteCount: source.identity.byteCount)
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
        // Without it the waveform is found all the same, by the content.
        if source.identity.isStable(at: now) { _ = SourceEntry(source.identity).write(key, in: names) }
        entries.removeOldest(until: byteLimit, but: [name, SourceEntry(source.identity).name])
        return .stored
    }

    private struct Change: Error {
        let reason: String
    }

    /// What a recording holds, if it is as it was looked up: what may have changed unseen since then is compared by content.
    private func content(of source: Source) -> Result<ContentKey, Change> {
        guard let file = try? OpenSource(source.path), file.identity == source.identity else {
            return .failure(Change(reason: "the file was changed or removed meanwhile"))
        }
        if let key = source.key, source.isStable { return .success(key) }
        guard let key = try? file.contentKey(), source.key == nil || source.key == key,
            OpenSource.identity(of: file.descriptor) == source.identity
        else { return .failure(Change(reason: "the file is being changed")) }
        return .success(key)
    }

    // MARK: - Entries

    private static let noHome = "there is no folder to keep waveforms in: neither XDG_CACHE_HOME nor HOME names one"

    /// The waveform kept of a content; one without tones is the smaller file, and is looked for first where it does.
    private func entry(
        _ key: ContentKey, tones: Bool, _ names: CacheNames, _ remarks: inout [String]
    ) -> Waveform? {
        for hasTones in tones ? [true] : [false, true] {
            let name = names.entry(key, tones: hasTones)
            let entries = WaveformFolder(names.folder)
            let reading = entries.read(name) { (file) throws(WaveformFileError) in try WaveformFile(reading: file) }
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
    /// Bytes of the file.
    var byteCount: Int { WaveformHeader(waveform, contentKey: contentKey).fileByteCount }

    /// Reads a file of the cache straight into the levels' memory.
    fileprivate init(reading file: borrowing RegularFile) throws(WaveformFileError) {
        try unsafe self.init(byteCount: Int(file.byteCount)) { (target) throws(WaveformFileError) in
            try unsafe file.read(target)
        }
    }
}
