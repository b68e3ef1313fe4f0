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
/// Bytes are written to an unfinished file in the library's folder. When the file is complete, was recognised as a recording and is on the disk, it
/// gets its name, and then its entry in the store. So a program that is killed leaves an unfinished file that can continue, or a complete
/// recording. The list keeps what is not done, and why.
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
        /// Set while a program of the user's looks for the sound of a video.
        var isCancelled = false
        /// Whether the received bytes are to be removed.
        var isDiscarding = false
        /// Whether it shall stand still, which may be said before there is a transfer.
        var isPaused = false
        /// Where a program of the user's has found the sound.
        var source: ExtractedSource?
        /// The SHA-256 checksum with which the transfer compares the file; nil if there is none.
        var comparedSum: String?
        var finding = FetchedContent.Finding()
    }

    private struct State {
        var running: [Int: Running] = [:]
        /// The fetch of each transfer.
        var numbers: [Int: Int] = [:]
    }

    private let library: RecordingLibrary
    private let queue: TransferQueue
    private let extractor: Extractor?
    private let sizeLimit: Int64
    private let cache = ExtractionCache()
    private let state = Mutex(State())
    private let broadcast = EventBroadcast<FetchEvent>()
    /// Takes files in, one after another; nil if the system makes no thread, and then the transfers' thread does.
    private let jobs = JobThread(name: "woodshed-keep")

    /// Makes a fetcher. Nothing is fetched yet.
    ///
    /// - Parameters:
    ///   - library: the library, with its list.
    ///   - settings: limits, retries and the network.
    ///   - extractor: the user's helper program that finds the sound of videos; nil for none.
    ///   - sizeLimit: the longest file that is accepted, in bytes.
    public init(
        _ library: RecordingLibrary, _ settings: TransferSettings, extractor: Extractor? = nil,
        sizeLimit: Int64 = 20_000_000_000
    ) {
        (self.library, self.extractor, self.sizeLimit) = (library, extractor, sizeLimit)
        queue = TransferQueue(settings)
        queue.observe { [weak self] in self?.take($0) }
    }

    deinit { jobs?.end() }

    /// Events from now on. Every reader gets each event once, in order. The sequence ends with the fetcher.
    public var events: AsyncStream<FetchEvent> { broadcast.stream }

    /// Calls `observer` with each event, on a thread of the fetcher's, which it must not hold up.
    package func observe(_ observer: @escaping @Sendable (FetchEvent) -> Void) { broadcast.observe(observer) }

    /// Whether no fetch is running or waiting.
    public var isIdle: Bool { state.withLock { $0.running.isEmpty } }

    // MARK: Requests

    /// Starts a fetch, or queues it. Has no effect on one that is running.
    public func start(_ fetch: PendingFetch) {
        let isNew = state.withLock { state in
            guard state.running[fetch.number] == nil else { return false }
            state.running[fetch.number] = Running(fetch: fetch)
            return true
        }
        guard isNew else { return }
        // Both look at the disk, and the second may compute for a while.
        run { [self] in
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

    /// Pauses a fetch; the received bytes are kept.
    public func pause(_ number: Int) { setPaused(number, true) }

    /// Resumes a fetch.
    public func resume(_ number: Int) { setPaused(number, false) }

    /// Cancels a fetch.
    ///
    /// - Parameters:
    ///   - number: the fetch.
    ///   - discarding: whether the received bytes are removed. If not, the fetch can continue later.
    public func cancel(_ number: Int, discarding: Bool = false) {
        let transfer = state.withLock { state in
            state.running[number]?.isCancelled = true
            state.running[number]?.isDiscarding = discarding
            return state.running[number]?.transfer
        }
        transfer?.cancel(discarding: discarding)
    }

    /// Cancels a fetch that another program has taken off the list; its received bytes are removed if that program has asked for it.
    package func leave(_ fetch: PendingFetch) { cancel(fetch.number, discarding: library.isUnwanted(fetch.address)) }

    /// Cancels all fetches; the received bytes are kept.
    public func cancelAll() {
        for number in state.withLock({ Array($0.running.keys) }) { cancel(number) }
    }

    /// Cancels all fetches, and blocks until they have ended. Do not call it in a task.
    public func close() {
        cancelAll()
        queue.closeAndWait()
        broadcast.end()
    }

    private func setPaused(_ number: Int, _ isPaused: Bool) {
        // Under the lock, so that the transfer is told in the order in which it was asked for.
        state.withLock { state in
            state.running[number]?.isPaused = isPaused
            let transfer = state.running[number]?.transfer
            if isPaused { transfer?.pause() } else { transfer?.resume() }
        }
    }

    private func run(_ job: @escaping @Sendable () -> Void) {
        if let jobs { jobs.add(job) } else { job() }
    }

    // MARK: Steps

    /// The recording of the library that came from this address, if its file is there.
    private func fetched(_ fetch: PendingFetch) -> LibraryItem? {
        guard let item = try? library.item(from: fetch.address), !item.isTrashed, !item.isMissing else {
            return nil
        }
        return item
    }

    /// Lets the user's program look for the sound of a video, on a thread of its own.
    private func extract(_ link: VideoLink, _ fetch: PendingFetch) {
        guard let extractor else {
            return fail(
                fetch,
                FetchRefusal(
                    kind: .needsExtractor,
                    message: "\(fetch.publicAddress): this is a video site, which is not a recording",
                    remedy:
                        "Name a program of yours that finds its sound: woodshed config set extractor \"yt-dlp -j -f bestaudio\""
                ))
        }
        let now = RecordingLibrary.now
        if let known = cache?.source(for: link, now: now) {
            return add(fetch, known)
        }
        tell(fetch, .extracting)
        let work: @Sendable () -> Void = { [self] in
            do throws(ExtractorError) {
                let source = try extractor.extract(link) { [self] in !isCancelled(fetch.number) }
                _ = cache?.keep(source, for: link, now: now)
                add(fetch, source)
            } catch {
                if isCancelled(fetch.number) { return endCancelled(fetch) }
                fail(fetch, error)
            }
        }
        guard let thread = PlainThread(name: "woodshed-extract", work) else { return work() }
        thread.detach()
    }

    private func isCancelled(_ number: Int) -> Bool { state.withLock { $0.running[number]?.isCancelled ?? true } }

    /// - Parameter source: Where a program of the user's has found the sound; nil if the address is the recording's own.
    private func add(_ fetch: PendingFetch, _ source: ExtractedSource?) {
        if let source { state.withLock { $0.running[fetch.number]?.source = source } }
        do {
            try library.folder.make()
            var request = TransferRequest(
                try WebAddress(source?.address ?? fetch.address),
                to: library.folder.parts + "/" + RecordingLibrary.partName(fetch.address), priority: fetch.priority,
                sha256: fetch.wishes.sha256, sizeLimit: sizeLimit)
            request.headers = source?.headers ?? []
            request.rejectedPath = RecordingLibrary.rejectedName(ofPart: request.path + ".part")
            let earlierBytes = library.keptBytes(of: fetch.address)
            request.acceptsAnswer = { [library] answer in
                try FetchedContent.accept(answer)
                // Without a length, at least what came before will come.
                try library.checkQuota(adding: answer.byteCount ?? earlierBytes)
            }
            request.acceptsBytes = { [library] count in
                // A store that cannot be read at the moment is asked again.
                do { try library.checkQuota(adding: count) } catch is StoreError {}
            }
            request.check = { [weak self] part in
                let finding = try FetchedContent.check(part)
                self?.state.withLock { $0.running[fetch.number]?.finding = finding }
                return nil
            }
            let transfer = try state.withLock { (state) throws(TransferError) -> Transfer? in
                guard state.running[fetch.number]?.isCancelled == false else { return nil }
                let transfer = try queue.add(request)
                state.numbers[transfer.id] = fetch.number
                state.running[fetch.number]?.transfer = transfer
                state.running[fetch.number]?.comparedSum = request.sha256
                if state.running[fetch.number]?.isPaused == true { transfer.pause() }
                return transfer
            }
            if transfer == nil { endCancelled(fetch) }
        } catch let error as any ExplainedError {
            fail(fetch, error)
        } catch {
            fail(fetch, TransferError(.disk, "\(error)", remedy: ""))
        }
    }

    /// A part is complete: it becomes a recording of the library.
    private func takeIn(_ fetch: PendingFetch, _ path: String, name: String?) {
        let running = state.withLock { $0.running[fetch.number] }
        let finding = running?.finding
        do {
            let added = try added(
                fetch, path, named: name ?? FetchedContent.name(of: running?.source?.address ?? fetch.address), running)
            var item = added.item
            if let loudness = finding?.loudness {
                // Without it the recording is as good.
                try? library.setLoudness(loudness, of: item.number)
                item = (try? library.item(item.number)) ?? item
            }
            item = library.completeSource(of: item, with: fetch.address)
            // Where it was known already, nothing was moved.
            _ = library.calls.remove(path)
            _ = library.calls.remove(RecordingLibrary.rejectedName(ofPart: path + ".part"))
            finish(fetch, item, isNew: added.isNew, note: finding?.note)
        } catch {
            fail(fetch, error as? any ExplainedError ?? TransferError(.disk, "\(error)", remedy: ""))
        }
    }

    /// Adds a part as the list describes it by now: another program may have told more of it since the fetch began.
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
                    // The video's own title says more than the name of a file of sound.
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

    /// The description may change so often while a recording is added.
    private static let mostChanges = 8

    /// Compares a complete file with a checksum that was told too late for its transfer. A file with another one is kept beside the parts, because the
    /// address could not be fetched anew otherwise.
    private func compare(_ path: String, _ sum: String, _ fetch: PendingFetch) throws(TransferError) {
        let place = (try? WebAddress(fetch.address))?.shown ?? FetchedContent.name(of: fetch.address)
        do throws(TransferError) { try FetchedFile.compare(fileAt: path, sha256: sum, from: place) } catch {
            let kept = RecordingLibrary.rejectedName(ofPart: path + ".part")
            guard error.kind == .checksum, library.calls.rename(path, to: kept) >= 0 else { throw error }
            throw TransferError(
                error.kind, error.message, remedy: "\(error.remedy) What the server sent is kept: \(kept)")
        }
    }

    private func finish(_ fetch: PendingFetch, _ item: LibraryItem, isNew: Bool, note: String? = nil) {
        // The step that added a new one has done it; a row that is there by now may be another request's.
        if !isNew { _ = try? library.changeFetches { (rows) throws(DatabaseError) in try rows.remove(fetch) } }
        end(fetch, .finished(item, isNew: isNew), note: note)
    }

    /// - Parameter told: The bytes that the transfer has kept; 0 if it ended before it looked at them, or if there was none.
    private func fail(_ fetch: PendingFetch, _ error: any ExplainedError, keptBytes told: Int64 = 0) {
        var keptBytes = told
        // What another program fetches at the moment has not failed.
        if (error as? TransferError)?.kind != .heldByOther {
            if told == 0 { keptBytes = library.keptBytes(of: fetch.address) }
            let now = RecordingLibrary.now
            _ = try? library.changeFetches { (rows) throws(DatabaseError) in
                try rows.fail(fetch, error.message, error.remedy, at: now)
                try rows.note(fetch, done: keptBytes, total: fetch.totalBytes)
            }
        }
        end(fetch, .failed(error, keptBytes: keptBytes))
    }

    /// - Parameter told: As for a failure.
    private func endCancelled(_ fetch: PendingFetch, keptBytes told: Int64 = 0) {
        let isDiscarding = state.withLock { $0.running[fetch.number]?.isDiscarding ?? false }
        if isDiscarding {
            // The transfer removes its own part, but none that it had not opened yet.
            library.removeParts(of: fetch.address)
        } else {
            library.removeUnwanted(fetch.address)
        }
        // A part that goes can be there for a moment yet.
        let kept = told > 0 || isDiscarding ? told : library.keptBytes(of: fetch.address)
        _ = try? library.changeFetches { (rows) throws(DatabaseError) in
            try rows.note(fetch, done: kept, total: fetch.totalBytes)
        }
        end(fetch, .cancelled(keptBytes: kept))
    }

    private func end(_ fetch: PendingFetch, _ kind: FetchEvent.Kind, note: String? = nil) {
        state.withLock { $0.running[fetch.number] = nil }
        tell(fetch, kind, note: note)
    }

    private func tell(_ fetch: PendingFetch, _ kind: FetchEvent.Kind, note: String? = nil) {
        broadcast.tell(FetchEvent(number: fetch.number, address: fetch.address, kind: kind, note: note))
    }

    // MARK: Events of transfers

    /// On the transfers' thread.
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
        case .restarted(let reason): tell(fetch, .restarted(reason))
        case .retrying(let seconds, let error): tell(fetch, .retrying(afterSeconds: seconds, error))
        case .paused: tell(fetch, .paused)
        case .resumed: tell(fetch, .resumed)
        case .analysing: tell(fetch, .analysing)
        case .finished(let file):
            run { [self] in takeIn(fetch, file.path, name: file.answer.suggestedName) }
        case .failed(let error, let kept):
            forgetExtraction(fetch, error)
            run { [self] in fail(fetch, error, keptBytes: kept) }
        case .cancelled(let kept):
            run { [self] in endCancelled(fetch, keptBytes: kept) }
        }
    }

    /// An address that a program has found, and that the server refuses now, is looked for again the next time.
    private func forgetExtraction(_ fetch: PendingFetch, _ error: TransferError) {
        guard let link = VideoLink(fetch.address) else { return }
        switch error.kind {
        case .unauthorised, .notFound, .gone: _ = cache?.forget(link)
        default: break
        }
    }
}
