// A file that appears whole or not at all. What is rendered goes to a name beside it, which becomes the file's own only at
// the end; an interrupted run leaves what was there before. (The file device keeps what it has when it is stopped, which
// is right for a practice that is ended early and wrong for a rendering.)
import Files
import Glibc
import Woodshed

/// Where a rendered file is written until it is whole.
struct OutputFile {
    /// The name to write to; for pipes and devices the name asked for.
    let temporaryPath: String
    private let place: FilePlace

    private var path: String { place.path }

    /// Prepares to write to `path`.
    ///
    /// - Throws: A `CommandFailure` when the name is a directory's, or an existing file may not be written.
    init(_ path: String) throws(CommandFailure) {
        do throws(FileFault) { place = try FilePlace(path) } catch { throw Self.failure(path, error) }
        temporaryPath = place.isSpecial ? path : place.temporaryPath()
    }

    /// Opens what writes to it, and has the files under way deleted when the process must leave at once.
    ///
    /// Of a file a signal finds both done or neither. Of a pipe nothing can be left, and opening it waits for a reader: a signal ends that.
    func opening<Opened>(_ open: () throws -> Opened) throws -> Opened {
        if place.isSpecial { return try open() }
        return try Signals.holding {
            let opened = try open()
            guardAgainstLeaving()
            return opened
        }
    }

    private func guardAgainstLeaving() {
        PartialFiles.add(temporaryPath)
        // The writer has a temporary name of its own, which begins like ours.
        guard let names = try? Folder.names(in: place.folder) else { return }
        let folder = temporaryPath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        for name in names where name.hasPrefix(FilePlace.temporaryPrefix) {
            PartialFiles.add(folder.map { $0 + "/" }.joined() + name)
        }
    }

    /// Writes by `body` and gives the file its name when that succeeds; otherwise nothing is left of it.
    ///
    /// - Throws: What `body` throws, and the status it returns when that is not success.
    func whole(_ body: () throws -> ExitStatus) throws {
        defer { PartialFiles.forgetAll() }
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

    /// The error in terms of the name the user gave.
    private func named(_ error: any Error) -> any Error {
        guard let error = error as? any CommandError, error.message.hasPrefix(temporaryPath) else { return error }
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

    /// Writes a file of bytes that appears whole or not at all.
    static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
        do throws(FileFault) {
            let file = try WholeFile(path)
            if let temporary = file.temporaryPath { PartialFiles.add(temporary) }
            defer { PartialFiles.forgetAll() }
            try file.append(bytes)
            try file.commit()
        } catch {
            throw failure(path, error)
        }
    }

    /// Refuses a place that cannot take a file, before long work is done for it.
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
                remedy: "Choose another name with -o.")
        case (_, true):
            return CommandFailure(
                .cannotCreate, "\(path): cannot be created (\(cause))", remedy: "Choose another name with -o.")
        case (_, false):
            return CommandFailure(
                .inputOutput, "\(path): cannot be written (\(cause))",
                remedy: "Free some room, or choose another place with -o.")
        }
    }

    /// Deletes a file, if it is there.
    static func delete(_ path: String) { _ = unsafe unlink(path) }

    /// Refuses an output that is the input: it would be replaced by something made of it.
    static func refuseInput(_ input: String, output: String) throws(CommandFailure) {
        var (first, second) = (stat(), stat())
        guard unsafe stat(FileName.systemName(input), &first) == 0, unsafe stat(output, &second) == 0
        else { return }
        guard first.st_dev == second.st_dev, first.st_ino == second.st_ino else { return }
        throw CommandFailure(.usage, "\(output): this is the recording itself", remedy: "Write to another file.")
    }
}
