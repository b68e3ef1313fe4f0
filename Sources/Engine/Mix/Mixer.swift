// The mix, called by the device thread. The mixer sums the players in the order of their addition and detects the end
// of the last player. A ring carries requests to add and remove players. The control side owns the players' memory, and
// frees it once the mixer has returned the player.
internal import AudioDevices
internal import DSP
internal import Realtime

/// Sums players into the device's block. Real-time safe: `render` is; the initialiser allocates.
@safe
struct Mixer: ~Copyable {
    /// Maximum number of players.
    static let capacity = 128

    /// A request of the control side.
    struct Command: Sendable, BitwiseCopyable {
        enum Code: UInt8, Sendable, BitwiseCopyable { case add, remove }
        var code: Code
        var slot: MixerSlot
        /// For `add`: the address of the player before this player (the leader), and the frames of their crossfade; 0
        /// for none.
        var leader = 0
        var fade: Int64 = 0
    }

    /// A player in the mix, and its leader. The leader was added earlier, and so has an earlier place.
    struct Place: BitwiseCopyable {
        let slot: MixerSlot
        /// Address of the leader; 0 without a leader, or after the leader's removal.
        var leader: Int
        /// True if the leader is gone and did not start this player.
        var isLeft = false
        let fade: Int64
    }

    // Initialised for `count` places; `capacity` are allocated.
    private let places: UnsafeMutablePointer<Place>
    private var count = 0
    private var commands: RingConsumer<Command>
    private var released: RingProducer<Int>
    private let endsWithPlayers: Bool
    /// True once a player was there: until then, a stream that ends with its players waits for the first player.
    private var hasPlayed = false
    /// Keeps the sum of two and more players below full scale; made with the first player, whose rate is the engine's.
    private var overload: OverloadGuard?
    /// The loss of the device, while the loss lasts. The players learn of the loss when its first frame is rendered.
    private var loss: Loss?
    private var lossIsNew = false

    /// Information for the players about the loss of the device.
    struct Loss: BitwiseCopyable {
        /// A `PauseReason`, by its raw value.
        var reason: Int64
        /// True if playing players resume by themselves once there is a device.
        var resumes: Bool
    }

    init(commands: consuming RingConsumer<Command>, released: consuming RingProducer<Int>, endsWithPlayers: Bool) {
        unsafe places = .allocate(capacity: Mixer.capacity)
        self.commands = commands
        self.released = released
        self.endsWithPlayers = endsWithPlayers
    }

    deinit {
        unsafe places.deallocate()
    }

    /// Renders one block.
    ///
    /// - Returns: the frames up to the end of the last player, if all have ended and the stream ends with its players;
    ///   otherwise the whole block.
    mutating func render(_ block: RenderBlock) -> Int {
        tellLoss(at: block.outputFrame)
        applyCommands(at: block.outputFrame)
        guard count > 0 else {
            clear(block)
            return hasPlayed && endsWithPlayers ? 0 : block.frameCount
        }
        renderPlayers(block)
        var end = 0
        var crowd = SoundingCrowd(frameCount: block.frameCount)
        for index in 0..<count {
            let core = unsafe places[index].slot.core
            let leader = unsafe leader(of: index)
            unsafe crowd.add(core.pointee.sounding)
            let (hasEnded, playerEnd) = unsafe (core.pointee.hasEnded, core.pointee.end)
            let waitsForNobody = unsafe core.pointee.isIdle && isLeft(index, leader)
            end = max(end, hasEnded ? min(playerEnd, block.frameCount) : waitsForNobody ? 0 : block.frameCount)
            if let leader = unsafe leader { unsafe expect(index, after: leader) }
        }
        limit(block, watched: crowd.shared)
        hasPlayed = true
        return endsWithPlayers ? end : block.frameCount
    }

    /// Notes the removal of a player between two blocks.
    mutating func notePlayed() { hasPlayed = true }

    /// Renders a block of every player, in rounds. A player that has passed on commands stops behind the frame of these
    /// commands, and the later players go no further in that round. So a following player knows all commands for a
    /// frame before rendering the frame, in any number.
    private func renderPlayers(_ block: RenderBlock) {
        for index in 0..<count { unsafe places[index].slot.core.pointee.beginBlock() }
        // In each round the first unfinished player advances by at least one frame, so the rounds end.
        for _ in 0..<count * block.frameCount + 1 {
            introduceFollowers()
            var limit = block.frameCount
            for index in 0..<count {
                // Sound because the control side keeps a core alive until its address has been returned.
                let core = unsafe places[index].slot.core
                if let leader = unsafe leader(of: index) { unsafe Mixer.pass(from: leader, to: core) }
                if unsafe core.pointee.rendered < limit {
                    unsafe core.pointee.renderPiece(
                        into: block.channels, outputChannels: block.channelCount, upTo: limit, adds: index > 0,
                        at: block.outputFrame)
                }
                limit = unsafe min(limit, core.pointee.rendered)
            }
            if limit == block.frameCount { return }
        }
    }

    /// Tells every player in a round how many commands its followers can take.
    private func introduceFollowers() {
        for index in 0..<count { unsafe places[index].slot.core.pointee.succession.beginPiece() }
        for index in 0..<count {
            guard let leader = unsafe leader(of: index) else { continue }
            let room = unsafe places[index].slot.core.pointee.commands.room
            unsafe leader.pointee.succession.noteFollower(room: room)
        }
    }

    /// Turns the sum down where the sum would exceed full scale, and lets the players report the reduction. One player
    /// alone passes unchanged, as do players that follow one another.
    private mutating func limit(_ block: RenderBlock, watched: Range<Int>) {
        guard var guarded = overload, !watched.isEmpty || guarded.isActive(), block.channelCount > 0 else { return }
        unsafe guarded.apply(
            to: block.channels, channelCount: block.channelCount, frameCount: block.frameCount, watched: watched)
        let gain = guarded.takeLowestGain()
        overload = guarded
        guard gain < 1 else { return }
        for index in 0..<count { unsafe places[index].slot.core.pointee.noteGain(gain) }
    }

    /// Tells every player about an xrun of the device.
    mutating func noteXrun(at frame: Int64, lostFrames: Int64) {
        for index in 0..<count {
            unsafe places[index].slot.core.pointee.noteXrun(at: frame, lostFrames: lostFrames)
        }
    }

    // MARK: Times without a device

    /// Notes the loss of the device, from the next block on. Call this between two streams only.
    mutating func interrupt(_ loss: Loss) {
        self.loss = loss
        lossIsNew = true
    }

    /// Notes the return of a device; its first block is the next block, which begins at `frame`. Call this between two
    /// streams only.
    mutating func endInterruption(at frame: Int64) {
        // The device may return before any rendering without it; then the players get both events at one frame.
        tellLoss(at: frame)
        loss = nil
        lossIsNew = false
        for index in 0..<count { unsafe places[index].slot.core.pointee.endInterruption() }
    }

    /// Changes the cause of the device's absence.
    mutating func changeLoss(reason: Int64, at frame: Int64) {
        guard loss != nil else { return }
        loss?.reason = reason
        // Players not informed of the loss yet will get this reason.
        guard !lossIsNew else { return }
        for index in 0..<count { unsafe places[index].slot.core.pointee.changeInterruption(at: frame, reason: reason) }
    }

    /// Returns true if a player wants to play but has no device; reports each request once.
    mutating func takeWish() -> Bool {
        guard loss != nil else { return false }
        var wishes = false
        for index in 0..<count {
            if unsafe places[index].slot.core.pointee.takeWish() { wishes = true }
        }
        return wishes
    }

    /// Drops the requests to play, because the requested device is missing.
    mutating func forgetWishes() {
        for index in 0..<count { unsafe places[index].slot.core.pointee.forgetWish() }
    }

    private mutating func tellLoss(at frame: Int64) {
        guard lossIsNew, let loss else { return }
        lossIsNew = false
        for index in 0..<count {
            unsafe places[index].slot.core.pointee.interrupt(at: frame, reason: loss.reason, resumes: loss.resumes)
        }
    }

    /// Adds and removes players before the block that begins at a frame.
    mutating func applyCommands(at frame: Int64) {
        while let command = commands.pop() {
            switch command.code {
            case .add:
                // The control side counts its players, so there is room.
                guard count < Mixer.capacity else { continue }
                unsafe (places + count).initialize(
                    to: Place(slot: command.slot, leader: command.leader, fade: command.fade))
                count += 1
                link(at: frame)
                if overload == nil { overload = unsafe OverloadGuard(sampleRate: command.slot.core.pointee.sampleRate) }
                if let loss {
                    unsafe command.slot.core.pointee.interrupt(at: frame, reason: loss.reason, resumes: loss.resumes)
                }
            case .remove:
                remove(command.slot)
            }
        }
    }

    private mutating func remove(_ slot: MixerSlot) {
        for index in 0..<count where unsafe places[index].slot.address == slot.address {
            if let leader = unsafe leader(of: index), unsafe slot.core.pointee.isIdle {
                unsafe leader.pointee.succession.endFade = 0
            }
            for later in index + 1..<max(index + 1, count) { unsafe places[later - 1] = places[later] }
            count -= 1
            break
        }
        // Another player may get the address.
        for index in 0..<count where unsafe places[index].leader == slot.address {
            unsafe (places[index].leader, places[index].isLeft) = (0, true)
        }
        // The return ring has room for the maximum number of players.
        _ = released.push(slot.address)
    }

    // MARK: One player after another

    /// Returns the leader of the player at an index, if the leader is still there.
    private func leader(of index: Int) -> UnsafeMutablePointer<PlayerCore>? {
        let address = unsafe places[index].leader
        guard address != 0 else { return nil }
        for earlier in 0..<index where unsafe places[earlier].slot.address == address {
            return unsafe places[earlier].slot.core
        }
        return nil
    }

    /// Connects the newest player with its leader. After the joint with the leader, the player begins at once.
    private mutating func link(at frame: Int64) {
        let index = count - 1
        guard unsafe places[index].leader != 0 else { return }
        guard let leader = unsafe leader(of: index) else {
            unsafe (places[index].leader, places[index].isLeft) = (0, true)
            return
        }
        if unsafe leader.pointee.succession.isOver {
            unsafe places[index].slot.core.pointee.take(over: frame, fade: 0)
        } else {
            unsafe expect(index, after: leader)
        }
    }

    /// Tells the leader for the next block whether it hands over, and the length of the crossfade.
    private func expect(_ index: Int, after leader: UnsafeMutablePointer<PlayerCore>) {
        let isWaiting = unsafe places[index].slot.core.pointee.isIdle
        unsafe leader.pointee.succession.endFade = isWaiting ? places[index].fade : 0
    }

    /// Returns true if a player without a start has no leader left.
    private func isLeft(_ index: Int, _ leader: UnsafeMutablePointer<PlayerCore>?) -> Bool {
        if let leader = unsafe leader { return unsafe leader.pointee.hasEnded }
        return unsafe places[index].isLeft
    }

    private func clear(_ block: RenderBlock) {
        for channel in 0..<block.channelCount {
            let samples = unsafe block.channels[channel]
            for frame in 0..<block.frameCount { unsafe samples[frame] = 0 }
        }
    }
}
