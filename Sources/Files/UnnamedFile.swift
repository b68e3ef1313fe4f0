internal import CLinux
internal import Glibc

/// An unnamed file. The system frees the file with its descriptor, even after a crash.
package enum UnnamedFile {
    /// Creates an unnamed file in `folder`. Throws the reason if this is impossible.
    ///
    /// On file systems without unnamed files (some overlays and network drives) the file has a name for a moment.
    package static func open(in folder: String, calls: any FileCalls = SystemFileCalls()) throws(FileFault) -> Int32 {
        let unnamed = calls.createUnnamed(in: folder)
        if unnamed >= 0 { return Int32(unnamed) }
        let name = "\(folder)/\(FilePlace.temporaryName())"
        let named = calls.create(name)
        if named < 0 { throw FileFault(code: Int32(-named), isCreating: true) }
        _ = calls.remove(name)
        return Int32(named)
    }

    /// Creates an unnamed file with `bytes` in memory.
    package static func inMemory(_ bytes: [UInt8] = []) throws(FileFault) -> Int32 {
        let descriptor = unsafe linux_memory_file("woodshed")
        if descriptor < 0 { throw FileFault(code: errno, isCreating: true) }
        do throws(FileFault) { try FileBytes.write(bytes, at: 0, of: descriptor) } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }
}
