internal import Explanations
internal import Files
internal import Glibc
package import JSON

/// A small JSON file of the user's state, read and replaced as a whole: a reader never sees half of it, and of two programs
/// that change it at once the second sees what the first has written.
package struct StateFile: Sendable {
    /// Why a file cannot be used.
    package struct Fault: Error, Equatable {
        /// An errno.
        package let code: Int32
        /// The attempted action, as in "cannot be read".
        package let action: String

        package init(code: Int32, action: String) { (self.code, self.action) = (code, action) }

        /// The attempted action, and the system's words for the error.
        package var text: String { "\(action): \(systemText(code))" }
    }

    /// What is at the path.
    package enum Content: Equatable {
        case nothing
        /// Not JSON, or too large to be our file.
        case damaged
        case value(JSONValue)
    }

    package let path: String

    /// Larger files are not ours, in bytes.
    private static let largest = 1 << 20
    /// How long another program may take for its change, and the polling interval, in ms.
    private static let (patience, pause) = (2000, 10)

    /// A file in this program's folder under `$XDG_STATE_HOME`, by default `~/.local/state`; nil if there is no home.
    package init?(named name: String) {
        guard let folder = StateFolder.path else { return nil }
        path = folder + "/" + name
    }

    package init(path: String) { self.path = path }

    package func read() throws(Fault) -> Content {
        let bytes: [UInt8]
        do throws(FileFault) {
            let file = try unsafe RegularFile(path)
            bytes = try FileBytes.bytes(of: file.descriptor, count: Self.largest + 1)
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return .nothing }
            throw Fault(code: error.code, action: "cannot be read")
        }
        guard bytes.count <= Self.largest, let value = JSONValue(reading: bytes) else { return .damaged }
        return .value(value)
    }

    /// Reads the file, and replaces it with the `text` made from its contents, under a lock.
    ///
    /// The file is not changed if `text` returns nil or throws. A `Fault` is thrown as the error that `failure` makes of it.
    package func change<Failure: Error>(
        failure: (Fault) -> Failure, _ text: (Content) throws(Failure) -> String?
    ) throws(Failure) {
        let lock: Int32
        do throws(Fault) {
            try StateFolder.makeFolders(above: path)
            lock = try takeLock()
        } catch {
            throw failure(error)
        }
        // Closing it releases the lock; so does the end of the process.
        defer { close(lock) }
        let content: Content
        do throws(Fault) { content = try read() } catch { throw failure(error) }
        guard let text = try text(content) else { return }
        do throws(Fault) { try replace(by: text) } catch { throw failure(error) }
    }

    /// Renames a damaged file, replacing an earlier one of that name, and returns the new name.
    package func setAside() throws(Fault) -> String {
        let aside = path + ".damaged"
        guard unsafe rename(path, aside) == 0 else {
            throw Fault(code: errno, action: "is damaged and cannot be set aside")
        }
        return aside
    }

    /// Opens and locks a file beside ours. It is never removed, because a removed file could be locked twice.
    private func takeLock() throws(Fault) -> Int32 {
        let descriptor = unsafe open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Fault(code: errno, action: "cannot be written") }
        for _ in 0...Self.patience / Self.pause {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
            guard errno == EWOULDBLOCK || errno == EINTR else { break }
            usleep(UInt32(Self.pause) * 1000)
        }
        let code = errno
        close(descriptor)
        throw Fault(
            code: code, action: code == EWOULDBLOCK ? "is being written by another program" : "cannot be written")
    }

    /// Only with the lock: the temporary file has a fixed name, so that one left by a killed process is reused.
    private func replace(by text: String) throws(Fault) {
        do throws(FileFault) {
            let file = try WholeFile(path, suffix: ".new")
            try file.append(Array(text.utf8))
            try file.commit()
        } catch {
            throw Fault(code: error.code, action: "cannot be written")
        }
    }
}
