import Glibc
import Testing

@testable import AudioDevices

/// A configuration of alsa-lib's own plug-ins for this process, in place of the machine's: no test reaches a real card.
enum ALSARig {
    /// Must be touched before alsa-lib is used at all: it reads its configuration once.
    static let directory: String = {
        var template = Array("/tmp/woodshed-alsa-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { return "/nonexistent" }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let configuration = """
            pcm.void { type null hint { show on description "Plays
            into nothing" } }
            pcm.ear { type null hint { show on description "Records" device_input on } }
            pcm.capture {
                @args [ PATH ]
                @args.PATH { type string }
                type file
                slave.pcm { type null }
                file $PATH
                format raw
            }
            pcm.!default { type hw card 31 hint { show on description "No such card" } }
            pcm.nothing { type alaw slave { pcm { type null } format S16_LE } }
            pcm.integers { type linear slave { pcm { type null } format S16_LE } }
            pcm.slow { type plug slave { pcm { type null } rate 44100 } }
            # Takes a buffer and never plays it: as dead a device as a plug-in can be.
            pcm.pair {
                type multi
                slaves.a { pcm { type null } channels 2 }
                bindings { 0 { slave a channel 0 } 1 { slave a channel 1 } }
            }
            """
        write(configuration, to: path + "/asound.conf")
        unsafe setenv("ALSA_CONFIG_PATH", path + "/asound.conf", 1)
        // Left behind only when the process dies.
        atexit { ALSARig.removeDirectory() }
        return path
    }()

    private static func removeDirectory() {
        unsafe unlink(directory + "/asound.conf")
        unsafe rmdir(directory)
    }

    static func write(_ text: String, to path: String) {
        guard let file = unsafe fopen(path, "w") else { return }
        unsafe fputs(text, file)
        unsafe fclose(file)
    }

    /// The bytes of a file; empty when there is none.
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
