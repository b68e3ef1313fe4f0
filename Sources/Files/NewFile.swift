internal import Glibc

/// A new file, written under its name from the beginning, such as a recording.
package enum NewFile {
    /// Creates a file with `header` at `path`, which must not exist. Returns its descriptor.
    ///
    /// The file gets its name when the header is on the disk. A crash or a power loss therefore leaves either a file
    /// with a header or no file. On file systems without unnamed files (FAT, some network drives) the file is empty for
    /// a moment.
    /// - Throws: EEXIST if the file exists, and the reason if the file cannot be created.
    package static func create(
        _ path: String, beginningWith header: [UInt8], calls: any FileCalls = SystemFileCalls()
    ) throws(FileFault) -> Int32 {
        let unnamed = calls.createUnnamed(in: FilePlace.folder(of: path))
        if unnamed >= 0 {
            let file = Int32(unnamed)
            try write(header, to: file, calls)
            let named = calls.name(file, path)
            if named >= 0 { return file }
            close(file)
            if named == -Int(EEXIST) { throw FileFault(code: EEXIST, isCreating: true) }
        }
        let created = calls.create(path)
        if created < 0 { throw FileFault(code: Int32(-created), isCreating: true) }
        do throws(FileFault) { try write(header, to: Int32(created), calls) } catch {
            _ = calls.remove(path)
            throw error
        }
        return Int32(created)
    }

    /// Writes a header and waits until it is on the disk. Closes the file on failure.
    private static func write(_ header: [UInt8], to file: Int32, _ calls: any FileCalls) throws(FileFault) {
        do throws(FileFault) {
            try FileBytes.write(header, at: 0, of: file, calls: calls)
            try calls.keepData(of: file)
        } catch {
            close(file)
            throw error
        }
    }
}
