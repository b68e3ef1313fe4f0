import Foundation
import TestSupport
import Testing

@Suite("Program that runs beside the tests")
struct ServerProgramTests {
    @Test("a server program inherits no descriptor of the tests, and ends with its last reference")
    func descriptors() throws {
        // Without a close, every child inherits the pipes' descriptors.
        let pipes = (0..<20).map { _ in Pipe() }
        let script = "import os, sys; print(len(os.listdir('/proc/self/fd')), flush=True); sys.stdin.read()"
        var server = ServerProgram(["python3", "-c", script])
        // Input, output, errors, and the folder that the child lists.
        #expect(server?.line() == "4")
        server = nil
        withExtendedLifetime(pipes) {}
        #expect(ServerProgram(["woodshed-no-such-program"], isQuiet: true)?.line() == nil)
    }
}
