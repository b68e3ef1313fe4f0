// A file that appears whole or not at all. What is rendered goes to a name beside it, which becomes the file's own only at
// the end; an interrupted run leaves what was there before. (The file device keeps what it has when it is stopped, which
// is right for a practice that is ended early and wrong for a rendering.)
import Glibc

/// Where a rendered file is written until it is whole.
struct OutputFile {
    /// The name to write to; for pipes and devices the name asked for.
    let temporaryPath: String
    private let path: String
    private let finalPath: String
    /// The permissions of the file that is replaced.
    private let mode: mode_t?
    /// True for pipes and devices, which are written to directly.
    private let isSpecial: Bool

    /// Prepares to write to `path`.
    ///
    /// - Throws: A `CommandFailure` when the name is a directory's, or an existing file may not be written.
    init(_ path: String) throws(CommandFailure) {
        self.path = path
        var status = stat()
        let exists = unsafe stat(path, &status) == 0
        let kind = exists ? status.st_mode & S_IFMT : S_IFREG
        guard kind != S_IFDIR, !path.hasSuffix("/") else {
            throw CommandFailure(.cannotCreate, "\(path): this is a directory", remedy: "Name a file in it.")
        }
        if exists, unsafe access(path, W_OK) != 0 {
            throw CommandFailure(
                .noPermission, "\(path): you may not write to this file (\(systemMessage(errno)))",
                remedy: "Choose another name with -o.")
        }
        isSpecial = kind != S_IFREG
        mode = exists ? status.st_mode & 0o7777 : nil
        // A link stays a link: what it points to is replaced.
        finalPath = exists ? Self.resolved(path) : path
        let parts = finalPath.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().map { $0 + "/" }.joined()
        temporaryPath = isSpecial ? path : folder + "." + (parts.last ?? "") + ".\(getpid())"
    }

    /// Has the files under way deleted when the process must leave at once; call it once they have been opened.
    func guardAgainstLeaving() {
        guard !isSpecial else { return }
        PartialFiles.add(temporaryPath)
        // The writer has a temporary name of its own, which begins with ours.
        let parts = temporaryPath.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().map { $0 + "/" }.joined()
        guard let name = parts.last, let listing = unsafe opendir(folder.isEmpty ? "." : folder) else { return }
        defer { unsafe closedir(listing) }
        while let entry = unsafe readdir(listing) {
            let found = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if found.hasPrefix(name + ".") { PartialFiles.add(folder + found) }
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
            throw (error as? CommandFailure).map(named) ?? error
        }
        guard status == .success else {
            remove()
            throw CommandFailure(status, isSpecial ? "" : "\(path) was not written")
        }
        try keep()
    }

    /// The failure in terms of the name the user gave.
    private func named(_ failure: CommandFailure) -> CommandFailure {
        guard failure.cause.hasPrefix(temporaryPath) else { return failure }
        return CommandFailure(
            failure.status, path + failure.cause.dropFirst(temporaryPath.count), remedy: failure.remedy)
    }

    private func keep() throws(CommandFailure) {
        guard !isSpecial else { return }
        if let mode { _ = unsafe chmod(temporaryPath, mode) }
        guard unsafe rename(temporaryPath, finalPath) == 0 else {
            let cause = systemMessage(errno)
            remove()
            throw CommandFailure(
                .cannotCreate, "\(path): cannot be created (\(cause))", remedy: "Choose another name with -o.")
        }
    }

    private func remove() {
        if !isSpecial { Self.delete(temporaryPath) }
    }

    /// Deletes a file, if it is there.
    static func delete(_ path: String) { _ = unsafe unlink(path) }

    /// Refuses an output that is the input: it would be replaced by something made of it.
    static func refuseInput(_ input: String, output: String) throws(CommandFailure) {
        var (first, second) = (stat(), stat())
        guard unsafe stat(input, &first) == 0, unsafe stat(output, &second) == 0 else { return }
        guard first.st_dev == second.st_dev, first.st_ino == second.st_ino else { return }
        throw CommandFailure(.usage, "\(output): this is the recording itself", remedy: "Write to another file.")
    }

    private static func resolved(_ path: String) -> String {
        guard let text = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }
}
