internal import AudioDevices
internal import AudioFiles
internal import Clips
internal import Realtime
internal import Synchronization

/// The players of an engine, on the control side. It keeps each alive until the mixer has returned it.
struct PlayerRegistry: ~Copyable {
    private var commands: RingProducer<Mixer.Command>
    private var released: RingConsumer<Int>
    private var players: [Player] = []
    /// Addresses of players to be removed once they are silent, and of those that the mixer was told to remove.
    private var leaving: Set<Int> = []
    /// The frames of the output while players wait to be removed, and since when there are no more.
    private var stillness: (frames: Int64, since: ContinuousClock.Instant)?
    private var told: Set<Int> = []
    /// Addresses of players that were added after another one.
    private var following: Set<Int> = []
    private var waitsAreOver = false
    /// What had failed when the stream ended, also of players that are gone by now.
    private var failureAtEnd: AudioFileError?

    init(commands: consuming RingProducer<Mixer.Command>, released: consuming RingConsumer<Int>) {
        self.commands = commands
        self.released = released
    }

    /// The first frames that each current player will need.
    var openings: [(player: Player, frames: Range<Int64>)] {
        players.compactMap { player in
            let score = player.score
            return player.demand(of: score, first: score.firstClipFrame(ofSection: 0)).ranges.first
                .map { (player, $0) }
        }
    }

    var count: Int { players.count }
    var hasRoom: Bool { count < Mixer.capacity }

    /// The first recording that could no longer be read.
    var firstFailure: AudioFileError? { failureAtEnd ?? players.lazy.compactMap(\.failure).first }

    /// - Parameters:
    ///   - leader: the player after which this one begins.
    ///   - fade: output frames of their crossfade.
    mutating func add(_ player: Player, after leader: Player? = nil, fade: Int64 = 0) {
        players.append(player)
        if leader != nil { following.insert(player.core.address) }
        if waitsAreOver { player.endWaits() }
        // The ring has two places for each possible player: one to be added and one to be removed.
        _ = commands.push(
            Mixer.Command(code: .add, slot: player.core, leader: leader?.core.address ?? 0, fade: max(0, fade)))
    }

    mutating func removeWhenFinished(_ player: Player) {
        // One that is gone already has an address that another player may have by now.
        if players.contains(where: { $0 === player }) { leaving.insert(player.core.address) }
    }

    /// Whether players wait to be removed, and nothing was rendered for a second.
    ///
    /// - Parameter frames: Frames of the output that were rendered so far.
    mutating func waitsInVain(atFrame frames: Int64) -> Bool {
        guard !leaving.isEmpty, let known = stillness, known.frames == frames else {
            stillness = leaving.isEmpty ? nil : (frames, .now)
            return false
        }
        return known.since + .seconds(1) < .now
    }

    /// Removes the players that are leaving, silent or not, while nothing is rendered.
    mutating func releaseLeaving(from mixer: MixerBox, where isReleased: (Player) -> Bool = { _ in true }) {
        for player in players where leaving.contains(player.core.address) && !told.contains(player.core.address) {
            guard isReleased(player) else { continue }
            if commands.push(Mixer.Command(code: .remove, slot: player.core)) { told.insert(player.core.address) }
        }
        mixer.settle()
        serve()
    }

    /// Removes the players that are leaving and were never heard, between two blocks. Without those that were neither started nor added after another
    /// one, the sound is as with them.
    ///
    /// - Parameter all: also the others. Of one that was to start with the next block, a sound as short as the fade is left out then.
    mutating func releaseUnheard(from mixer: MixerBox, all: Bool) {
        let (following, before) = (following, players.count)
        releaseLeaving(from: mixer) {
            $0.status.state == .idle && (all || !$0.wasStarted && !following.contains($0.core.address))
        }
        // A stream that ends with its players ends with the last of these, as it would have with the next block.
        if players.count < before { mixer.notePlayed() }
    }

    /// Removes the players that are leaving after the end of the stream.
    mutating func releaseAfterEnd(from mixer: MixerBox) {
        failureAtEnd = firstFailure
        releaseLeaving(from: mixer)
    }

    /// Passes on requests and events of every player, and releases players that the mixer has returned.
    ///
    /// - Parameter isBetweenBlocks: as in ``Player/serve(isBetweenBlocks:)``.
    mutating func serve(isBetweenBlocks: Bool = false) {
        while let address = released.pop() {
            for player in players where player.core.address == address {
                player.serve()
                player.endEvents()
            }
            players.removeAll { $0.core.address == address }
            leaving.remove(address)
            told.remove(address)
            following.remove(address)
        }
        for player in players {
            player.serve(isBetweenBlocks: isBetweenBlocks)
            let address = player.core.address
            guard leaving.contains(address), !told.contains(address), player.status.state == .finished else { continue }
            if commands.push(Mixer.Command(code: .remove, slot: player.core)) { told.insert(address) }
        }
    }

    func endEvents() {
        for player in players { player.endEvents() }
    }

    mutating func endWaits() {
        waitsAreOver = true
        for player in players { player.endWaits() }
    }
}

/// The registry behind a lock, shared by the engine, its pump and, under the virtual clock, the device thread.
final class PlayerDirectory: Sendable {
    private let registry: Mutex<PlayerRegistry>

    init(_ registry: consuming PlayerRegistry) {
        self.registry = Mutex(registry)
    }

    /// Adds a player to the mix; false if there is no room.
    func add(_ player: Player, after leader: Player? = nil, fade: Int64 = 0) -> Bool {
        registry.withLock { registry in
            guard registry.hasRoom else { return false }
            registry.add(player, after: leader, fade: fade)
            return true
        }
    }

    func removeWhenFinished(_ player: Player) {
        registry.withLock { $0.removeWhenFinished(player) }
    }

    /// Removes the players that are leaving at once. Only while nothing is rendered.
    func releaseLeaving(from mixer: MixerBox) { registry.withLock { $0.releaseLeaving(from: mixer) } }

    /// The same, once the mixer has ended.
    func releaseAfterEnd(from mixer: MixerBox) { registry.withLock { $0.releaseAfterEnd(from: mixer) } }

    /// Removes the players that are leaving and were never heard, unless a block is being made.
    ///
    /// - Parameter all: as in ``PlayerRegistry/releaseUnheard(from:all:)``.
    func releaseUnheard(from mixer: MixerBox, beside output: PulledOutput, all: Bool) {
        registry.withLock { registry in output.betweenBlocks { registry.releaseUnheard(from: mixer, all: all) } }
    }

    /// The same for all that are leaving, if nobody takes the blocks of the output. Call it now and then.
    func releaseOverdue(from mixer: MixerBox, beside output: PulledOutput) {
        registry.withLock { registry in
            let frames = output.position.framesWritten
            if registry.waitsInVain(atFrame: frames) { output.betweenBlocks { registry.releaseLeaving(from: mixer) } }
        }
    }

    /// Waits until the first half second of every player is decoded, so that the first block is complete. The clip's failure
    /// reports frames that cannot be decoded.
    func loadOpenings() {
        for opening in registry.withLock({ $0.openings }) {
            opening.player.waitUntilLoaded(opening.frames)
        }
    }

    func serve(isBetweenBlocks: Bool = false) {
        registry.withLock { $0.serve(isBetweenBlocks: isBetweenBlocks) }
    }

    var count: Int { registry.withLock { $0.count } }

    func endEvents() {
        registry.withLock { $0.endEvents() }
    }

    /// Ends every wait of all current and future players. Their output after that must not be played.
    func endWaits() {
        registry.withLock { $0.endWaits() }
    }

    var firstFailure: AudioFileError? { registry.withLock { $0.firstFailure } }
}
