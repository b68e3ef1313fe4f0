public import AudioFiles
internal import Files
internal import Glibc
internal import UserState

/// The registry of this user's running takes, with which a later start finds those that were never finished.
///
/// Each running take has a small file of its own in the user's state folder, with a lock that the system releases when the
/// program dies. It contains the path of the take and its marks, which are written to the take at its end.
public struct UnfinishedTakes: Sendable {
    /// The folder of the entries; nil if this user has no home.
    let folder: String?
    private let calls: any FileCalls

    /// The user's registry: `woodshed/takes` under `$XDG_STATE_HOME`, by default `~/.local/state`.
    public init() { (folder, calls) = (StateFolder.path.map { $0 + "/takes" }, SystemFileCalls()) }

    /// A registry in another folder, which is created when a take begins.
    public init(folder: String) { self.init(folder: folder, calls: SystemFileCalls()) }

    init(folder: String, calls: any FileCalls) { (self.folder, self.calls) = (folder, calls) }

    /// The takes that were not finished and can be recovered, the latest first. Takes in progress are not included.
    ///
    /// If there is no folder, there are no takes.
    /// - Throws: `.permissionDenied`, `.io`: the folder exists and cannot be read.
    ///
    /// Real-time safe: no.
    public func find() throws(AudioFileError) -> [UnfinishedTake] {
        try entries().compactMap { path, description in
            guard let repair = try? TakeRepair(description, calls: calls) else { return nil }
            return UnfinishedTake(entryPath: path, description, frameCount: repair.frameCount)
        }
    }

    /// The takes that were not finished and are missing or cannot be opened, the latest first.
    ///
    /// Their disk may not be connected, or they were moved, deleted or written by another program. They stay registered, with their marks, until
    /// they are back or ``UnreachableTake/forget()`` is called.
    /// - Throws: As ``find()``.
    ///
    /// Real-time safe: no.
    public func findUnreachable() throws(AudioFileError) -> [UnreachableTake] {
        try entries().compactMap { path, description in
            do throws(AudioFileError) {
                _ = try TakeRepair(description, calls: calls)
                return nil
            } catch {
                return UnreachableTake(entryPath: path, description, reason: error)
            }
        }
    }

    /// The paths of all takes in the registry, also of those in progress.
    ///
    /// - Throws: As ``find()``.
    package func paths() throws(AudioFileError) -> Set<String> {
        guard let folder else { return [] }
        return Set(
            try names(in: folder).filter { $0.hasSuffix(TakeEntry.ending) }
                .compactMap { TakeEntry.description(at: folder + "/" + $0)?.path })
    }

    /// The unlocked entries and their descriptions, the latest first.
    private func entries() throws(AudioFileError) -> [(path: String, TakeDescription)] {
        guard let folder else { return [] }
        return try names(in: folder).compactMap { name in
            let path = folder + "/" + name
            if name.hasSuffix(TakeEntry.newEnding) { removeAbandoned(path) }
            // Entries of a later version are not touched.
            guard name.hasSuffix(TakeEntry.ending), let entry = TakeEntry(holding: path, calls: calls),
                let description = entry.description()
            else { return nil }
            return (path, description)
        }.sorted { $0.1.startTime > $1.1.startTime }
    }

    /// Makes an entry for a take.
    func register(_ take: TakeDescription) throws(AudioFileError) -> TakeEntry {
        guard let folder else {
            throw .unregistered("the state folder", "HOME is not set", remedy: "Set HOME or XDG_STATE_HOME.")
        }
        do throws(StateFile.Fault) { return try TakeEntry(in: folder, for: take, calls: calls) } catch {
            throw .unregistered(folder, error)
        }
    }

    private func names(in folder: String) throws(AudioFileError) -> [String] {
        do throws(FileFault) { return try Folder.names(in: folder) } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return [] }
            throw .reading(folder, errno: error.code)
        }
    }

    /// Removes what a program left that was killed while it created an entry. An entry in creation is locked within a moment.
    private func removeAbandoned(_ path: String) {
        var status = stat()
        if unsafe stat(path, &status) == 0, status.st_mtim.tv_sec + 60 < time(nil) { _ = calls.remove(path) }
    }
}

/// A take whose recording was interrupted.
public struct UnfinishedTake: Sendable, Equatable {
    /// Its absolute path.
    public let path: String
    /// When it began, in seconds since 1970.
    public let startTime: Int64
    /// The kind of file.
    public let container: TakeContainer
    /// How samples are stored.
    public let sampleFormat: WaveSampleFormat
    /// Frames per second, in Hz.
    public let sampleRate: Int
    /// Channels, 1...64.
    public let channelCount: Int
    /// The marks, including those after its last frame.
    public let marks: [TakeMark]
    /// Frames that it will have after a recovery.
    public let frameCount: Int64
    /// What the program that recorded it said of it; nil if it said nothing.
    package let attachment: String?

    private let entryPath: String

    init(entryPath: String, _ description: TakeDescription, frameCount: Int64) {
        self.entryPath = entryPath
        path = description.path
        startTime = description.startTime
        container = description.format.container
        sampleFormat = description.format.samples
        sampleRate = description.format.sampleRate
        channelCount = description.format.channelCount
        marks = description.marks
        attachment = description.attachment
        self.frameCount = frameCount
    }

    /// Finishes the take: the header counts all frames in the file, and the marks are written.
    ///
    /// - Returns: the number of frames.
    /// - Throws: `.inUse` if another program records or recovers it, `.changed` or `.notFound` if it is not the recorded file any
    ///   more, and the reason if the file cannot be written. It can be tried again.
    ///
    /// Real-time safe: no.
    public func recover() throws(AudioFileError) -> Int64 {
        let (frameCount, receipt) = try recoverLeavingReceipt()
        receipt.settle()
        return frameCount
    }

    /// The same, but the take stays registered until the receipt is settled: when it is listed elsewhere, too.
    package func recoverLeavingReceipt() throws(AudioFileError) -> (frameCount: Int64, receipt: TakeReceipt) {
        try recoverLeavingReceipt(calls: SystemFileCalls())
    }

    func recoverLeavingReceipt(calls: any FileCalls) throws(AudioFileError) -> (frameCount: Int64, receipt: TakeReceipt)
    {
        let entry = try TakeEntry.hold(entryPath, of: path, calls)
        guard let description = entry.description() else { throw .changedTake(path) }
        let frameCount = try TakeRepair(description, calls: calls).run()
        entry.synchronise(safeFrameCount: frameCount)
        return (frameCount, TakeReceipt(entry))
    }

    /// Leaves the take as it is, a valid file without its marks, and never offers it again.
    ///
    /// - Throws: `.inUse`. Real-time safe: no.
    public func forget() throws(AudioFileError) { try TakeEntry.hold(entryPath, of: path).remove() }
}

/// A take whose recording was interrupted, and whose file is missing or cannot be opened.
public struct UnreachableTake: Sendable, Equatable {
    /// Its absolute path.
    public let path: String
    /// When it began, in seconds since 1970.
    public let startTime: Int64
    /// The marks; they are stored only here.
    public let marks: [TakeMark]
    /// Why it cannot be recovered now.
    public let reason: AudioFileError

    private let entryPath: String

    init(entryPath: String, _ description: TakeDescription, reason: AudioFileError) {
        self.entryPath = entryPath
        (path, startTime, marks) = (description.path, description.startTime, description.marks)
        self.reason = reason
    }

    /// Removes the take from the registry, with its marks.
    ///
    /// - Throws: `.inUse`. Real-time safe: no.
    public func forget() throws(AudioFileError) { try TakeEntry.hold(entryPath, of: path).remove() }
}

extension TakeEntry {
    fileprivate static func hold(
        _ entryPath: String, of path: String, _ calls: any FileCalls = SystemFileCalls()
    ) throws(AudioFileError) -> TakeEntry {
        guard let entry = TakeEntry(holding: entryPath, calls: calls) else {
            throw AudioFileError(
                .inUse, path: path, "\(path): another program is recording or recovering this take, or has done so",
                remedy: "Look for unfinished takes again.")
        }
        return entry
    }
}

extension AudioFileError {
    static func unregistered(_ folder: String, _ fault: StateFile.Fault) -> AudioFileError {
        let reason = writing(folder, errno: fault.code, creating: false)
        return AudioFileError(
            reason.kind, path: folder,
            "\(reason.message): the next start will not find this take if it is not finished",
            remedy:
                "The recording itself is safe; its marks are written at its end. Look at the folder and its permissions."
        )
    }

    fileprivate static func unregistered(_ folder: String, _ reason: String, remedy: String) -> AudioFileError {
        AudioFileError(
            .cannotCreate, path: folder, "\(reason): the next start will not find this take if it is not finished",
            remedy: remedy)
    }
}
