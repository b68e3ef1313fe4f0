// A folder of one test, and an echo server.
import Foundation
import Glibc
import Synchronization

@testable import RemoteControl

/// A private folder; removed with the last reference.
final class Folder {
    let path: String

    init() {
        var name = Array("/tmp/woodshed-remote-XXXXXX".utf8CString)
        _ = unsafe mkdtemp(&name)
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    subscript(name: String) -> String { "\(path)/\(name)" }

    func names(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: self[folder])) ?? []).sorted()
    }

    /// The permission bits and the owner of a name, not of a link's target.
    static func status(_ path: String) -> (mode: UInt32, owner: UInt32) {
        var status = stat()
        _ = unsafe lstat(path, &status)
        return (status.st_mode & 0o777, status.st_uid)
    }
}

/// A server that echoes each line, and remembers all lines.
final class Echo: Sendable {
    let server: SocketServer
    private let seen = Mutex<[String]>([])

    init(_ folder: Folder) throws {
        server = try SocketServer(runtime: folder.path)
        try server.start { [unowned self] request in
            seen.withLock { $0.append(request.line) }
            let follows = request.line == "follow" ? true : request.line == "unfollow" ? false : nil
            server.answer(request, "<\(request.line)>", follows: follows)
        }
    }

    /// Copied under the lock: the sanitizer does not see that the array's reference count orders a read before the next
    /// append.
    var lines: [String] { seen.withLock { $0.map(\.self) } }
}
