internal import Glibc

/// One connection. Its memory is bounded, even if the other side floods or never reads.
struct SocketClient {
    /// A received line, or the reason why the line was refused.
    enum Input: Equatable {
        case line(String)
        case tooLong
        case notText
    }

    let id: UInt64
    let descriptor: Int32
    /// True if the client gets all events.
    var follows = false
    /// True while the run handles a line of the client. No more input is read before the answer.
    var isWaiting = false
    /// The server's turn at the client's last line, or at its connection.
    var lastTurn: UInt64 = 0
    /// True if the client has ever sent a line.
    var hasSpoken = false
    /// True if the other side will send no more.
    private(set) var isOver = false
    /// True if the other side no longer reads; its earlier lines still count.
    private(set) var isDeaf = false
    /// True if the connection is unusable.
    private(set) var isBroken = false

    private var input: [UInt8] = []
    private var output: [UInt8] = []
    /// Length of the longest line in `output`, in bytes.
    private var longestWaiting = 0
    /// True while the rest of a line that was too long is dropped.
    private var skipsLine = false

    /// Longest line, without its end, in bytes.
    static let longestLine = 4096
    /// Limit of unread answers, in bytes: above this limit no further line is read.
    static let outputLimit = 16 << 10
    /// Limit of unread events, in bytes: a follower above the limit is dropped, because its memory would keep growing.
    /// The longest line does not count, because its reader had no time to read the line.
    static let followerLimit = 256 << 10

    init(id: UInt64, descriptor: Int32) { (self.id, self.descriptor) = (id, descriptor) }

    var wantsToRead: Bool { !isWaiting && !isOver && !isBroken && output.count < Self.outputLimit && !hasLine }
    var wantsToWrite: Bool { !output.isEmpty && !isBroken }
    /// True if all input was answered.
    var isDone: Bool {
        isBroken || (isOver && !isWaiting && (!follows || isDeaf) && output.isEmpty && !hasLine)
    }
    /// True if a line, even an overlong line, is ready.
    var hasLine: Bool { input.contains(UInt8(ascii: "\n")) || input.count > Self.longestLine }
    /// Bytes held in memory.
    var heldBytes: Int { input.count + output.count }

    /// Reads the available bytes, at most slightly more than a line.
    mutating func read() {
        let room = Self.longestLine + 1
        var received = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            received = unsafe recv(descriptor, buffer.baseAddress, room, 0)
            count = max(0, received)
        }
        if received > 0 {
            input += bytes
            dropSkipped()
        } else if received == 0 {
            // Half a line is no command: "quit" may be the beginning of "quit forget".
            isOver = true
            if !hasLine { input = [] }
        } else if errno != EAGAIN, errno != EINTR {
            isBroken = true
        }
    }

    /// Takes the next line.
    mutating func nextLine() -> Input? {
        guard let end = input.firstIndex(of: UInt8(ascii: "\n")) else {
            guard input.count > Self.longestLine else { return nil }
            input = []
            skipsLine = true
            return .tooLong
        }
        var line = input[..<end]
        input = Array(input[(end + 1)...])
        guard line.count <= Self.longestLine else { return .tooLong }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard !line.contains(0), let text = String(validating: line, as: UTF8.self) else { return .notText }
        return .line(text)
    }

    private mutating func dropSkipped() {
        guard skipsLine else { return }
        guard let end = input.firstIndex(of: UInt8(ascii: "\n")) else {
            input = []
            return
        }
        input = Array(input[(end + 1)...])
        skipsLine = false
    }

    /// Queues a line for sending.
    mutating func write(_ text: String) {
        guard !isDeaf else { return }
        output += Array(text.utf8)
        output.append(UInt8(ascii: "\n"))
        longestWaiting = max(longestWaiting, text.utf8.count + 1)
        send()
        if output.count - longestWaiting > Self.followerLimit { isBroken = true }
    }

    mutating func send() {
        defer { if output.isEmpty { longestWaiting = 0 } }
        while !output.isEmpty, !isBroken {
            let count = SocketCalls.send(descriptor, output[...])
            if count > 0 {
                output.removeFirst(count)
            } else if count < 0, errno == EINTR {
                continue
            } else {
                if count < 0, errno != EAGAIN { noteHangUp() }
                return
            }
        }
    }

    /// Stops sending, because the other side no longer reads. Earlier lines are still carried out: a script may write
    /// and leave.
    mutating func noteHangUp() {
        isDeaf = true
        output = []
    }
}
