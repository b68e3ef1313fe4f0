// Signals during the writing of a file.
import Explanations
import Files
import Glibc
import Terminal
import Testing

@testable import WoodshedCLI

@Suite("Watched writing of a file")
struct WatchedWritingTests {
    /// A pipe like that of the signals.
    private let pipe: WakePipe

    init() throws { pipe = try WakePipe() }

    /// Does what the handler of a signal does.
    private func send(_ number: Int32) {
        var byte = UInt8(truncatingIfNeeded: number)
        #expect(unsafe write(pipe.writeEnd, &byte, 1) == 1)
    }

    @Test(
        "a signal that comes too late to cancel a file gives the exit status of the command, and the file counts",
        arguments: [SIGINT, SIGTERM, SIGHUP, SIGWINCH], [true, false])
    func late(number: Int32, isSeen: Bool) throws {
        defer { pipe.closeBoth() }
        let statuses: [Int32: Explanations.ExitStatus] = [SIGINT: .interrupted, SIGTERM: .terminated, SIGHUP: .hangup]
        let status = statuses[number] ?? .success
        let signals = pipe.readEnd
        let (value, ending) = try WatchedWriting.run("cards.apkg", signals, draws: false) { _, isCancelled -> Int in
            send(number)
            if isSeen { #expect(isCancelled() == (status != .success)) }
            return 7
        }
        #expect(value == 7 && ending == status)
    }

    @Test("a cancelled file ends the command with the status of the signal, and without a signal with the cause")
    func cancelled() throws {
        defer { pipe.closeBoth() }
        let cause = CommandFailure(.inputOutput, "the disk is full")
        for number in [nil, SIGTERM] {
            let failure = #expect(throws: CommandFailure.self) {
                try WatchedWriting.run("cards.apkg", pipe.readEnd, draws: false) { _, _ -> Int in
                    if let number { send(number) }
                    throw cause
                }
            }
            #expect(failure?.exitStatus == (number == nil ? .inputOutput : .terminated))
        }
    }
}
