internal import Explanations
internal import Files
internal import Glibc
internal import Realtime
internal import Synchronization

/// A line sent by a program.
package struct ControlRequest: Equatable, Sendable {
    /// The connection.
    package let client: UInt64
    /// The line without its end.
    package let line: String

    package init(client: UInt64, line: String) { (self.client, self.line) = (client, line) }
}

/// A socket in the user's runtime folder, on which programs write lines and read JSON.
///
/// A separate thread polls the connections and hands lines to the run. The thread takes the next line of a connection
/// only after the previous answer. The total rate is limited to the lines that a run can carry out beside its own work;
/// other input waits in the system's buffers. So neither a flood nor a client that never reads takes memory or the
/// run's time.
package final class SocketServer: Sendable {
    /// The socket's path.
    package let path: String

    private let folder: SocketFolder
    private let name: String
    private let listener: Int32
    private let shared: Shared
    private let thread = Mutex<PlainThread?>(nil)

    /// The run's orders for the thread.
    final class Shared: Sendable {
        enum Order: Sendable {
            case answer(client: UInt64, text: String, follows: Bool?)
            case event(String)
            case close
        }

        let orders = Mutex<[Order]>([])
        let pipe: WakePipe
        let followerCount = Atomic<Int>(0)

        init(_ pipe: WakePipe) { self.pipe = pipe }

        deinit { pipe.closeBoth() }

        func put(_ order: Order) {
            orders.withLock { $0.append(order) }
            pipe.wake()
        }

        func take() -> [Order] {
            _ = pipe.drain()
            return orders.withLock { orders in
                defer { orders = [] }
                return orders
            }
        }
    }

    /// Creates the socket; connections wait until `start`.
    ///
    /// - Parameters:
    ///   - runtime: The value of XDG_RUNTIME_DIR.
    ///   - fallback: The folder for everybody's files.
    package init(runtime: String?, fallback: String = "/tmp") throws(ControlError) {
        do throws(WakePipeError) {
            shared = Shared(try WakePipe())
        } catch {
            throw ControlError(.socket, error, at: Self.place)
        }
        let folder = try SocketFolder(runtime: runtime, fallback: fallback)
        (listener, name) = try folder.exclusively { (isAlone) throws(ControlError) in
            if isAlone { folder.removeStale() }
            return try Self.listen(in: folder)
        }
        self.folder = folder
        path = folder.path + "/" + name
    }

    private static func listen(in folder: SocketFolder) throws(ControlError) -> (Int32, String) {
        let listener = SocketCalls.make()
        guard listener >= 0 else { throw failure(errno) }
        // If processes of another container use the folder too, a process ID may be taken.
        let names = ["control-\(getpid()).sock"] + (2..<10).map { "control-\(getpid())-\($0).sock" }
        for name in names {
            // The folder is private; these permissions protect a folder whose permissions were changed.
            _ = fchmod(listener, 0o600)
            guard SocketCalls.bind(listener, folder.reference(name)) else {
                if errno == EADDRINUSE { continue }
                let code = errno
                Glibc.close(listener)
                throw failure(code)
            }
            _ = unsafe fchmodat(folder.descriptor, name, 0o600, 0)
            guard SocketCalls.listen(listener) else {
                let code = errno
                Glibc.close(listener)
                folder.remove(name)
                throw failure(code)
            }
            return (listener, name)
        }
        Glibc.close(listener)
        throw failure(EADDRINUSE)
    }

    private static let place = "no control socket: "

    private static func failure(_ code: Int32) -> ControlError {
        if let limit = SystemLimit(errno: code) { return failure(limit) }
        return ControlError(
            .socket, place + systemText(code),
            remedy: "Close programs, or leave the socket out: --control none.")
    }

    private static func failure(_ limit: SystemLimit) -> ControlError {
        ControlError(.socket, limit, at: place)
    }

    /// Starts taking lines.
    ///
    /// - Parameter receive: Called on the thread of the sockets. Answer each request once.
    package func start(_ receive: @escaping @Sendable (ControlRequest) -> Void) throws(ControlError) {
        let loop = SocketLoop(listener: listener, shared: shared, receive: receive)
        guard let started = PlainThread(name: "woodshed-remote", { loop.run() }) else { throw Self.failure(.threads) }
        thread.withLock { $0 = started }
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - text: One line, without its end.
    ///   - follows: True if the client gets events from now on; nil changes nothing.
    package func answer(_ request: ControlRequest, _ text: String, follows: Bool? = nil) {
        if follows == true { shared.followerCount.add(1, ordering: .relaxed) }
        shared.put(.answer(client: request.client, text: text, follows: follows))
    }

    /// True if a client follows events.
    package var hasFollowers: Bool { shared.followerCount.load(ordering: .relaxed) > 0 }

    /// Sends an event to all followers.
    package func publish(_ text: String) {
        if hasFollowers { shared.put(.event(text)) }
    }

    /// Sends the pending output, for a short time at most, and removes the socket; call only once.
    package func close() {
        shared.put(.close)
        let started = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        started?.join()
        Glibc.close(listener)
        folder.remove(name)
    }
}
