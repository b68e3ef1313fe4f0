// An output file that appears under its name only when it is complete. Rendering writes to a temporary name beside it, which is
// renamed at the end; an interrupted run leaves an older file unchanged. (The file device keeps the frames it has when it is
// stopped, which is right for a practice session that ends early, but wrong for a rendering.)
import Files
import Glibc
import Realtime
import Terminal
import Woodshed

/// The place where a rendered file is written until it is complete.
struct OutputFile {
    /// The path to write to; for pipes and devices the path that the user gave.
    let temporaryPath: String
    private let place: FilePlace
    private let unfinished = PartialFiles.Claim()
    /// One file is opened at a time, so that it is known which temporary file belongs to which.
    private static let openings = ConditionLock()

    private var path: String { place.path }

    /// Prepares to write to `path`.
    ///
    /// - Throws: A `CommandFailure` if the path is a directory, or if an existing file may not be written.
    init(_ path: String) throws(CommandFailure) {
        do throws(FileFault) { place = try FilePlace(path) } catch { throw Self.failure(path, error) }
        temporaryPath = place.isSpecial ? path : place.temporaryPath()
    }

    /// Opens a writer for it, and registers the unfinished files, so that they are deleted if the process must exit at once.
    ///
    /// For a file, a signal finds both steps done or neither. For a pipe there is nothing to delete; opening it waits for a
    /// reader, and a signal ends the wait.
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

    /// This process's temporary files beside the output.
    private var temporaryNames: Set<String> {
        Set((try? Folder.names(in: place.folder))?.filter { $0.hasPrefix(FilePlace.temporaryPrefix) } ?? [])
    }

    private func guardAgainstLeaving(besides earlier: Set<String>) {
        unfinished.add(temporaryPath)
        // The writer uses a temporary name of its own, with the same prefix.
        let folder = temporaryPath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        for name in temporaryNames.subtracting(earlier) {
            unfinished.add(folder.map { $0 + "/" }.joined() + name)
        }
    }

    /// Writes the file with `body`, and gives it its name if that succeeds; otherwise nothing is left of it.
    ///
    /// - Throws: The error of `body`, or a failure with the status that it returned if that is not success.
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

    /// The same error with the name that the user gave.
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

    /// Writes bytes to a file, which appears under its name only when it is complete.
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

    /// Checks that a file can be written at a path, before a long computation for it begins.
    static func check(_ path: String) throws(CommandFailure) {
        let place = try OutputFile(path).place
        if unsafe place.isSpecial || access(place.folder, W_OK) == 0 { return }
        throw failure(path, FileFault(code: errno, isCreating: true))
    }

    private static func failure(_ path: String, _ fault: FileFault) -> CommandFailure {
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

    /// Deletes a file if it exists.
    static func delete(_ path: String) { _ = unsafe unlink(path) }

    /// Throws if an output is one of the inputs, because the result would replace it.
    static func refuseInputs(_ inputs: [String], outputs: [String]) throws(CommandFailure) {
        // Most outputs do not exist yet.
        let existing = outputs.filter { unsafe access($0, F_OK) == 0 }
        guard !existing.isEmpty else { return }
        let recordings = Set(inputs.compactMap { FileNumber(FileName.systemName($0)) })
        for output in existing {
            guard let number = FileNumber(FileName.systemName(output)), recordings.contains(number) else { continue }
            throw CommandFailure(.usage, "\(output): this is the recording itself", remedy: "Write to another file.")
        }
    }

    /// Which file it is, while nothing is mounted.
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
