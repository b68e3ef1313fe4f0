internal import CCurl
internal import Explanations
internal import Files
internal import Libraries
internal import Realtime

/// Commands and reports of other threads to the network thread.
enum Command: Sendable {
    case add(Transfer)
    /// Pauses a transfer. Nil, here and below, means all transfers.
    case pause(Int?)
    case resume(Int?)
    case cancel(Int?, discarding: Bool)
    case priority(Int, Int)
    /// The part is open, and nothing else uses it.
    case opened(Transfer, PartFile, PartFile.Beginning)
    case notOpened(Int, TransferError)
    /// The part is ready for the bytes of an exchange.
    case prepared(Int, exchange: Int, TransferError?)
    /// The bytes are on the disk.
    case noted(Int, TransferError?)
    /// The part is closed, and holds `keptBytes` bytes.
    case settled(Int, keptBytes: Int64)
    /// The complete part has its final name, or was refused.
    case checked(Int, Result<FetchedFile, TransferError>, keptBytes: Int64)
    /// The complete part is not the whole file. The part is still open.
    case cutOff(Transfer, PartFile, TransferError)
}

/// State shared by the queue's owner, its transfers and the network thread.
final class QueueCore: @unchecked Sendable {
    let settings: TransferSettings
    let hooks: TransferHooks
    let events = EventBroadcast<TransferEvent> { $0.isProgress }

    private let lock = ConditionLock()
    // The lock guards all properties below.
    private var inbox: [Command] = []
    private var isClosed = false
    private var lastID = 0
    /// The network's loop; nil while there is no network thread.
    private var loop: NetworkLoop?
    /// Number of open parts and of jobs waiting for the disk.
    private var fileWork = 0
    /// Functions to call once no work is left.
    private var whenIdle: [@Sendable () -> Void] = []

    init(_ settings: TransferSettings, _ hooks: TransferHooks) { (self.settings, self.hooks) = (settings, hooks) }

    deinit { events.end() }

    /// Adds a transfer, and starts the network thread if none is running.
    func add(_ request: TransferRequest) throws(TransferError) -> Transfer {
        if let sha256 = request.sha256, Checksum(.sha256, hexadecimal: sha256) == nil {
            throw TransferError(
                .badAddress, "the SHA-256 checksum does not have 64 hexadecimal digits",
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
                        remedy: SystemLimit.threads.remedy, exitStatus: SystemLimit.threads.exitStatus))
            }
            self.loop = loop
            return .success(transfer)
        }.get()
    }

    /// Sends a command; returns false if there are no transfers.
    @discardableResult
    func post(_ command: Command) -> Bool {
        lock.withLock {
            guard let loop else { return false }
            inbox.append(command)
            loop.wake()
            return true
        }
    }

    /// Returns the commands since the last call. Returns nil if the inbox is empty and the thread is idle; the thread
    /// must then end.
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

    /// Counts open parts and jobs, for `waitUntilIdle` and `whenIdle`.
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

    /// Calls `body` once no transfer, no open part and no job remains; at once if none remains already.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        lock.withLock {
            whenIdle.append(body)
            tellIdle()
        }
    }

    /// Waits until no transfer, open part or job remains. Blocks the calling thread.
    func waitUntilIdle() {
        lock.withLock { while loop != nil || fileWork > 0 { lock.wait() } }
    }

    /// Calls the waiting functions if no work is left. Requires the lock.
    private func tellIdle() {
        guard loop == nil, fileWork == 0 else { return }
        for body in whenIdle { body() }
        whenIdle = []
        lock.wakeAll()
    }
}
