internal import Glibc

/// Reads and writes all requested bytes of open files. A system call may transfer only a part, and signals may
/// interrupt it.
package enum FileBytes {
    /// Largest number of retries of an interrupted or partial call before the call counts as failed.
    package static let patience = 1000

    /// Appends all of `bytes` to a descriptor. If another program made a pipe non-blocking (terminals share
    /// descriptors), the function waits for the pipe.
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

    /// Appends all of `bytes`, like the function above.
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

    /// Writes all of `bytes`, like the function above.
    package static func write(
        _ bytes: [UInt8], at offset: Int64, of descriptor: Int32, calls: any FileCalls = SystemFileCalls()
    ) throws(FileFault) {
        try unsafe bytes.withUnsafeBufferPointer { (run) throws(FileFault) in
            try unsafe write(UnsafeRawBufferPointer(run), at: offset, of: descriptor, calls: calls)
        }
    }

    /// Fills `target` with the bytes of a file from `offset` on; without an offset, with the next bytes.
    ///
    /// - Returns: The number of bytes read; fewer than requested only at the end.
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

    /// Returns up to `count` bytes; fewer only at the end.
    package static func bytes(of descriptor: Int32, at offset: Int64? = nil, count: Int) throws(FileFault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = try unsafe bytes.withUnsafeMutableBufferPointer { (target) throws(FileFault) in
            try unsafe read(descriptor, at: offset, into: UnsafeMutableRawBufferPointer(target))
        }
        bytes.removeLast(count - filled)
        return bytes
    }
}
