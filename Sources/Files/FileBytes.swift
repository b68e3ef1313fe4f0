internal import Glibc

/// Bytes of open files, all that were asked for: the system may take or give a part of them only, and signals interrupt it.
package enum FileBytes {
    /// How often a call that a signal interrupts, or that takes a part only, is made again before it counts as failed.
    package static let patience = 1000

    /// Appends all of `bytes` to what a descriptor stands for; a pipe that somebody made non-blocking (terminals' descriptors are shared)
    /// is waited for.
    package static func append(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(FileFault) {
        var done = 0
        while done < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
            let written = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            if written >= 0 {
                done += written
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&waiting, 1, 1000)
            } else if errno != EINTR {
                throw FileFault(code: errno, doneBytes: done)
            }
        }
    }

    /// Appends all of `bytes`, as the other of this name does.
    package static func append(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(FileFault) {
        try unsafe bytes.withUnsafeBufferPointer { (run) throws(FileFault) in
            try unsafe append(UnsafeRawBufferPointer(run), to: descriptor)
        }
    }

    /// Writes all of `bytes` to a file from `offset` on.
    package static func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, of descriptor: Int32,
        calls: any FileCalls = SystemFileCalls()
    ) throws(FileFault) {
        var done = 0
        var attempts = 0
        while done < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
            let written = unsafe calls.write(descriptor, rest, at: offset + Int64(done))
            if written > 0 { done += written }
            if written < 0, written != -Int(EINTR) { throw FileFault(code: Int32(-written), doneBytes: done) }
            attempts += 1
            if done < bytes.count, attempts > patience { throw FileFault(code: EIO, doneBytes: done) }
        }
    }

    /// Writes all of `bytes`, as the other of this name does.
    package static func write(
        _ bytes: [UInt8], at offset: Int64, of descriptor: Int32, calls: any FileCalls = SystemFileCalls()
    ) throws(FileFault) {
        try unsafe bytes.withUnsafeBufferPointer { (run) throws(FileFault) in
            try unsafe write(UnsafeRawBufferPointer(run), at: offset, of: descriptor, calls: calls)
        }
    }

    /// Fills `target` with the bytes of a file from `offset` on; without an offset, with those that come next.
    ///
    /// - Returns: How many there are: fewer than asked for at the end only.
    package static func read(
        _ descriptor: Int32, at offset: Int64? = nil, into target: UnsafeMutableRawBufferPointer
    ) throws(FileFault) -> Int {
        var done = 0
        while done < target.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: target[done...])
            let count =
                if let offset {
                    unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
                } else {
                    unsafe Glibc.read(descriptor, rest.baseAddress, rest.count)
                }
            if count == 0 { break }
            if count > 0 { done += count } else if errno != EINTR { throw FileFault(code: errno, doneBytes: done) }
        }
        return done
    }

    /// Up to `count` bytes, as `read` gives them.
    package static func bytes(of descriptor: Int32, at offset: Int64? = nil, count: Int) throws(FileFault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = try unsafe bytes.withUnsafeMutableBufferPointer { (target) throws(FileFault) in
            try unsafe read(descriptor, at: offset, into: UnsafeMutableRawBufferPointer(target))
        }
        bytes.removeLast(count - filled)
        return bytes
    }
}
