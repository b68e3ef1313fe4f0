internal import CLinux
internal import Glibc

/// The descriptor of a file without a name: the system frees it with the descriptor, also after a crash.
package enum UnnamedFile {
    /// Makes one in `folder`, or throws why there can be none.
    ///
    /// File systems that know no files without a name (some overlays and network drives) have one with a name for a moment.
    package static func open(in folder: String, calls: any FileCalls = SystemFileCalls()) throws(FileFault) -> Int32 {
        let unnamed = calls.createUnnamed(in: folder)
        if unnamed >= 0 { return Int32(unnamed) }
        let name = "\(folder)/\(FilePlace.temporaryName())"
        let named = calls.create(name)
        if named < 0 { throw FileFault(code: Int32(-named), isCreating: true) }
        _ = calls.remove(name)
        return Int32(named)
    }

    /// Makes one in memory that holds `bytes`.
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
