internal import CCurl
internal import Files
internal import Libraries
internal import Realtime

/// What other threads ask of the network's thread, or tell it.
enum Command: Sendable {
    case add(Transfer)
    /// Nil means all transfers.
    case pause(Int?)
    case resume(Int?)
    case cancel(Int?, discarding: Bool)
    case priority(Int, Int)
    /// The part is open.
    case opened(Int, Result<OpenedPart, TransferError>)
    /// The part is ready for the bytes of an exchange.
    case prepared(Int, exchange: Int, TransferError?)
    /// Bytes are on the disk.
    case noted(Int, TransferError?)
    /// The part is closed, with so many bytes.
    case settled(Int, keptBytes: Int64)
    /// The complete part has its name, or was refused.
    case checked(Int, Result<FetchedFile, TransferError>, keptBytes: Int64)
    /// The complete part, which is still open, is not the whole file.
    case cutOff(Transfer, PartFile, TransferError)
}

/// A part, and what is there.
struct OpenedPart: Sendable {
    let part: PartFile
    let beginning: PartFile.Beginning
    let record: PartRecord
    let transfer: Transfer
}

/// What the queue's owner, its transfers and the network's thread share.
final class QueueCore: @unchecked Sendable {
    let settings: TransferSettings
    let hooks: TransferHooks
    let events = EventBroadcast<TransferEvent>()

    private let lock = ConditionLock()
    // All only under the lock.
    private var inbox: [Command] = []
    private var isClosed = false
    private var lastID = 0
    /// The network's thread, while there is one.
    private var loop: NetworkLoop?
    /// Parts that are open, and jobs that wait for the disk.
    private var fileWork = 0
    /// Called when there is nothing left to do.
    private var whenIdle: [@Sendable () -> Void] = []

    init(_ settings: TransferSettings, _ hooks: TransferHooks) { (self.settings, self.hooks) = (settings, hooks) }

    deinit { events.end() }

    /// Adds a transfer, and starts the network's thread if there is none.
    func add(_ request: TransferRequest) throws(TransferError) -> Transfer {
        if let sha256 = request.sha256, Checksum(.sha256, hexadecimal: sha256) == nil {
            throw TransferError(
                .badAddress, "the SHA-256 checksum is not one: it must have 64 hexadecimal digits",
                remedy: "Copy the whole checksum.")
        }
        let functions = try Curl.functions()
        return try lock.withLock { () -> Result<Transfer, TransferError> in
            if isClosed { return .failure(.cancelled) }
            lastID += 1
            let transfer = Transfer(id: lastID, request, self)
            inbox.append(.add(transfer))
            if let loop {
                loop.wake()
                return .success(transfer)
            }
            guard let loop = NetworkLoop(self, functions), loop.start() else {
                inbox = []
                return .failure(
                    TransferError(
                        .unexpected, "the system has no thread or no memory left for a transfer",
                        remedy: "End other programs."))
            }
            self.loop = loop
            return .success(transfer)
        }.get()
    }

    /// Sends a command; false if there are no transfers.
    @discardableResult
    func post(_ command: Command) -> Bool {
        lock.withLock {
            guard let loop else { return false }
            inbox.append(command)
            loop.wake()
            return true
        }
    }

    /// The commands since the last call; nil if there are none and none are wanted: then the thread must end.
    func take(isIdle: Bool) -> [Command]? {
        lock.withLock {
            if inbox.isEmpty, isIdle {
                loop = nil
                tellIdle()
                return nil
            }
            defer { inbox = [] }
            return inbox
        }
    }

    /// Counts open parts and jobs, for `waitUntilIdle`.
    func countFileWork(_ change: Int) {
        lock.withLock {
            fileWork += change
            tellIdle()
        }
    }

    func beginClosing() {
        lock.withLock { isClosed = true }
        post(.cancel(nil, discarding: false))
    }

    /// Calls `body` when there is no transfer, no open part, and no job for one; at once if that is so already.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        lock.withLock {
            whenIdle.append(body)
            tellIdle()
        }
    }

    /// The same, for a thread that may wait.
    func waitUntilIdle() {
        lock.withLock { while loop != nil || fileWork > 0 { lock.wait() } }
    }

    /// Call it under the lock.
    private func tellIdle() {
        guard loop == nil, fileWork == 0 else { return }
        for body in whenIdle { body() }
        whenIdle = []
        lock.wakeAll()
    }
}
