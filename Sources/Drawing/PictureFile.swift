internal import Glibc

/// Bytes put into a file that appears whole or not at all.
///
/// A regular file is written beside its place under another name and renamed over it at the end, so that an older one stays
/// when something fails. What is no regular file (a pipe, a device) is written straight.
enum PictureFile {
    static func write(_ bytes: [UInt8], to path: String) throws(PictureError) {
        if path.isEmpty || path.utf8.contains(0) { throw .writing(path, errno: ENOENT, creating: true) }
        var (place, mode) = (path, mode_t(0))
        var status = stat()
        if unsafe stat(path, &status) == 0 {
            if status.st_mode & S_IFMT == S_IFDIR { throw .directory(path) }
            if status.st_mode & S_IFMT != S_IFREG { return try writeStraight(bytes, to: path) }
            // Renaming would replace a file that may not be written, and a link instead of what it points to.
            if unsafe access(path, W_OK) != 0 { throw .writing(path, errno: errno, creating: true) }
            mode = status.st_mode & 0o7777
            if let resolved = unsafe realpath(path, nil) {
                place = unsafe String(cString: resolved)
                unsafe free(resolved)
            }
        }
        // Beside it, and not made of its name, which may be as long as names can be.
        let folder = place.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(place[...$0]) } ?? ""
        let temporary = folder + ".\(getpid())-\(UInt32.random(in: 0...UInt32.max)).part"
        let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if file < 0 { throw .writing(path, errno: errno, creating: true) }
        if mode != 0 { _ = fchmod(file, mode) }
        do throws(PictureError) {
            try appendAndClose(bytes, to: file, path: path)
            if unsafe rename(temporary, place) != 0 { throw .writing(path, errno: errno, creating: true) }
        } catch {
            unsafe unlink(temporary)
            throw error
        }
    }

    private static func writeStraight(_ bytes: [UInt8], to path: String) throws(PictureError) {
        let file = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        if file < 0 { throw .writing(path, errno: errno, creating: true) }
        try appendAndClose(bytes, to: file, path: path)
    }

    private static func appendAndClose(_ bytes: [UInt8], to file: Int32, path: String) throws(PictureError) {
        var done = 0
        while done < bytes.count {
            let written = unsafe bytes[done...].withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
            if written >= 0 {
                done += written
            } else if errno != EINTR {
                let code = errno
                close(file)
                throw .writing(path, errno: code, creating: false)
            }
        }
        // Some disks tell only now that they did not take it all.
        if close(file) != 0 { throw .writing(path, errno: errno, creating: false) }
    }
}
