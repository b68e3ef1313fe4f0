internal import Explanations
internal import Files
internal import Glibc

/// A small user file, read and replaced as a whole. A reader never sees half of a change. Of two programs that change
/// the file at once, the second sees the first program's change.
package struct LockedFile: Sendable {
    /// The reason why a file is unusable.
    package struct Fault: Error, Equatable {
        /// An errno.
        package let code: Int32
        /// The attempted action, as in "cannot be read".
        package let action: String

        package init(code: Int32, action: String) { (self.code, self.action) = (code, action) }

        /// The attempted action, and the system's words for the error.
        package var text: String { "\(action): \(systemText(code))" }

        /// True if the user lacks permission.
        package var isPermission: Bool { code == EACCES || code == EPERM || code == EROFS }
    }

    package let path: String
    private let isPrivate: Bool

    /// The greatest size in bytes; larger files are not ours.
    package static let largest = 1 << 20
    /// The greatest wait for another program's change, and the polling interval, in ms.
    private static let (patience, pause) = (2000, 10)

    /// - Parameter isPrivate: True if only the user may read the file.
    package init(path: String, isPrivate: Bool = false) { (self.path, self.isPrivate) = (path, isPrivate) }

    /// Returns the file's bytes, at most `largest` plus one; nil if there is no file.
    package func read() throws(Fault) -> [UInt8]? {
        do throws(FileFault) {
            let file = try unsafe RegularFile(path)
            // An earlier version let other users read the file, and a replaced file passes its permissions on.
            if isPrivate { _ = fchmod(file.descriptor, 0o600) }
            return try FileBytes.bytes(of: file.descriptor, count: Self.largest + 1)
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return nil }
            throw Fault(code: error.code, action: "cannot be read")
        }
    }

    /// Reads the file, and replaces it with the text made from its bytes, under a lock. Creates missing folders.
    ///
    /// The file stays unchanged if `text` returns nil or throws. `failure` converts a `Fault` to the thrown error.
    package func change<Failure: Error>(
        failure: (Fault) -> Failure, _ text: ([UInt8]?) throws(Failure) -> String?
    ) throws(Failure) {
        let lock: (descriptor: Int32, isTaken: Bool)
        do throws(Fault) {
            try StateFolder.makeFolders(above: path)
            lock = try takeLock()
        } catch {
            throw failure(error)
        }
        // The end of the process releases the lock, too.
        defer { FileLock.release(lock.descriptor) }
        let content: [UInt8]?
        do throws(Fault) { content = try read() } catch { throw failure(error) }
        guard let text = try text(content) else { return }
        do throws(Fault) { try replace(by: text, isLocked: lock.isTaken) } catch { throw failure(error) }
    }

    /// Opens and locks a separate file beside ours. The lock file is never removed, because two programs could lock a
    /// removed file.
    private func takeLock() throws(Fault) -> (descriptor: Int32, isTaken: Bool) {
        let descriptor = unsafe open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Fault(code: errno, action: "cannot be written") }
        do throws(FileFault) {
            for _ in 0...Self.patience / Self.pause {
                switch try FileLock.take(descriptor) {
                case .taken: return (descriptor, true)
                case .unsupported: return (descriptor, false)
                case .held: break
                }
                usleep(UInt32(Self.pause) * 1000)
            }
        } catch {
            close(descriptor)
            throw Fault(code: error.code, action: "cannot be written")
        }
        close(descriptor)
        throw Fault(code: EWOULDBLOCK, action: "is being written by another program")
    }

    /// With the lock, the temporary file has a fixed name, so that a file left by a killed process is reused. Without
    /// the lock the name is unique, because another program might write the same file.
    private func replace(by text: String, isLocked: Bool) throws(Fault) {
        do throws(FileFault) {
            let file = try WholeFile(path, suffix: isLocked ? ".new" : nil, permissions: isPrivate ? 0o600 : 0o666)
            try file.append(Array(text.utf8))
            try file.commit()
        } catch {
            throw Fault(code: error.code, action: "cannot be written")
        }
    }
}
