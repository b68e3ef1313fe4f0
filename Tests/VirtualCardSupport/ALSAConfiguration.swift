// VirtualCardSupport: sound cards for tests. One ALSA configuration for the process replaces the machine's, with
// virtual cards made to order. No test with this configuration reaches a real card.
internal import Glibc

/// The configuration of alsa-lib for this process.
public enum ALSAConfiguration {
    /// The folder of the configuration; tests may leave files of their own there.
    ///
    /// Must be touched before any use of alsa-lib, which reads the configuration once. Programs started by tests
    /// inherit the configuration by the environment.
    public static let directory: String = {
        var template = Array("/tmp/woodshed-alsa-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { return "/nonexistent" }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let file = unsafe fopen(path + "/asound.conf", "w") else { return "/nonexistent" }
        unsafe fputs(text, file)
        unsafe fclose(file)
        unsafe setenv("ALSA_CONFIG_PATH", path + "/asound.conf", 1)
        // Left behind only when the process dies.
        atexit { ALSAConfiguration.removeDirectory() }
        return path
    }()

    private static func removeDirectory() {
        unsafe unlink(directory + "/asound.conf")
        unsafe rmdir(directory)
    }

    /// Where the package's build left the plug-in: beside the test binary.
    static let plugInPath: String = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        let program = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let folder = program.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        return folder + "/libVirtualCardPlugIn.so"
    }()

    /// alsa-lib's own plug-ins as missing, picky or odd devices, and any virtual card by name.
    private static var text: String {
        """
        pcm_type.virtual_card { lib "\(plugInPath)" }
        pcm.virtual {
            @args [ CARD ]
            @args.CARD { type string }
            type virtual_card
            card $CARD
        }
        ctl_type.virtual_mixer { lib "\(plugInPath)" }
        # A mixer where nothing gets through, and one where all does.
        ctl.muted {
            type virtual_mixer
            elements {
                "Master Playback Switch" 0
                "Master Playback Volume" 70
                "PCM Playback Volume" 0
                "Capture Capture Switch" 0
                "Capture Capture Volume" 40
            }
        }
        pcm.muted { type null }
        ctl.heard { type virtual_mixer elements { "Master Playback Switch" 1 "Master Playback Volume" 70 } }
        pcm.heard { type null }
        pcm.plugged {
            @args [ CARD ]
            @args.CARD { type string }
            type plug
            slave.pcm { type virtual_card card $CARD }
        }
        pcm.void { type null hint { show on description "Plays
        into nothing" } }
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
    }
}
