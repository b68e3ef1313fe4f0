// Commands from sources beside the keyboard, carried out by their run. The threads of sockets and controllers only post
// reports to the run's inbox. Everything here is called on the thread of the run's loop.
import Explanations
import Glibc
import JSON
import RemoteControl
import Settings
import Synchronization
import Terminal
import UserState

/// A report of the threads of sockets and controllers.
enum RemoteNews: Sendable {
    case request(ControlRequest)
    /// News of the controller with an index.
    case controller(Int, ControllerNews)
    /// Result of storing a learned pedal.
    case stored([String])
}

/// A run under remote control.
protocol RemoteControlled: AnyObject {
    /// Carries out the words of actions, as a key would.
    func carryOut(words: String) throws(ArgumentError)
    /// The run's state, for programs.
    var statusFields: [JSONValue.Field] { get }
    /// The known command words.
    var commandWords: [String] { get }
    /// Says lines to the user.
    func say(_ lines: [String], evenQuiet: Bool)
    /// Receives each message for the user, even where nothing is printed.
    var listener: (([String]) -> Void)? { get set }
}

/// The socket and the controllers of a run.
final class RemoteDesk {
    private let verb: String
    private let server: SocketServer?
    private let sources: [any ControllerSource]
    private var threads: [ControllerThread] = []
    private var put: (@Sendable (RemoteNews) -> Void)?
    private let isOver = Once()
    private var isClosed = false
    private var map: ControllerMap
    private var learning = Learning.nothing

    /// True once the run is over; later requests are then refused. The release store pairs with the acquiring load.
    private final class Once: Sendable {
        private let flag = Atomic<Bool>(false)
        var isSet: Bool { flag.load(ordering: .acquiring) }
        func set() { flag.store(true, ordering: .releasing) }
    }

    /// Opens the sources of control; nil for none.
    ///
    /// - Parameter verb: The run's verb, for programs.
    static func open(_ ways: ControlWays, verb: String, _ layers: SettingsLayers) throws -> RemoteDesk? {
        if ways.isNone { return nil }
        let map = ways.ports.isEmpty ? ControllerMap() : try ControllerMap(layers)
        var sources: [any ControllerSource] = []
        do {
            for port in ways.ports {
                let isPath = port.hasPrefix("/")
                sources.append(isPath ? try ByteSource(path: port) : try SequencerSource(port: port))
            }
            let server = ways.hasSocket ? try SocketServer(runtime: environmentVariable("XDG_RUNTIME_DIR")) : nil
            return RemoteDesk(verb, server, sources, map)
        } catch {
            sources.forEach { $0.close() }
            throw error
        }
    }

    private init(_ verb: String, _ server: SocketServer?, _ sources: [any ControllerSource], _ map: ControllerMap) {
        (self.verb, self.server, self.sources, self.map) = (verb, server, sources, map)
    }

    deinit { close() }

    private var hasControllers: Bool { !sources.isEmpty }

    /// Begins to listen.
    ///
    /// - Parameter put: Posts a report for the run; called on other threads.
    /// - Returns: Lines for the user.
    func start(_ put: @escaping @Sendable (RemoteNews) -> Void) -> [String] {
        self.put = put
        var lines: [String] = []
        if let server {
            let isOver = isOver
            do throws(ControlError) {
                try server.start { [weak server] request in
                    guard isOver.isSet else { return put(.request(request)) }
                    server?.answer(
                        request, ControlAnswer.refused(request.line, "the run is over", remedy: "Start another run."))
                }
                lines.append("control: \(server.path)")
            } catch {
                lines += [error.message, error.remedy]
            }
        }
        for source in sources {
            let index = threads.count
            do throws(ControlError) {
                let thread = try ControllerThread()
                try thread.start(source) { put(.controller(index, $0)) }
                threads.append(thread)
            } catch {
                source.close()
                lines += [error.message, error.remedy]
            }
        }
        return lines
    }

    /// Refuses all further requests; final events are still sent.
    func finish() { isOver.set() }

    /// Closes sources and socket. Pending data is sent for a fifth of a second at most.
    ///
    /// - Parameter leavingControllers: True to leave the controllers open, before the end of the process: the device of
    ///   a controller may not answer.
    func close(leavingControllers: Bool = false) {
        guard !isClosed else { return }
        isClosed = true
        if !leavingControllers {
            if put == nil { sources.forEach { $0.close() } }
            threads.forEach { $0.stop() }
        }
        server?.close()
    }

    // MARK: Events

    /// True if a program follows the events.
    var hasFollowers: Bool { server?.hasFollowers ?? false }

    /// Sends an event to the programs following them.
    func publish(_ line: String) { server?.publish(line) }

    // MARK: Reports

    func take(_ news: RemoteNews, _ run: some RemoteControlled) {
        switch news {
        case .request(let request): answer(request, run)
        case .controller(let index, .pressed(let trigger)):
            if threads.indices.contains(index) { threads[index].carriedOut() }
            press(trigger, run)
        case .controller(_, .connected(let name)): run.say(["controller: \(name)"], evenQuiet: false)
        case .controller(_, .lost(let name)):
            run.say(["the controller \(name) is gone; it is used again when it is back"], evenQuiet: true)
        case .controller(_, .missing(let name, let others)):
            let there = others.isEmpty ? "" : "; there are: " + others.joined(separator: ", ")
            run.say(["there is no controller \(name) yet; it is used when it comes\(there)"], evenQuiet: true)
        case .stored(let lines): run.say(lines, evenQuiet: true)
        }
    }

    private func press(_ trigger: ControllerTrigger, _ run: some RemoteControlled) {
        guard !learn(trigger, run) else { return }
        guard let words = map.words(for: trigger) else { return }
        // A recorder skips words of a player, and a player skips words of a recorder: a single pedal can then end
        // either.
        for part in words.split(separator: ";") { try? run.carryOut(words: String(part)) }
    }

    /// Posts a report of work done on another thread.
    private func report(_ body: @escaping @Sendable () -> RemoteNews) {
        guard let put else { return }
        BlockingThread.start { put(body()) }
    }

    // MARK: Requests

    private func answer(_ request: ControlRequest, _ run: some RemoteControlled) {
        guard let server else { return }
        let words = request.line.split(separator: " ").joined(separator: " ")
        switch words {
        case "status":
            let head: [JSONValue.Field] = [.init("verb", .string(verb)), .init("pid", .integer(Int(getpid())))]
            server.answer(request, ControlAnswer.done(words, head + run.statusFields))
        case "follow", "unfollow": server.answer(request, ControlAnswer.done(words), follows: words == "follow")
        case "help":
            var known: Set<String> = []
            let all = (["status", "follow", "unfollow", "help"] + run.commandWords).filter { known.insert($0).inserted }
            server.answer(
                request, ControlAnswer.done(words, [.init("commands", .array(all.map { .string($0) }))]))
        case "":
            server.answer(
                request,
                ControlAnswer.refused(request.line, "the line is empty", remedy: "Write a command; help lists them."))
        default: carryOut(request, server, run)
        }
    }

    private func carryOut(_ request: ControlRequest, _ server: SocketServer, _ run: some RemoteControlled) {
        var said: [String] = []
        run.listener = { said += $0 }
        defer { run.listener = nil }
        do throws(ArgumentError) {
            try run.carryOut(words: request.line)
            server.answer(
                request, ControlAnswer.done(request.line, [.init("words", .array(said.map { .string($0) }))]))
        } catch {
            server.answer(
                request,
                ControlAnswer.refused(
                    request.line, error.message, remedy: "\(error.remedy) Write help for the commands."))
        }
    }
}

// Learning a pedal: the user presses the pedal, then the key of its future action.
extension RemoteDesk {
    /// Stages of learning.
    private enum Learning: Equatable {
        case nothing
        case forPress
        /// Waiting for the key.
        case forKey(ControllerTrigger)
    }

    /// Message for a run without a controller.
    static let noController = "no controller is used; start with --control midi"

    /// Starts learning, or cancels.
    func toggleLearning(_ run: some RemoteControlled) {
        guard hasControllers else {
            return run.say([Self.noController], evenQuiet: true)
        }
        guard learning == .nothing else { return giveUp(run) }
        learning = .forPress
        run.say(
            ["press the pedal or button to be learned, then the key of its action; Escape gives up"], evenQuiet: true)
    }

    private func giveUp(_ run: some RemoteControlled) {
        learning = .nothing
        run.say(["nothing learned"], evenQuiet: true)
    }

    /// Takes a press while learning.
    ///
    /// - Returns: True if learning used the press.
    private func learn(_ trigger: ControllerTrigger, _ run: some RemoteControlled) -> Bool {
        switch learning {
        case .nothing: return false
        // The release of the pedal has no other meaning meanwhile.
        case .forKey: return true
        case .forPress:
            // The release of a pad is no press. A pedal may be wired in reverse and report "up" when pressed.
            if trigger.isUp, case .note = trigger.part { return true }
            let trigger = ControllerTrigger(trigger.part, isUp: trigger.isUp)
            learning = .forKey(trigger)
            run.say(["\(trigger): now the key of its action"], evenQuiet: true)
            return true
        }
    }

    /// Takes a key while learning.
    ///
    /// - Parameter actions: The key's actions.
    /// - Returns: True if learning used the key.
    func learn(_ key: KeyBytes.Key, _ actions: [KeyAction], _ run: some RemoteControlled) -> Bool {
        if learning == .nothing { return false }
        if key == .plain(0x1B) || actions == [.learn] {
            giveUp(run)
            return true
        }
        guard case .forKey(let trigger) = learning else { return false }
        guard !actions.isEmpty else {
            run.say(["this key does nothing; press another, or Escape"], evenQuiet: true)
            return true
        }
        learning = .nothing
        let words = actions.map(\.words).joined(separator: "; ")
        map[trigger] = words
        // Another program may lock the file, and neither sound nor keys may wait for the lock.
        report { .stored(Self.store(trigger, words)) }
        return true
    }

    /// Stores the assignment for later runs.
    ///
    /// - Returns: Lines for the user.
    private static func store(_ trigger: ControllerTrigger, _ words: String) -> [String] {
        let learned = "\(trigger) = \(words)"
        guard let file = SettingsFile() else { return ["\(learned), in this run only: there is no home folder"] }
        do throws(SettingsFile.Fault) {
            try file.change { text in
                text.set(SettingsLayers.controllerPrefix + trigger.description, to: words)
                return true
            }
            return ["learned: \(learned)"]
        } catch {
            let failure = SettingsLayers.failure(error, path: file.path)
            return ["\(learned), in this run only: \(failure.message)"]
        }
    }
}
