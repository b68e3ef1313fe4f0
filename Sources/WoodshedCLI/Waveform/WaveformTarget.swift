// What kind of file a name asks for, and files that are written whole.
import Glibc

/// What `-o` writes.
enum WaveformTarget: Equatable {
    enum Image { case png, svg }
    enum Peaks { case dat, json }

    case picture(Image)
    case peaks(Peaks)

    /// By the end of the name, in either case; nil for any other.
    init?(_ path: String) {
        switch path.split(separator: "/").last?.split(separator: ".", omittingEmptySubsequences: false).last?
            .lowercased()
        {
        case "png": self = .picture(.png)
        case "svg": self = .picture(.svg)
        case "dat": self = .peaks(.dat)
        case "json": self = .peaks(.json)
        default: return nil
        }
    }
}

/// A file of bytes that appears whole or not at all.
enum WholeFile {
    /// Refuses a place that cannot take a file, before long work is done for it.
    static func check(_ path: String) throws(CommandFailure) {
        _ = try OutputFile(path)
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().map { $0 + "/" }.joined()
        if unsafe access(folder.isEmpty ? "." : folder, W_OK) == 0 { return }
        throw CommandFailure(
            errno == EACCES || errno == EROFS ? .noPermission : .cannotCreate,
            "\(path): cannot be created (\(systemMessage(errno)))", remedy: "Choose another name with -o.")
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        let target = try OutputFile(path)
        try target.whole {
            let descriptor = unsafe open(target.temporaryPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else {
                throw CommandFailure(
                    errno == EACCES || errno == EPERM ? .noPermission : .cannotCreate,
                    "\(path): cannot be created (\(systemMessage(errno)))", remedy: "Choose another name with -o.")
            }
            target.guardAgainstLeaving()
            defer { close(descriptor) }
            do throws(OutputError) {
                try StandardStream(descriptor: descriptor).write(bytes: bytes[...])
            } catch {
                guard case .failed(let number) = error else { throw error }
                throw CommandFailure(
                    .inputOutput, "\(path): cannot be written (\(systemMessage(number)))",
                    remedy: "Free some room, or choose another place with -o.")
            }
            return .success
        }
    }
}
