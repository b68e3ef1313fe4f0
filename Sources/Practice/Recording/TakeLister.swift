internal import AudioDevices
internal import AudioFiles
internal import Files
internal import Glibc
internal import Realtime
internal import Recording
package import Store
internal import Synchronization
internal import Takes
internal import UserState

/// Adds takes of a session to the list of takes, on a separate thread: another program may hold the store for seconds,
/// and neither the take nor the player may wait.
final class TakeLister: @unchecked Sendable {
    // Unchecked because a lock guards the mutable values.
    let events = EventBroadcast<PracticeTakeEvent>()

    private let settings: PracticeRecorder.Settings
    private let (sampleRate, channelCount): (Int, Int)
    private let inputFrame: @Sendable (Hearing) -> Double
    private let lock = ConditionLock()
    private var news: [TimedTakeEvent] = []
    /// Takes that have not ended.
    private var takes: [Int: RecordedTake] = [:]
    /// Positions of these takes, and of takes still to begin.
    private var places: [Int: (model: StoredTake.Model, hearing: Hearing)] = [:]
    private var isOver = false
    private var thread: PlainThread?

    /// Number of waiting events from which on a take that is dropped before the report of its beginning leaves no
    /// event: passes too short for a take come faster than a locked store lists takes.
    static let mostDropped = 1024

    /// - Parameters:
    ///   - input: The configuration of the input.
    ///   - inputFrame: Returns the input frame at which a model's first frame comes back, as far as known at the call.
    init(
        _ settings: PracticeRecorder.Settings, _ input: StreamConfiguration,
        inputFrame: @escaping @Sendable (Hearing) -> Double
    ) {
        self.settings = settings
        self.inputFrame = inputFrame
        sampleRate = input.sampleRate
        channelCount = settings.channels.count(inputChannels: input.channelCount)
    }

    /// Starts the thread. If the system has no thread left, `finish()` lists all takes.
    func start() {
        lock.withLock {
            guard !isOver, thread == nil else { return }
            thread = PlainThread(name: "woodshed-list") { [self] in
                while let event = next() { handle(event) }
                events.end()
            }
        }
    }

    /// Waits until every take is listed, or has failed to be. No event may follow.
    func finish() {
        let running = end()
        if running == nil { while let event = next() { handle(event) } }
        running?.join()
        events.end()
    }

    /// Lets the thread end by itself once every take is listed. No event may follow. Unlike `finish()`, any thread may
    /// call this method, even the thread that lists.
    func abandon() {
        if let running = end() { running.detach() } else { finish() }
    }

    /// Returns the thread; the caller joins or detaches it.
    private func end() -> PlainThread? {
        lock.withLock {
            defer { thread = nil }
            isOver = true
            lock.wakeAll()
            return thread
        }
    }

    /// Describes a new take, with a free file name.
    func take(_ id: Int, first: Int64) -> RecordedTake {
        let section = lock.withLock { places[id]?.model.sectionName } ?? ""
        var take = RecordedTake(
            id: id, path: TakeName(settings.folder, settings.name, section: section).free(), model: nil,
            firstInputFrame: first, time: Int64(time(nil)))
        return lock.withLock {
            if let place = places[id] { take.lie(on: place.model, zero: inputFrame(place.hearing)) }
            takes[id] = take
            return take
        }
    }

    /// Sets the position of a take on a pass. Call this method before the take's end event.
    func place(_ id: Int, _ model: StoredTake.Model, _ hearing: Hearing) {
        lock.withLock {
            places[id] = (model, hearing)
            takes[id]?.lie(on: model, zero: inputFrame(hearing))
        }
    }

    /// Receives an event, on the writer's thread.
    ///
    /// While the store stands still, at most three events of each take on the disk wait: beginning, lost frames, end.
    func put(_ event: TimedTakeEvent) {
        lock.withLock {
            if !isMerged(event) { news.append(event) }
            lock.wakeAll()
        }
    }

    /// Merges an event with a waiting event of the same take, if possible. The caller holds the lock.
    private func isMerged(_ event: TimedTakeEvent) -> Bool {
        guard let index = news.lastIndex(where: { $0.id == event.id }) else { return false }
        switch (event, news[index]) {
        case (.lost(let id, let frame, let frames), .lost(_, _, let earlier)):
            news[index] = .lost(id: id, frame: frame, lostFrames: earlier + frames)
            return true
        case (.dropped(let id, _), _):
            guard news.count >= Self.mostDropped, news.contains(where: { $0.isBeginning(of: id) }) else { return false }
            news.removeAll { $0.id == id }
            (takes[id], places[id]) = (nil, nil)
            return true
        default: return false
        }
    }

    private func next() -> TimedTakeEvent? {
        lock.withLock {
            while news.isEmpty, !isOver { lock.wait(milliseconds: 1000) }
            return news.isEmpty ? nil : news.removeFirst()
        }
    }

    private func handle(_ event: TimedTakeEvent) {
        switch event {
        case .began(let id, _, _):
            guard var take = known(id) else { return }
            list(&take, frameCount: 0)
            events.tell(.began(take))
        case .lost(let id, _, let frames): if let take = known(id) { events.tell(.lost(take, lostFrames: frames)) }
        case .dropped(let id, _):
            guard let take = known(id) else { return }
            if let number = take.number { try? settings.store?.forget(take: number) }
            forget(id)
            events.tell(.dropped(take))
        case .ended(let id, let end):
            finish(id, end)
            forget(id)
        }
    }

    private func forget(_ id: Int) { lock.withLock { (takes[id], places[id]) = (nil, nil) } }

    private func finish(_ id: Int, _ end: TimedTakeEnd) {
        // The round trip may be known better than at the take's beginning.
        lock.withLock {
            if let place = places[id] { takes[id]?.lie(on: place.model, zero: inputFrame(place.hearing)) }
        }
        guard var take = known(id) else {
            // A take refused before it had a file has no name either.
            let refused = RecordedTake(id: id, path: "", firstInputFrame: 0, time: Int64(time(nil)))
            if let failure = end.failure { events.tell(.failed(refused, failure)) }
            return
        }
        guard end.path != nil else {
            if let failure = end.failure { events.tell(.failed(take, failure)) } else { events.tell(.dropped(take)) }
            return
        }
        if let failure = end.failure { events.tell(.failed(take, failure)) }
        let isListed = list(&take, frameCount: end.frameCount)
        var end = end
        // A take missing from the list is found again once nobody holds its receipt.
        if isListed { end.receipt?.settle() }
        end.receipt = nil
        events.tell(.ended(take, end))
    }

    /// Lists a take, or updates its length.
    @discardableResult
    private func list(_ take: inout RecordedTake, frameCount: Int64) -> Bool {
        guard let store = settings.store else { return true }
        do throws(StoreError) {
            take.number = try store.addTake(
                inFileAt: take.path,
                StoredTake.Sound(
                    time: take.time, sampleRate: sampleRate, channelCount: channelCount, frameCount: frameCount,
                    device: settings.device), model: take.model, of: settings.recording
            ).number
        } catch {
            // No report during the recording, because the end of the take tries again.
            if frameCount > 0 { events.tell(.unlisted(take, error)) }
            return false
        }
        lock.withLock { takes[take.id]?.number = take.number }
        return true
    }

    private func known(_ id: Int) -> RecordedTake? { lock.withLock { takes[id] } }
}

extension TimedTakeEvent {
    /// The number of the take.
    fileprivate var id: Int {
        switch self {
        case .began(let id, _, _), .lost(let id, _, _), .ended(let id, _), .dropped(let id, _): id
        }
    }

    /// True for the beginning of a take.
    fileprivate func isBeginning(of take: Int) -> Bool { if case .began(take, _, _) = self { true } else { false } }
}

extension RecordedTake {
    fileprivate mutating func lie(on model: StoredTake.Model, zero: Double) {
        self.model = model
        self.model?.start = zero - Double(firstInputFrame)
    }
}

/// The name of a take's file: name of the recording, section, date and time.
struct TakeName {
    private let folder: String
    private let stem: String

    /// - Parameters:
    ///   - name: The beginning of the name.
    ///   - section: The name of the section; empty for none.
    init(_ folder: String, _ name: String, section: String) {
        self.folder = folder
        var moment = timeval()
        unsafe gettimeofday(&moment, nil)
        let stamp = LocalTime(Int64(moment.tv_sec))?.stamp ?? String(moment.tv_sec)
        stem = ([name, section].filter { !$0.isEmpty }.map(Self.plain) + [stamp]).joined(separator: "-")
    }

    /// Returns an unused path, with a number if necessary.
    func free() -> String {
        var (path, number) = ("\(folder)/\(stem).wav", 2)
        while FileIdentity(path: path) != nil {
            path = "\(folder)/\(stem)-\(number).wav"
            number += 1
        }
        return path
    }

    /// Returns a text as a part of a file name: without slashes, control characters and leading dots, and of limited
    /// length.
    private static func plain(_ text: String) -> String {
        var name = ""
        for character in text {
            guard name.utf8.count + character.utf8.count <= 80 else { break }
            let isPlain = character.isLetter || character.isNumber || character == "-" || character == "_"
            let next: Character = isPlain ? character : "_"
            if next == "_", name.last == "_" || name.isEmpty { continue }
            name.append(next)
        }
        while name.last == "_" { name.removeLast() }
        return name.isEmpty ? "take" : name
    }
}

extension PracticeRecorder {
    /// Returns the folder of this user's takes, created if missing: `woodshed/takes` below `$XDG_DATA_HOME`, by default
    /// `~/.local/share`. Real-time safe: no.
    ///
    /// - Throws: `StoreError` if there is no home, or the folder cannot be created.
    package static func makeUserFolder() throws(StoreError) -> String {
        guard let data = DataFolder.path else { throw .noHome }
        let folder = data + "/takes"
        do throws(LockedFile.Fault) { try StateFolder.makeFolders(above: folder + "/take") } catch {
            throw .system(folder, error.code)
        }
        return folder
    }
}
