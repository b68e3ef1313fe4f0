// An output file that appears under its name only when complete. Rendering writes to a temporary file beside the
// target, renamed at the end. An interrupted run leaves an older file unchanged. (A stopped file device keeps its
// frames: right for a practice session ended early, wrong for a rendering.)
import Explanations
import Files
import Glibc
import Realtime
import Terminal
import Woodshed

/// The target of a rendered file, and its temporary path.
struct OutputFile {
    /// Path to write to; for pipes and devices the user's path.
    let temporaryPath: String
    private let place: FilePlace
    private let unfinished = PartialFiles.Claim()
    /// Serialises the opening of files, to match each temporary file with its output.
    private static let openings = ConditionLock()

    private var path: String { place.path }

    /// Prepares for writing to `path`.
    ///
    /// - Throws: A `CommandFailure` for a directory, or for an existing file without write permission.
    init(_ path: String) throws(CommandFailure) {
        do throws(FileFault) { place = try FilePlace(path) } catch { throw Self.failure(path, error) }
        temporaryPath = place.isSpecial ? path : place.temporaryPath()
    }

    /// Opens a writer, and registers the unfinished files for deletion in case the process must exit at once.
    ///
    /// For a file, a signal finds both steps done or neither. For a pipe there is nothing to delete: opening waits for
    /// a reader, and a signal ends the wait.
    func opening<Opened>(_ open: () throws -> Opened) throws -> Opened {
        if place.isSpecial { return try open() }
        return try Self.openings.withLock { Result { try openingGuarded(open) } }.get()
    }

    private func openingGuarded<Opened>(_ open: () throws -> Opened) throws -> Opened {
        try Signals.holding {
            let earlier = temporaryNames
            let opened = try open()
            guardAgainstLeaving(besides: earlier)
            return opened
        }
    }

    /// Names of the process's temporary files beside the output.
    private var temporaryNames: Set<String> {
        Set((try? Folder.names(in: place.folder))?.filter { $0.hasPrefix(FilePlace.temporaryPrefix) } ?? [])
    }

    private func guardAgainstLeaving(besides earlier: Set<String>) {
        unfinished.add(temporaryPath)
        // The writer uses its own temporary name, with the same prefix.
        let folder = temporaryPath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        for name in temporaryNames.subtracting(earlier) {
            unfinished.add(folder.map { $0 + "/" }.joined() + name)
        }
    }

    /// Writes the file with `body`. Renames the file to its target on success; otherwise removes the file.
    ///
    /// - Throws: The error of `body`, or a failure with the status returned by `body` other than success.
    func whole(_ body: () throws -> ExitStatus) throws {
        defer { unfinished.forget() }
        let status: ExitStatus
        do {
            status = try body()
        } catch {
            remove()
            throw named(error)
        }
        guard status == .success else {
            remove()
            throw CommandFailure(status, place.isSpecial ? "" : "\(path) was not written")
        }
        try keep()
    }

    /// Returns the same error with the user's path.
    private func named(_ error: any Error) -> any Error {
        guard let error = error as? any ExplainedError, error.message.hasPrefix(temporaryPath) else { return error }
        return CommandFailure(
            error.exitStatus, path + error.message.dropFirst(temporaryPath.count), remedy: error.remedy)
    }

    private func keep() throws(CommandFailure) {
        guard !place.isSpecial else { return }
        if let mode = place.mode { _ = unsafe chmod(temporaryPath, mode) }
        do throws(FileFault) { try place.put(temporaryPath) } catch {
            remove()
            throw Self.failure(path, error)
        }
    }

    private func remove() {
        if !place.isSpecial { Self.delete(temporaryPath) }
    }

    /// Writes bytes to a file that appears under its name only when complete.
    static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
        do throws(FileFault) {
            let file = try WholeFile(path)
            let unfinished = PartialFiles.Claim()
            if let temporary = file.temporaryPath { unfinished.add(temporary) }
            defer { unfinished.forget() }
            try file.append(bytes)
            try file.commit()
        } catch {
            throw failure(path, error)
        }
    }

    /// Checks that a path is writable, before a long computation begins.
    static func check(_ path: String) throws(CommandFailure) {
        let place = try OutputFile(path).place
        if unsafe place.isSpecial || access(place.folder, W_OK) == 0 { return }
        throw failure(path, FileFault(code: errno, isCreating: true))
    }

    private static func failure(_ path: String, _ fault: FileFault) -> CommandFailure {
        if let limit = SystemLimit(errno: fault.code) { return CommandFailure(limit, at: "\(path): ") }
        let cause = systemText(fault.code)
        switch (fault.code, fault.isCreating) {
        case (EISDIR, _):
            return CommandFailure(.cannotCreate, "\(path): this is a directory", remedy: "Name a file in it.")
        case (EACCES, _), (EPERM, _), (EROFS, _):
            return CommandFailure(
                .noPermission, "\(path): you may not write to this file (\(cause))",
                remedy: "Choose another name.")
        case (_, true):
            return CommandFailure(
                .cannotCreate, "\(path): cannot be created (\(cause))", remedy: "Choose another name.")
        case (_, false):
            return CommandFailure(
                .inputOutput, "\(path): cannot be written (\(cause))",
                remedy: "Free some room, or choose another place.")
        }
    }

    /// Deletes a file if present.
    static func delete(_ path: String) { _ = unsafe unlink(path) }

    /// Refuses an output that is also an input, because the result would replace the recording.
    static func refuseInputs(_ inputs: [String], outputs: [String]) throws(CommandFailure) {
        // Most outputs do not exist yet.
        let existing = outputs.filter { unsafe access($0, F_OK) == 0 }
        guard !existing.isEmpty else { return }
        let recordings = Set(inputs.compactMap { FileNumber(FileName.systemName($0)) })
        for output in existing {
            guard let number = FileNumber(FileName.systemName(output)), recordings.contains(number) else { continue }
            throw CommandFailure(
                .usage, "\(output): the output is the recording itself", remedy: "Write to another file.")
        }
    }

    /// Identity of a file, valid until a mount changes.
    private struct FileNumber: Hashable {
        let device: UInt64
        let inode: UInt64

        init?(_ name: [CChar]) {
            var status = stat()
            guard unsafe stat(name, &status) == 0 else { return nil }
            (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
        }
    }
}
