public import AudioFiles
internal import Explanations
internal import Files
internal import Glibc
internal import UserState

/// The registry of this user's running takes. With the registry, a later start finds the unfinished takes.
///
/// Each running take has its own small file in the user's state folder, with a lock released by the system when the
/// program dies. The file contains the path of the take and its marks; the marks are written to the take at its end.
public struct UnfinishedTakes: Sendable {
    /// Folder of the entries; nil if this user has no home.
    let folder: String?
    private let calls: any FileCalls

    /// Creates the user's registry: `woodshed/takes` under `$XDG_STATE_HOME`, by default `~/.local/state`.
    public init() { (folder, calls) = (StateFolder.path.map { $0 + "/takes" }, SystemFileCalls()) }

    /// Creates a registry in another folder. The first take creates the folder.
    public init(folder: String) { self.init(folder: folder, calls: SystemFileCalls()) }

    init(folder: String, calls: any FileCalls) { (self.folder, self.calls) = (folder, calls) }

    /// Returns the recoverable unfinished takes, latest first, without takes in progress.
    ///
    /// A missing folder means no takes.
    /// - Throws: `.permissionDenied`, `.io`: the folder exists but cannot be read.
    ///
    /// Real-time safe: no.
    public func find() throws(AudioFileError) -> [UnfinishedTake] {
        try entries().compactMap { path, description in
            guard let repair = try? TakeRepair(description, calls: calls) else { return nil }
            return UnfinishedTake(entryPath: path, description, frameCount: repair.frameCount)
        }
    }

    /// Returns the unfinished takes that are missing or cannot be opened, latest first.
    ///
    /// The disk may be disconnected, or the file was moved, deleted or written by another program. Such takes stay
    /// registered, with their marks, until they are back or ``UnreachableTake/forget()`` is called.
    /// - Throws: As ``find()``.
    ///
    /// Real-time safe: no.
    package func findUnreachable() throws(AudioFileError) -> [UnreachableTake] {
        try entries().compactMap { path, description in
            do throws(AudioFileError) {
                _ = try TakeRepair(description, calls: calls)
                return nil
            } catch {
                return UnreachableTake(entryPath: path, description, reason: error)
            }
        }
    }

    /// Returns the paths of all takes in the registry, including takes in progress.
    ///
    /// - Throws: As ``find()``.
    package func paths() throws(AudioFileError) -> Set<String> {
        guard let folder else { return [] }
        return Set(
            try names(in: folder).filter { $0.hasSuffix(TakeEntry.ending) }
                .compactMap { TakeEntry.description(at: folder + "/" + $0)?.path })
    }

    /// Returns the unlocked entries and their descriptions, latest first.
    private func entries() throws(AudioFileError) -> [(path: String, TakeDescription)] {
        guard let folder else { return [] }
        return try names(in: folder).compactMap { name in
            let path = folder + "/" + name
            if name.hasSuffix(TakeEntry.newEnding) { removeAbandoned(path) }
            // Leave entries of a later version unchanged.
            guard name.hasSuffix(TakeEntry.ending), let entry = TakeEntry(holding: path, calls: calls),
                let description = entry.description()
            else { return nil }
            return (path, description)
        }.sorted { $0.1.startTime > $1.1.startTime }
    }

    /// Creates an entry for a take.
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

    /// Removes the file of a program killed while creating an entry. Creating an entry takes a moment, so a file older
    /// than 60 s is abandoned.
    private func removeAbandoned(_ path: String) {
        var status = stat()
        if unsafe stat(path, &status) == 0, status.st_mtim.tv_sec + 60 < time(nil) { _ = calls.remove(path) }
    }
}

/// A take left by an interrupted recording.
public struct UnfinishedTake: Sendable, Equatable {
    /// Absolute path of the take.
    public let path: String
    /// Start of the take, in seconds since 1970.
    public let startTime: Int64
    /// File format.
    package let container: TakeContainer
    /// Sample format.
    package let sampleFormat: WaveSampleFormat
    /// Sample rate in Hz.
    public let sampleRate: Int
    /// Number of channels, 1...64.
    package let channelCount: Int
    /// Marks, including marks after the last frame.
    public let marks: [TakeMark]
    /// Number of frames after a recovery.
    public let frameCount: Int64
    /// Text attached by the recording program; nil for none.
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

    /// Finishes the take: makes the header count all frames in the file, and writes the marks.
    ///
    /// - Returns: The number of frames.
    /// - Throws: `.inUse` if another program records or recovers the take; `.changed` or `.notFound` if the file is no
    ///   longer the recorded take; the reason if writing the file fails. The caller can retry a failed recovery.
    ///
    /// Real-time safe: no.
    public func recover() throws(AudioFileError) -> Int64 {
        let (frameCount, receipt) = try recoverLeavingReceipt()
        receipt.settle()
        return frameCount
    }

    /// Finishes the take like `recover`, but keeps the take registered until the caller settles the receipt. Settle the
    /// receipt after listing the take elsewhere.
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

    /// Leaves the take as a valid file without its marks, and never offers it again.
    ///
    /// - Throws: `.inUse`. Real-time safe: no.
    public func forget() throws(AudioFileError) { try TakeEntry.hold(entryPath, of: path).remove() }
}

/// An interrupted take whose file is missing or cannot be opened.
package struct UnreachableTake: Sendable, Equatable {
    /// Absolute path of the take.
    package let path: String
    /// Start of the take, in seconds since 1970.
    package let startTime: Int64
    /// Marks, stored only in the registry.
    package let marks: [TakeMark]
    /// Reason why the take cannot be recovered now.
    package let reason: AudioFileError

    private let entryPath: String

    init(entryPath: String, _ description: TakeDescription, reason: AudioFileError) {
        self.entryPath = entryPath
        (path, startTime, marks) = (description.path, description.startTime, description.marks)
        self.reason = reason
    }

    /// Removes the take from the registry, with its marks.
    ///
    /// - Throws: `.inUse`. Real-time safe: no.
    package func forget() throws(AudioFileError) { try TakeEntry.hold(entryPath, of: path).remove() }
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
        let remedy = SystemLimit(errno: fault.code)?.remedy ?? "Check the folder and its permissions."
        return AudioFileError(
            reason.kind, path: folder,
            "\(reason.message): the next start will not find this take if it is not finished",
            remedy: "The recording itself is safe; its marks are written at its end. \(remedy)",
            status: reason.exitStatus)
    }

    fileprivate static func unregistered(_ folder: String, _ reason: String, remedy: String) -> AudioFileError {
        AudioFileError(
            .cannotCreate, path: folder, "\(reason): the next start will not find this take if it is not finished",
            remedy: remedy)
    }
}
