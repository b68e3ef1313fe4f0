internal import Glibc

/// One connection. Whatever the other side sends, or does not read, it takes a bounded amount of memory here.
struct SocketClient {
    /// The end of the lines that a client has sent, or one line of it.
    enum Input: Equatable {
        case line(String)
        case tooLong
        case notText
    }

    let id: UInt64
    let descriptor: Int32
    /// Whether it gets all events.
    var follows = false
    /// A line of it is with the run, and the answer is not there yet. Meanwhile nothing more is read.
    var isWaiting = false
    /// When it last said something, or came, as a count of the server's turns.
    var lastTurn: UInt64 = 0
    /// Whether it has ever written a line.
    var hasSpoken = false
    /// The other side will send no more.
    private(set) var isOver = false
    /// The other side reads nothing any more; what it has sent before still counts.
    private(set) var isDeaf = false
    /// The connection is of no use any more.
    private(set) var isBroken = false

    private var input: [UInt8] = []
    private var output: [UInt8] = []
    /// Bytes of the longest line of those in `output`.
    private var longestWaiting = 0
    /// The rest of a line that was too long is dropped.
    private var skipsLine = false

    /// Longest line, without its end, in bytes.
    static let longestLine = 4096
    /// Unread answers, in bytes, with which no further line is read.
    static let outputLimit = 16 << 10
    /// Unread events, in bytes, with which a follower is dropped: it would otherwise hold ever more memory. The longest line is not counted,
    /// because its reader had no time to read it.
    static let followerLimit = 256 << 10

    init(id: UInt64, descriptor: Int32) { (self.id, self.descriptor) = (id, descriptor) }

    var wantsToRead: Bool { !isWaiting && !isOver && !isBroken && output.count < Self.outputLimit && !hasLine }
    var wantsToWrite: Bool { !output.isEmpty && !isBroken }
    /// Everything was said and answered.
    var isDone: Bool {
        isBroken || (isOver && !isWaiting && (!follows || isDeaf) && output.isEmpty && !hasLine)
    }
    /// Whether a line, or one that is too long, can be taken.
    var hasLine: Bool { input.contains(UInt8(ascii: "\n")) || input.count > Self.longestLine }
    /// Bytes that it holds.
    var heldBytes: Int { input.count + output.count }

    /// Reads what is there, at most a line and a bit.
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
            // Half a line is no command: "quit" may have been the beginning of "quit forget".
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

    /// Puts a line on its way.
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

    /// Nobody reads the answers any more. Lines that were sent before are carried out: a script may write and leave.
    mutating func noteHangUp() {
        isDeaf = true
        output = []
    }
}
