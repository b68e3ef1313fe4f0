// Media keys, headsets and panels: another way to control a run, beside the socket and MIDI. The bus's thread only
// posts news to the run's inbox. Everything here is called on the thread of the run's loop.
import DesktopBus
import Files
import Terminal
import Woodshed

/// News from the desktop for a run.
enum MediaNews: Sendable {
    case bus(DesktopNews)
    /// The file's tags about the recording.
    case details(FileDetails)
}

/// A run controlled by media keys.
protocol MediaControlled: AnyObject {
    /// The state to show. `MediaDesk` adds the stopped state after a stop request.
    var mediaState: MediaState { get }
    /// The recording, to read its tags; nil without a recording.
    var mediaInfo: AudioFileInfo? { get }
    /// Returns the position in microseconds; called on other threads.
    var mediaClock: @Sendable () -> Int64 { get }
    func carryOut(_ request: MediaRequest)
    /// The activity that a suspend would spoil; nil for none.
    var reasonToStayAwake: String? { get }
    func prepareForSuspension()
    func goOnAfterSuspension()
    func say(_ lines: [String], evenQuiet: Bool)
}

/// The run on the desktop's bus.
final class MediaDesk {
    private let bus: DesktopBus
    private let isVerbose: Bool
    private let addresses: BusAddresses
    private var shown: MediaState?
    private var reason: String?
    private var track: MediaTrack?
    private var isStarted = false
    /// `isStopped`: true after the stop key. `wasSilent`: true once the sound fell silent; the next sound then ends the
    /// stopped state.
    private var (isStopped, wasSilent) = (false, false)

    /// Returns nil without a bus, or if the bus is not wanted.
    ///
    /// - Parameter isWanted: False if the user has switched media keys off, or nobody listens.
    init?(isWanted: Bool, isVerbose: Bool) {
        let addresses = BusAddresses(environment: environmentVariable)
        guard isWanted, addresses.session != nil || addresses.system != nil, let bus = try? DesktopBus() else {
            return nil
        }
        (self.bus, self.addresses, self.isVerbose) = (bus, addresses, isVerbose)
    }

    deinit { bus.close() }

    /// Names of the player.
    static let identity = MediaIdentity(
        name: "Woodshed", shortName: "woodshed",
        mimeTypes: [
            "audio/wav", "audio/x-wav", "audio/flac", "audio/mpeg", "audio/ogg", "audio/opus", "audio/aiff",
            "audio/mp4",
        ])

    /// Starts connecting, on the bus's own thread. Call this method once the sound has begun.
    ///
    /// - Parameter put: Posts news for the run; called on other threads.
    func start(_ run: some MediaControlled, put: @escaping @Sendable (MediaNews) -> Void) {
        let state = run.mediaState
        shown = state
        do throws(DesktopBusError) {
            try bus.start(addresses, Self.identity, state, position: run.mediaClock) { put(.bus($0)) }
            isStarted = true
        } catch {
            if isVerbose { run.say([error.message], evenQuiet: false) }
            return
        }
        guard let info = run.mediaInfo else { return }
        // Reading tags with an external program may take a while.
        BlockingThread.startInBackground { if let details = try? FileDetails(of: info) { put(.details(details)) } }
    }

    func take(_ news: MediaNews, _ run: some MediaControlled) {
        switch news {
        case .details(let details): track?.add(details)
        case .bus(.request(let request)):
            bus.carriedOut()
            if request == .stop { (isStopped, wasSilent) = (true, false) }
            run.carryOut(request)
        case .bus(.sleeps):
            run.prepareForSuspension()
            bus.readyToSleep()
        case .bus(.wakes): run.goOnAfterSuspension()
        case .bus(.available(let name)): if isVerbose { run.say(["media keys: \(name)"], evenQuiet: false) }
        case .bus(.unavailable(let error)): if isVerbose { run.say([error.message], evenQuiet: false) }
        case .bus(.lost(let error)): run.say([error.message, error.remedy], evenQuiet: false)
        case .bus(.mayFallAsleep(let why)):
            if isVerbose { run.say(["the machine may fall asleep (\(why))"], evenQuiet: false) }
        }
    }

    /// Returns a recording, with the tags read so far.
    func track(_ info: AudioFileInfo) -> MediaTrack {
        if let track { return track }
        let made = MediaTrack(info)
        track = made
        return made
    }

    /// Publishes changes of the state.
    func look(_ run: some MediaControlled) {
        guard isStarted else { return }
        var state = run.mediaState
        // The sound fades out first.
        if state.playback != .playing { wasSilent = true } else if wasSilent { (isStopped, wasSilent) = (false, false) }
        if isStopped, state.playback == .paused { state.playback = .stopped }
        if state != shown {
            shown = state
            bus.publish(state)
        }
        let reason = run.reasonToStayAwake
        if reason != self.reason {
            self.reason = reason
            bus.stayAwake(reason)
        }
    }

    /// Leaves the bus.
    func close() { bus.close() }
}

extension MediaTrack {
    /// Creates a recording's description without its tags.
    init(_ info: AudioFileInfo, id: Int = 1) {
        self.init(id: id)
        length = Int64(info.seconds * 1_000_000)
        title = fileName(info.path)
        url = unsafe FilePlace.resolvedBytes(info.path).map { MediaTrack.url(ofPath: $0) }
    }

    fileprivate mutating func add(_ details: FileDetails) {
        for tag in details.tags where !tag.value.isEmpty {
            switch tag.key {
            case .title: title = tag.value
            case .artist: artists = [tag.value]
            case .album: album = tag.value
            default: break
            }
        }
    }
}
