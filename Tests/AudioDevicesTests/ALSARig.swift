import Glibc
import Testing
import VirtualCardSupport

@testable import AudioDevices

/// Files for tests that play on ALSA's own plug-ins.
enum ALSARig {
    /// Must be touched before any use of alsa-lib, which reads its configuration once.
    static var directory: String { ALSAConfiguration.directory }

    /// The bytes of a file; empty without a file.
    static func read(_ path: String) -> [UInt8] {
        guard let file = unsafe fopen(path, "r") else { return [] }
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }
}
