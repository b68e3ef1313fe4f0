internal import Glibc

/// A file that appears under its name as a whole or not at all.
///
/// Pipes and devices are written directly. Releasing the object before `commit` removes the file. Threads: one at a
/// time.
package final class WholeFile {
    package let place: FilePlace
    /// Descriptor during the writing; -1 after a commit or discard.
    package private(set) var descriptor: Int32
    /// Temporary path until `commit`; afterwards, and for a file written directly, nil.
    package private(set) var temporaryPath: String?
    private let isDurable: Bool
    private let calls: any FileCalls

    /// Begins a file.
    ///
    /// - Parameters:
    ///   - path: Final path.
    ///   - suffix: Ending added to the final path to form the temporary path. A file of this name, left by a killed
    ///     program, may be overwritten. Nil for a new name.
    ///   - followsLinks: As in `FilePlace`.
    ///   - permissions: Permissions of a file that replaces no other; the process's umask applies.
    ///   - isDurable: True if `commit` waits until the file is on the disk. If false, a power loss may leave an
    ///     incomplete file under the final name. Use false only for reproducible files that are checked when read.
    /// - Throws: The errors of `FilePlace`, and the reason if the file cannot be created.
    package init(
        _ path: String, suffix: String? = nil, followsLinks: Bool = true, permissions: UInt32 = 0o666,
        isDurable: Bool = true, calls: any FileCalls = SystemFileCalls()
    ) throws(FileFault) {
        let place = try FilePlace(path, followsLinks: followsLinks)
        (self.place, self.isDurable, self.calls) = (place, isDurable, calls)
        if place.isSpecial {
            descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
            temporaryPath = nil
        } else {
            let name = suffix.map { ending in place.finalPath + ending } ?? place.temporaryPath()
            let flags = suffix == nil ? O_EXCL : O_TRUNC
            descriptor = unsafe open(name, O_RDWR | O_CREAT | flags | O_CLOEXEC | O_NOFOLLOW, permissions)
            temporaryPath = descriptor < 0 ? nil : name
        }
        if descriptor < 0 { throw FileFault(code: errno, isCreating: true) }
        if let mode = place.mode { _ = fchmod(descriptor, mode) }
    }

    deinit { discard() }

    /// Appends all of `bytes`.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(FileFault) {
        try unsafe FileBytes.append(bytes, to: descriptor)
    }

    /// Appends all of `bytes`.
    package func append(_ bytes: [UInt8]) throws(FileFault) { try FileBytes.append(bytes[...], to: descriptor) }

    /// Makes the file appear under its name: waits until it is on the disk, closes it, and renames it. Some disks
    /// report only then that they could not store everything. After such a failure an older file of this name stays.
    ///
    /// - Parameter replaces: As in `FilePlace.put`.
    package func commit(replaces: Bool = true) throws(FileFault) {
        do throws(FileFault) {
            if isDurable, temporaryPath != nil {
                // An unsupported call is not a failure of the disk.
                try check(calls.synchronise(descriptor), butFor: [EINVAL, ENOSYS])
            }
            let file = descriptor
            descriptor = -1
            // Linux closes the descriptor even if a signal interrupts the call; the data was already synchronised.
            try check(calls.close(file), butFor: [EINTR])
            if let temporaryPath { try place.put(temporaryPath, replaces: replaces, calls: calls) }
            temporaryPath = nil
        } catch {
            discard()
            throw error
        }
    }

    /// Removes the unfinished file. Does nothing after `commit`.
    package func discard() {
        if descriptor >= 0 { _ = calls.close(descriptor) }
        descriptor = -1
        if let temporaryPath { _ = calls.remove(temporaryPath) }
        temporaryPath = nil
    }

    private func check(_ result: Int, butFor permitted: [Int32]) throws(FileFault) {
        if result < 0, !permitted.contains(Int32(-result)) { throw FileFault(code: Int32(-result)) }
    }
}
