internal import AudioDevices
internal import AudioFiles
internal import Clips
internal import Realtime
internal import Synchronization

/// The players of an engine, on the control side. The registry keeps each player alive until the mixer has returned it.
struct PlayerRegistry: ~Copyable {
    private var commands: RingProducer<Mixer.Command>
    private var released: RingConsumer<Int>
    private var players: [Player] = []
    /// Addresses of players to remove once silent, including players with a removal already sent to the mixer.
    private var leaving: Set<Int> = []
    /// The frames of the output while players wait for removal, and the time of the last change of these frames.
    private var stillness: (frames: Int64, since: ContinuousClock.Instant)?
    private var told: Set<Int> = []
    /// Addresses of players added with a leader.
    private var following: Set<Int> = []
    private var waitsAreOver = false
    /// The failure at the end of the stream, also of players that are gone by now.
    private var failureAtEnd: AudioFileError?

    init(commands: consuming RingProducer<Mixer.Command>, released: consuming RingConsumer<Int>) {
        self.commands = commands
        self.released = released
    }

    /// The first frames needed by each current player.
    var openings: [(player: Player, frames: Range<Int64>)] {
        players.compactMap { player in
            let score = player.score
            return player.demand(of: score, first: score.firstClipFrame(ofSection: 0)).ranges.first
                .map { (player, $0) }
        }
    }

    var count: Int { players.count }
    var hasRoom: Bool { count < Mixer.capacity }

    /// The failure of the first unreadable recording.
    var firstFailure: AudioFileError? { failureAtEnd ?? players.lazy.compactMap(\.failure).first }

    /// - Parameters:
    ///   - leader: the player after which this player begins.
    ///   - fade: output frames of their crossfade.
    mutating func add(_ player: Player, after leader: Player? = nil, fade: Int64 = 0) {
        players.append(player)
        if leader != nil { following.insert(player.core.address) }
        if waitsAreOver { player.endWaits() }
        // The ring has two places for each possible player: for the addition and for the removal.
        _ = commands.push(
            Mixer.Command(code: .add, slot: player.core, leader: leader?.core.address ?? 0, fade: max(0, fade)))
    }

    mutating func removeWhenFinished(_ player: Player) {
        // The address of a removed player may belong to another player by now.
        if players.contains(where: { $0 === player }) { leaving.insert(player.core.address) }
    }

    /// Returns true if players wait for removal, and nothing was rendered for a second.
    ///
    /// - Parameter frames: Frames of the output rendered so far.
    mutating func waitsInVain(atFrame frames: Int64) -> Bool {
        guard !leaving.isEmpty, let known = stillness, known.frames == frames else {
            stillness = leaving.isEmpty ? nil : (frames, .now)
            return false
        }
        return known.since + .seconds(1) < .now
    }

    /// Removes the leaving players, silent or not, while nothing is rendered.
    mutating func releaseLeaving(from mixer: MixerBox, where isReleased: (Player) -> Bool = { _ in true }) {
        for player in players where leaving.contains(player.core.address) && !told.contains(player.core.address) {
            guard isReleased(player) else { continue }
            if commands.push(Mixer.Command(code: .remove, slot: player.core)) { told.insert(player.core.address) }
        }
        mixer.settle()
        serve()
    }

    /// Removes the leaving players without any sound so far, between two blocks. Players neither started nor added with
    /// a leader do not change the sound by their absence.
    ///
    /// - Parameter all: true also removes the others. A player due to start with the next block then loses a sound as
    ///   short as the fade.
    mutating func releaseUnheard(from mixer: MixerBox, all: Bool) {
        let (following, before) = (following, players.count)
        releaseLeaving(from: mixer) {
            $0.status.state == .idle && (all || !$0.wasStarted && !following.contains($0.core.address))
        }
        // A stream that ends with its players ends with the last of these players, as with the next block.
        if players.count < before { mixer.notePlayed() }
    }

    /// Removes the leaving players after the end of the stream.
    mutating func releaseAfterEnd(from mixer: MixerBox) {
        failureAtEnd = firstFailure
        releaseLeaving(from: mixer)
    }

    /// Passes on requests and events of every player, and releases the players returned by the mixer.
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

    /// Adds a player to the mix; returns false if there is no room.
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

    /// Removes the leaving players at once. Call this only while nothing is rendered.
    func releaseLeaving(from mixer: MixerBox) { registry.withLock { $0.releaseLeaving(from: mixer) } }

    /// Does the same, once the mixer has ended.
    func releaseAfterEnd(from mixer: MixerBox) { registry.withLock { $0.releaseAfterEnd(from: mixer) } }

    /// Removes the leaving players without any sound so far, unless a block is in progress.
    ///
    /// - Parameter all: as in ``PlayerRegistry/releaseUnheard(from:all:)``.
    func releaseUnheard(from mixer: MixerBox, beside output: PulledOutput, all: Bool) {
        registry.withLock { registry in output.betweenBlocks { registry.releaseUnheard(from: mixer, all: all) } }
    }

    /// Removes all leaving players if the program takes no blocks of the output. Call this now and then.
    func releaseOverdue(from mixer: MixerBox, beside output: PulledOutput) {
        registry.withLock { registry in
            let frames = output.position.framesWritten
            if registry.waitsInVain(atFrame: frames) { output.betweenBlocks { registry.releaseLeaving(from: mixer) } }
        }
    }

    /// Waits until the first half second of every player is decoded, so that the first block is complete. The clip's
    /// failure reports frames that cannot be decoded.
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

    /// Ends every wait of all current and future players. Their later output must not be played.
    func endWaits() {
        registry.withLock { $0.endWaits() }
    }

    var firstFailure: AudioFileError? { registry.withLock { $0.firstFailure } }
}
