// The processes that Swift Testing starts for tests.
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Processes of tests")
struct ExitTestTests {
    @Test("a process of a test ends by itself if the body of the test hangs")
    func end() async {
        // Seconds until the end.
        await #expect(processExitsWith: .success) { exit(alarm(0) > 0 ? 0 : 1) }
    }

    @Test("a program that a process of a test leaves behind does not delay the test")
    func leftBehind() async throws {
        let path = NSTemporaryDirectory() + "/woodshed-left-\(UInt64.random(in: 0...UInt64.max))"
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        await #expect(processExitsWith: .success) { [path = path as String] in
            // The program ends when the file is gone. After half an hour the program reports that the test still
            // waits: on a busy machine, the test may be told of the end minutes later.
            let script = """
                i=0; while [ -e '\(path)' ] && [ $i -lt 18000 ]; do sleep 0.1; i=$((i + 1)); done
                [ ! -e '\(path)' ] || touch '\(path).waits'
                """
            exit(unsafe system("(\(script)) </dev/null >/dev/null 2>&1 &") == 0 ? 0 : 1)
        }
        let hasWaited = FileManager.default.fileExists(atPath: path + ".waits")
        for name in [path, path + ".waits"] { try? FileManager.default.removeItem(atPath: name) }
        #expect(!hasWaited)
    }
}
