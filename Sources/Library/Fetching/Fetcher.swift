internal import AudioFiles
public import Catalogue
internal import Database
internal import Explanations
internal import Files
internal import Glibc
internal import Realtime
internal import Store
internal import Synchronization
internal import TextFormats
public import Transfers

/// Fetches the recordings on a library's list, and adds them to the library.
///
/// The fetcher writes bytes to an unfinished file in the library's folder. A complete file that is recognised as a
/// recording and is on the disk gets its name, and then its entry in the store. A killed program therefore leaves an
/// unfinished file that can continue, or a complete recording. The list keeps unfinished fetches with their errors.
///
///     let fetcher = Fetcher(library, TransferSettings(userAgent: "example/1.0"))
///     Task { for await event in fetcher.events { print(event) } }
///     try fetcher.start(library.askFor("https://example.org/song.mp3"))
///
/// Threads: any. Real-time safe: no.
public final class Fetcher: Sendable {
    private struct Running {
        let fetch: PendingFetch
        var transfer: Transfer?
        /// Set while the user's helper program looks for the sound of a video.
        var isCancelled = false
        /// True if cancelling also removes the received bytes.
        var isDiscarding = false
        /// True if paused, possibly before the transfer exists.
        var isPaused = false
        /// Priority for the transfer.
        var priority: Int
        /// Location of the sound, as found by the user's helper program.
        var source: ExtractedSource?
        /// SHA-256 checksum against which the transfer checks the file; nil for none.
        var comparedSum: String?
        var finding = FetchedContent.Finding()
    }

    private struct State {
        var running: [Int: Running] = [:]
        /// Number of the fetch of each transfer.
        var numbers: [Int: Int] = [:]
    }

    private let library: RecordingLibrary
    private let queue: TransferQueue
    private let extractor: Extractor?
    private let sizeLimit: Int64
    private let cache = ExtractionCache()
    private let state = Mutex(State())
    private let broadcast = EventBroadcast<FetchEvent> { if case .progress = $0.kind { true } else { false } }
    private let threads = FetchThreads()

    /// Creates a fetcher. Fetches nothing yet.
    ///
    /// - Parameters:
    ///   - library: The library, with its list.
    ///   - settings: Limits, retries and the network.
    ///   - sizeLimit: Longest accepted file, in bytes.
    public convenience init(
        _ library: RecordingLibrary, _ settings: TransferSettings, sizeLimit: Int64 = 20_000_000_000
    ) {
        self.init(library, settings, extractor: nil, sizeLimit: sizeLimit)
    }

    /// Also fetches the sound of videos.
    ///
    /// - Parameter extractor: The user's helper program that finds the sound of videos; nil for none.
    package init(
        _ library: RecordingLibrary, _ settings: TransferSettings, extractor: Extractor?,
        sizeLimit: Int64 = 20_000_000_000
    ) {
        (self.library, self.extractor, self.sizeLimit) = (library, extractor, sizeLimit)
        queue = TransferQueue(settings)
        queue.observe { [weak self] in self?.take($0) }
    }

    /// Events from now on. Every reader gets each event once, in order. The sequence ends with the fetcher. A sequence
    /// keeps 2^20 unread events: the oldest 2^19 reports of progress, and the newest other events.
    public var events: AsyncStream<FetchEvent> { broadcast.stream }

    /// Calls `observer` with each event, on a thread of the fetcher. The observer must not block this thread.
    package func observe(_ observer: @escaping @Sendable (FetchEvent) -> Void) { broadcast.observe(observer) }

    /// True if no fetch is running or waiting.
    public var isIdle: Bool { state.withLock { $0.running.isEmpty } }

    // MARK: Requests

    /// Starts or queues a fetch. A fetch that is already running is not affected.
    public func start(_ fetch: PendingFetch) {
        let isNew = state.withLock { state in
            guard state.running[fetch.number] == nil else { return false }
            state.running[fetch.number] = Running(fetch: fetch, priority: fetch.priority)
            return true
        }
        guard isNew else { return }
        // On the job thread: these steps read the disk, and adding a complete file may compute for a while.
        threads.run { [self] in
            library.removeUnwanted(fetch.address)
            if let item = fetched(fetch) {
                return finish(fetch, item, isNew: false)
            }
            let whole = library.folder.parts + "/" + RecordingLibrary.partName(fetch.address)
            if FileIdentity(path: whole) != nil { return takeIn(fetch, whole, name: nil) }
            if let link = VideoLink(fetch.address) { return extract(link, fetch) }
            add(fetch, nil)
        }
    }

    /// Pauses a fetch. Keeps the received bytes.
    public func pause(_ number: Int) { setPaused(number, true) }

    /// Resumes a fetch.
    public func resume(_ number: Int) { setPaused(number, false) }

    /// Changes the place of a fetch among the waiting fetches, but not the priority on the list.
    package func setPriority(_ number: Int, _ priority: Int) {
        // Under the lock, as for pauses.
        state.withLock { state in
            state.running[number]?.priority = priority
            state.running[number]?.transfer?.setPriority(priority)
        }
    }

    /// Cancels a fetch.
    ///
    /// - Parameters:
    ///   - number: Number of the fetch.
    ///   - discarding: True to remove the received bytes. If false, the fetch can continue later.
    public func cancel(_ number: Int, discarding: Bool = false) {
        let transfer = state.withLock { state in
            state.running[number]?.isCancelled = true
            state.running[number]?.isDiscarding = discarding
            return state.running[number]?.transfer
        }
        transfer?.cancel(discarding: discarding)
    }

    /// Cancels a fetch that another program has removed from the list. Removes the received bytes if the other program
    /// asked for the removal.
    package func leave(_ fetch: PendingFetch) { cancel(fetch.number, discarding: library.isUnwanted(fetch.address)) }

    /// Cancels all fetches. Keeps the received bytes.
    public func cancelAll() {
        for number in state.withLock({ Array($0.running.keys) }) { cancel(number) }
    }

    /// Cancels all fetches, and blocks until all have ended. Afterwards no thread of the fetcher uses the library. Do
    /// not call this method in a task or an observer.
    public func close() {
        cancelAll()
        queue.closeAndWait()
        // The ends of transfers, and the user's helper programs, still have jobs then.
        threads.waitUntilIdle()
        broadcast.end()
    }

    private func setPaused(_ number: Int, _ isPaused: Bool) {
        // Under the lock, so that the transfer gets pauses and resumes in the order of the calls.
        state.withLock { state in
            state.running[number]?.isPaused = isPaused
            let transfer = state.running[number]?.transfer
            if isPaused { transfer?.pause() } else { transfer?.resume() }
        }
    }

    // MARK: Steps

    /// Returns the library's recording from this address, if the file of the recording exists.
    private func fetched(_ fetch: PendingFetch) -> LibraryItem? {
        guard let item = try? library.item(from: fetch.address), !item.isTrashed, !item.isMissing else {
            return nil
        }
        return item
    }

    /// Runs the user's helper program to find the sound of a video, on a separate thread.
    private func extract(_ link: VideoLink, _ fetch: PendingFetch) {
        guard let extractor else {
            return fail(
                fetch,
                FetchRefusal(
                    .needsExtractor,
                    "\(fetch.publicAddress): this is a page of a video site, not a recording",
                    remedy:
                        "Name a program that finds the sound of videos: woodshed config set extractor \"yt-dlp -j -f bestaudio\""
                ))
        }
        let now = RecordingLibrary.now
        if let known = cache?.source(for: link, now: now) {
            return add(fetch, known)
        }
        tell(fetch, .extracting)
        threads.runAside(name: "woodshed-extract") { [self] in
            do throws(ExtractorError) {
                let source = try extractor.extract(link) { [self] in !isCancelled(fetch.number) }
                _ = cache?.keep(source, for: link, now: now)
                add(fetch, source)
            } catch {
                if isCancelled(fetch.number) { return endCancelled(fetch) }
                fail(fetch, error)
            }
        }
    }

    private func isCancelled(_ number: Int) -> Bool { state.withLock { $0.running[number]?.isCancelled ?? true } }

    /// - Parameter source: Location of the sound, as found by the user's helper program; nil if the address itself is
    ///   the recording's.
    private func add(_ fetch: PendingFetch, _ source: ExtractedSource?) {
        if let source { state.withLock { $0.running[fetch.number]?.source = source } }
        do {
            try library.folder.make()
            var request = TransferRequest(
                try WebAddress(source?.address ?? fetch.address),
                to: library.folder.parts + "/" + RecordingLibrary.partName(fetch.address),
                sha256: fetch.wishes.sha256, sizeLimit: sizeLimit)
            request.headers = source?.headers ?? []
            request.rejectedPath = RecordingLibrary.rejectedName(ofPart: request.path + ".part")
            let earlierBytes = library.keptBytes(of: fetch)
            request.acceptsAnswer = { [library] answer in
                try FetchedContent.accept(answer)
                // Without a stated length, expect at least the bytes of the earlier attempt.
                try library.checkQuota(adding: answer.byteCount ?? earlierBytes)
            }
            request.acceptsBytes = { [library] count in
                // If the store cannot be read at the moment, the next piece of bytes repeats the check.
                do { try library.checkQuota(adding: count) } catch is StoreError {}
            }
            request.check = { [weak self] part in
                let finding = try FetchedContent.check(part)
                self?.state.withLock { $0.running[fetch.number]?.finding = finding }
                return nil
            }
            let transfer = try state.withLock { (state) throws(TransferError) -> Transfer? in
                guard let running = state.running[fetch.number], !running.isCancelled else { return nil }
                request.priority = running.priority
                let transfer = try queue.add(request)
                state.numbers[transfer.id] = fetch.number
                state.running[fetch.number]?.transfer = transfer
                state.running[fetch.number]?.comparedSum = request.sha256
                if running.isPaused { transfer.pause() }
                return transfer
            }
            if transfer == nil { endCancelled(fetch) }
        } catch let error as any ExplainedError {
            fail(fetch, error)
        } catch {
            fail(fetch, Self.unexplained(error))
        }
    }

    /// Adds a complete part to the library as a recording.
    private func takeIn(_ fetch: PendingFetch, _ path: String, name: String?) {
        let running = state.withLock { $0.running[fetch.number] }
        let finding = running?.finding
        do {
            let added = try added(
                fetch, path, named: name ?? FetchedContent.name(of: running?.source?.address ?? fetch.address), running)
            var item = added.item
            if let loudness = finding?.loudness {
                // The recording is as good without its loudness.
                try? library.setLoudness(loudness, of: item.number)
                item = (try? library.item(item.number)) ?? item
            }
            item = library.completeSource(of: item, with: fetch.address)
            // If the library already had the recording, the part was not moved.
            _ = library.calls.remove(path)
            _ = library.calls.remove(RecordingLibrary.rejectedName(ofPart: path + ".part"))
            finish(fetch, item, isNew: added.isNew, note: finding?.note)
        } catch {
            fail(fetch, error as? any ExplainedError ?? Self.unexplained(error))
        }
    }

    /// Returns the error for an error without words.
    private static func unexplained(_ error: any Error) -> TransferError {
        TransferError(.disk, "\(error)", remedy: "Fetch the address again. If the fault remains, check the disk.")
    }

    /// Adds a part with its present description on the list: another program may have added to the description since
    /// the fetch began.
    private func added(
        _ fetch: PendingFetch, _ path: String, named name: String, _ running: Running?
    ) throws -> AddedItem {
        let source = running?.source
        var changes = 0
        while true {
            let fetch = try library.current(fetch) ?? fetch
            if let sum = fetch.wishes.sha256, sum != running?.comparedSum { try compare(path, sum, fetch) }
            do {
                return try library.takeIn(partAt: path, named: name, for: fetch) { words in
                    // The title of the video says more than the name of a sound file.
                    if let title = source?.title { words.title = title }
                    if let artist = source?.artist, words.artist.isEmpty { words.artist = artist }
                    fetch.wishes.apply(to: &words)
                    if words.source.isEmpty { words.source = fetch.address }
                }
            } catch let error as RecordingLibraryError where error.kind == .changed && changes < Self.mostChanges {
                changes += 1
            }
        }
    }

    /// Maximum number of changes to the description while a recording is being added.
    private static let mostChanges = 8

    /// Compares a complete file with a checksum that arrived too late for the transfer. A file with another checksum is
    /// kept beside the parts; otherwise the address could not be fetched again.
    private func compare(_ path: String, _ sum: String, _ fetch: PendingFetch) throws(TransferError) {
        let place = (try? WebAddress(fetch.address))?.shown ?? FetchedContent.name(of: fetch.address)
        do throws(TransferError) { try FetchedFile.compare(fileAt: path, sha256: sum, from: place) } catch {
            let kept = RecordingLibrary.rejectedName(ofPart: path + ".part")
            guard error.kind == .checksum, library.calls.rename(path, to: kept) >= 0 else { throw error }
            throw TransferError(error.kind, error.message, remedy: "\(error.remedy) The received file is kept: \(kept)")
        }
    }

    private func finish(_ fetch: PendingFetch, _ item: LibraryItem, isNew: Bool, note: String? = nil) {
        // Adding a new recording has already removed the fetch. A row that exists by now may belong to another request.
        if !isNew { _ = try? library.changeFetches { (rows) throws(DatabaseError) in try rows.remove(fetch) } }
        end(fetch, .finished(item, isNew: isNew), note: note)
    }

    /// - Parameter told: Bytes kept by the transfer; 0 if the transfer ended before counting, or if there was no
    ///   transfer.
    private func fail(_ fetch: PendingFetch, _ error: any ExplainedError, keptBytes told: Int64 = 0) {
        var keptBytes = told
        // A fetch that another program is running has not failed.
        if (error as? TransferError)?.kind != .heldByOther {
            if told == 0 { keptBytes = library.keptBytes(of: fetch) }
            let now = RecordingLibrary.now
            _ = try? library.changeFetches { (rows) throws(DatabaseError) in
                try rows.fail(fetch, error.message, error.remedy, at: now)
                try rows.note(fetch, done: keptBytes, total: fetch.totalBytes)
            }
        }
        end(fetch, .failed(error, keptBytes: keptBytes))
    }

    /// - Parameter told: As for `fail`.
    private func endCancelled(_ fetch: PendingFetch, keptBytes told: Int64 = 0) {
        let isDiscarding = state.withLock { $0.running[fetch.number]?.isDiscarding ?? false }
        if isDiscarding {
            // The transfer removes its own part, but not a part not yet opened.
            library.removeParts(of: fetch.address)
        } else {
            library.removeUnwanted(fetch.address)
        }
        // A part that is being removed may still exist for a moment.
        let kept = told > 0 || isDiscarding ? told : library.keptBytes(of: fetch)
        _ = try? library.changeFetches { (rows) throws(DatabaseError) in
            try rows.note(fetch, done: kept, total: fetch.totalBytes)
        }
        end(fetch, .cancelled(keptBytes: kept))
    }

    private func end(_ fetch: PendingFetch, _ kind: FetchEvent.Kind, note: String? = nil) {
        state.withLock { $0.running[fetch.number] = nil }
        tell(fetch, kind, note: note)
    }

    private func tell(
        _ fetch: PendingFetch, _ kind: FetchEvent.Kind, note: String? = nil, restart: RestartReason? = nil
    ) {
        broadcast.tell(
            FetchEvent(number: fetch.number, address: fetch.address, kind: kind, note: note, restart: restart))
    }

    // MARK: Events of transfers

    /// Called on the transfers' thread.
    private func take(_ event: TransferEvent) {
        let fetch: PendingFetch? = state.withLock { state in
            guard let number = state.numbers[event.id] else { return nil }
            if event.isLast { state.numbers[event.id] = nil }
            return state.running[number]?.fetch
        }
        guard let fetch else { return }
        switch event.kind {
        case .queued: break
        case .connecting(let place): tell(fetch, .connecting(place))
        case .downloading(let answer, let from): tell(fetch, .downloading(from: from, total: answer.byteCount))
        case .progress(let progress): tell(fetch, .progress(progress))
        case .restarted(let reason): tell(fetch, .restarted(reason.words), restart: reason)
        case .retrying(let seconds, let error): tell(fetch, .retrying(afterSeconds: seconds, error))
        case .paused: tell(fetch, .paused)
        case .resumed: tell(fetch, .resumed)
        case .analysing: tell(fetch, .analysing)
        case .finished(let file):
            threads.run { [self] in takeIn(fetch, file.path, name: file.answer.suggestedName) }
        case .failed(let error, let kept):
            forgetExtraction(fetch, error)
            threads.run { [self] in fail(fetch, error, keptBytes: kept) }
        case .cancelled(let kept):
            threads.run { [self] in endCancelled(fetch, keptBytes: kept) }
        }
    }

    /// Forgets a found address that the server now refuses. The next fetch looks for the address again.
    private func forgetExtraction(_ fetch: PendingFetch, _ error: TransferError) {
        guard let link = VideoLink(fetch.address) else { return }
        switch error.kind {
        case .unauthorised, .notFound, .gone: _ = cache?.forget(link)
        default: break
        }
    }
}
