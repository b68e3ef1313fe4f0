internal import Files

/// Writes bytes to a file which appears whole or not at all (`WholeFile`).
enum PictureFile {
    static func write(
        _ bytes: [UInt8], to path: String, calls: any FileCalls = SystemFileCalls()
    ) throws(PictureError) {
        do throws(FileFault) {
            let file = try WholeFile(path, calls: calls)
            try file.append(bytes)
            try file.commit()
        } catch {
            throw .writing(path, error)
        }
    }
}
