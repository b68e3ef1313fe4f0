internal import Glibc

/// A file that appears under its name whole or not at all.
///
/// What is no regular file (a pipe, a device) is written straight. A file that is let go before `commit` is removed.
/// One thread at a time.
package final class WholeFile {
    package let place: FilePlace
    /// The file while it is written; -1 once it was committed or discarded.
    package private(set) var descriptor: Int32
    /// Where the bytes are until `commit`; nil for what is written straight, and afterwards.
    package private(set) var temporaryPath: String?
    private let isDurable: Bool
    private let calls: any FileCalls

    /// Begins a file.
    ///
    /// - Parameters:
    ///   - path: Where it is to appear.
    ///   - suffix: With the file's own name in front, what it is written under, where what a killed program has left of that name
    ///     may be overwritten; nil for a new name.
    ///   - permissions: Of a file that replaces none; the process's mask takes its part of them away.
    ///   - isDurable: Whether `commit` waits until it is on the disk. Without that a loss of power may leave less than the
    ///     whole, under its name: for what can be made again, and is checked when it is read.
    /// - Throws: As `FilePlace`, and why the file cannot be made.
    package init(
        _ path: String, suffix: String? = nil, permissions: UInt32 = 0o666, isDurable: Bool = true,
        calls: any FileCalls = SystemFileCalls()
    ) throws(FileFault) {
        let place = try FilePlace(path)
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

    /// Makes the file appear under its name: waits until it is on the disk, closes it, and renames it. Some disks tell only then that
    /// they did not take it all; an older file of that name then stays.
    ///
    /// - Parameter replaces: As in `FilePlace.put`.
    package func commit(replaces: Bool = true) throws(FileFault) {
        do throws(FileFault) {
            if isDurable, temporaryPath != nil {
                // What a file system cannot do is no failure of the disk.
                try check(calls.synchronise(descriptor), butFor: [EINVAL, ENOSYS])
            }
            let file = descriptor
            descriptor = -1
            // Linux closes the descriptor also when a signal interrupts the call; what was to be written was synchronised.
            try check(calls.close(file), butFor: [EINTR])
            if let temporaryPath { try place.put(temporaryPath, replaces: replaces, calls: calls) }
            temporaryPath = nil
        } catch {
            discard()
            throw error
        }
    }

    /// Removes what was written, as far as it is ours to remove. After `commit` it does nothing.
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
