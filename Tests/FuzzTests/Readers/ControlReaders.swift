import Explanations
import Glibc
import JSON

@testable import RemoteControl

/// Lines of other programs, and bytes of controllers.
enum ControlReaders {
    /// Lines on the socket, read as by the socket's thread, and the answers; the same bytes as a controller's bytes and
    /// as the name of a pedal. A run compares the words of a line with the known words.
    static func control(_ bytes: [UInt8]) throws -> Bool {
        var cable = ControllerBytes()
        for message in cable.messages(bytes) {
            try BrokenPromise.check(
                (1...16).contains(message.channel) && (0...127).contains(message.value), "a press is out of range")
        }
        let connection = try Connection()
        var client = SocketClient(id: 1, descriptor: connection.own)
        var isLine = false
        var rest = bytes[...]
        while !rest.isEmpty, !client.isBroken {
            // Lines come in pieces of any length.
            let sent = SocketCalls.send(connection.other, rest.prefix(997))
            if sent <= 0 { break }
            rest = rest.dropFirst(sent)
            if client.wantsToRead { client.read() }
            while let input = client.nextLine() {
                if try take(input) { isLine = true }
            }
            try BrokenPromise.check(client.heldBytes <= 4 * SocketClient.longestLine, "a client holds ever more memory")
        }
        return isLine
    }

    /// Whether a run gets the line.
    private static func take(_ input: SocketClient.Input) throws -> Bool {
        guard case .line(let line) = input else { return false }
        let answer = ControlAnswer.refused(line, "a", remedy: "b")
        try BrokenPromise.check(
            !answer.utf8.contains(10) && JSONValue(reading: Array(answer.utf8))?["command"]?.stringValue == line,
            "the answer to a line is not one line of JSON")
        if let trigger = ControllerTrigger(line) {
            try BrokenPromise.check(ControllerTrigger(trigger.description) == trigger, "a pedal's name is another one")
        }
        return true
    }

    private struct Connection: ~Copyable {
        let (own, other): (Int32, Int32)

        init() throws {
            var ends: [Int32] = [-1, -1]
            let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
                throw ControlError(.socket, "no sockets: \(errno)", remedy: "Close files.")
            }
            (own, other) = (ends[0], ends[1])
        }

        deinit {
            close(own)
            close(other)
        }
    }
}
