// The command's handling of unfinished takes and of takes whose files are missing.
import Glibc
import Testing

@testable import WoodshedCLI

@Suite("Unfinished takes at the command line")
struct RecoveryTests {
    private let folder = TestFolder()

    private func record(_ arguments: String...) -> Finished {
        Command.run(["record"] + arguments, environment: ["XDG_STATE_HOME": folder.path])
    }

    @Test("a take on a disconnected disk is reported, and stays listed until record --forget")
    func unreachable() {
        for name in ["woodshed", "woodshed/takes"] { _ = unsafe mkdir(folder[name], 0o700) }
        let take = folder["disk/riff.wav"]
        let head =
            #"{"v":1,"path":"\#(take)","device":1,"inode":1,"birth":1,"container":"wav","format":"int24","#
            + #""rate":48000,"channels":1,"start":5}"#
        folder.write("woodshed/takes/a.take", Array("\(head)\n{\"mark\":\"solo\",\"frame\":3}\n".utf8))
        let told = record("--recover")
        #expect(told.status == 0 && told.error.contains(take) && told.error.contains("1 mark"), "\(told.error)")
        #expect(told.error.contains("--forget \(take)"))
        let json = record("--recover", "--json")
        #expect(
            json.text.hasPrefix(#"{"v":1,"event":"recording.unreachable","path":"\#(take)","reason":""#), "\(json.text)"
        )
        #expect(folder.names(in: "woodshed/takes").contains("a.take"))
        let other = record("--forget", folder["disk/other.wav"])
        #expect(other.status == 66 && other.error.contains("other.wav") && other.error.contains("--recover"))
        #expect(folder.names(in: "woodshed/takes").contains("a.take"))
        let forgotten = record("--forget", take)
        #expect(forgotten.status == 0 && !folder.names(in: "woodshed/takes").contains("a.take"), "\(forgotten.error)")
        #expect(record("--recover").error.contains("No take is unfinished"))
        #expect(record("--recover", "--forget", take).status == 64)
    }

    @Test("record --forget takes any name that leads to the take's file, also on a disconnected disk")
    func spellings() {
        for name in ["woodshed", "woodshed/takes", "here"] { _ = unsafe mkdir(folder[name], 0o700) }
        _ = unsafe symlink(folder.path, folder["link"])
        let take = folder["disk/my riff.wav"]
        let head =
            #"{"v":1,"path":"\#(take)","device":1,"inode":1,"birth":1,"container":"wav","format":"int24","#
            + #""rate":48000,"channels":1,"start":5}"#
        let spellings = [
            "disk/my riff.wav", "./disk/my riff.wav", "here/../disk//./my riff.wav", "disk/../disk/my riff.wav",
            "link/disk/my riff.wav", folder["./disk/my riff.wav"], folder["link/disk/my riff.wav"],
        ]
        for spelling in spellings {
            folder.write("woodshed/takes/a.take", Array("\(head)\n".utf8))
            #expect(record("--recover").error.contains("--forget '\(take)'"))
            let forgotten = Command.run(
                ["record", "--forget", spelling], environment: ["XDG_STATE_HOME": folder.path], folder: folder.path)
            #expect(forgotten.status == 0, "\(spelling): \(forgotten.error)")
            #expect(!folder.names(in: "woodshed/takes").contains("a.take"))
        }
    }
}
