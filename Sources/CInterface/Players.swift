public import CWoodshed
internal import Clips
internal import Engine

/// A player and its engine.
final class PlayerBox: Handled {
    static var kind: HandleKind { .player }

    let player: Player
    /// True if the player belongs to a session and closes with the session.
    let isOfSession: Bool
    private let engine: EngineBox

    init(_ player: Player, in engine: EngineBox, isOfSession: Bool = false) {
        (self.player, self.engine, self.isOfSession) = (player, engine, isOfSession)
    }

    func close(_ handle: UInt) {
        engine.forget(handle)
        engine.engine.remove(player)
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_open(
    _ engine: OpaquePointer?, _ clip: OpaquePointer?, _ plan: UnsafePointer<woodshed_plan>?,
    _ player: UnsafeMutablePointer<OpaquePointer?>?
) -> woodshed_status {
    answer {
        try unsafe Argument.give(player, "the place for the player") {
            let box: EngineBox = try unsafe Handles.object(engine)
            let clip = try unsafe box.clip(clip)
            let made = try box.engine.makePlayer(clip, score: unsafe PracticePlan.score(plan, for: clip))
            let handle: OpaquePointer
            do { unsafe handle = try Handles.open(PlayerBox(made, in: box)) } catch {
                box.engine.remove(made)
                throw error
            }
            let number = UInt(bitPattern: handle)
            box.note(number)
            made.observe { [hub = box.hub, weak made] events in
                for event in events { hub.tell(QueuedEvent(event, of: number, failure: made?.failure)) }
            }
            return unsafe handle
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_close(_ player: OpaquePointer?) -> woodshed_status {
    answer {
        guard let player = unsafe player else { return }
        guard try !(unsafe Handles.object(player) as PlayerBox).isOfSession else {
            throw ArgumentError("the player belongs to a session", remedy: "Close the session.")
        }
        try unsafe (Handles.close(player) as PlayerBox?)?.close(UInt(bitPattern: player))
    }
}

/// Carries out a request to a player.
private func request(
    _ player: OpaquePointer?, _ at: Int64, _ body: (Player, Int64?) throws -> Void
) -> woodshed_status {
    answer {
        let box: PlayerBox = try unsafe Handles.object(player)
        try body(box.player, try Argument.frame(at))
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_start(_ player: OpaquePointer?, _ at: Int64) -> woodshed_status {
    unsafe request(player, at) { $0.start(at: $1) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_start_in(
    _ player: OpaquePointer?, _ section: Int32, _ clipFrame: Int64, _ at: Int64
) -> woodshed_status {
    unsafe request(player, at) {
        try $0.start(inSection: Int(section), clipFrame: clipFrame == -1 ? nil : clipFrame, at: $1)
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_pause(_ player: OpaquePointer?, _ at: Int64) -> woodshed_status {
    unsafe request(player, at) { $0.pause(at: $1) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_resume(_ player: OpaquePointer?, _ at: Int64) -> woodshed_status {
    unsafe request(player, at) { $0.resume(at: $1) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_stop(_ player: OpaquePointer?, _ at: Int64) -> woodshed_status {
    unsafe request(player, at) { $0.stop(at: $1) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_seek(_ player: OpaquePointer?, _ clipFrame: Int64, _ at: Int64) -> woodshed_status {
    unsafe request(player, at) { try $0.seek(toClipFrame: clipFrame, at: $1) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_skip(_ player: OpaquePointer?, _ section: Int32, _ at: Int64) -> woodshed_status {
    unsafe request(player, at) { try $0.skip(toSection: Int(section), at: $1) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_set_speed(
    _ player: OpaquePointer?, _ speed: Double, _ glide: Int64, _ at: Int64
) -> woodshed_status {
    unsafe request(player, at) {
        guard glide >= -1 else {
            throw ArgumentError("the glide has \(glide) frames", remedy: "Pass 0 or more, or -1.")
        }
        try $0.setSpeed(Speed(factor: speed), over: glide < 0 ? nil : glide, at: $1)
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_set_pitch(_ player: OpaquePointer?, _ semitones: Double, _ at: Int64) -> woodshed_status {
    unsafe request(player, at) { try $0.setPitch(Pitch(semitones: semitones), at: $1) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_set_gain(_ player: OpaquePointer?, _ decibels: Double, _ at: Int64) -> woodshed_status {
    unsafe request(player, at) {
        guard !decibels.isNaN, decibels <= 60 else {
            throw ArgumentError("the gain is \(decibels) dB", remedy: "Pass at most 60.")
        }
        $0.setGain(decibels: decibels, at: $1)
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_set_reversed(
    _ player: OpaquePointer?, _ isReversed: Int32, _ at: Int64
) -> woodshed_status {
    unsafe request(player, at) { try $0.setReversed(isReversed != 0, at: $1) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_set_plan(
    _ player: OpaquePointer?, _ plan: UnsafePointer<woodshed_plan>?, _ at: Int64
) -> woodshed_status {
    unsafe request(player, at) { try $0.setScore(unsafe PracticePlan.score(plan, for: $0.clip), at: $1) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_freeze(_ player: OpaquePointer?, _ at: Int64) -> woodshed_status {
    unsafe request(player, at) { $0.freeze(at: $1) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_unfreeze(_ player: OpaquePointer?, _ at: Int64) -> woodshed_status {
    unsafe request(player, at) { $0.unfreeze(at: $1) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_set_strip(
    _ player: OpaquePointer?, _ strip: UnsafePointer<woodshed_strip>?, _ at: Int64
) -> woodshed_status {
    unsafe request(player, at) {
        let strip = try unsafe Struct.read(strip, default: woodshed_strip(), "the strip")
        let channels: ChannelStrip.Channels =
            switch (strip.left_channel, strip.right_channel) {
            case (0, 0): .all
            case (let left, let right) where left == right: .one(Int(left))
            case (let left, let right): .pair(left: Int(left), right: Int(right))
            }
        try $0.setStrip(
            ChannelStrip(
                channels: channels,
                centre: Argument.choice(strip.centre, [0: .asRecorded, 1: .kept, 2: .removed], "the centre"),
                balance: strip.balance, low: strip.low_decibels, mid: strip.mid_decibels, high: strip.high_decibels),
            at: $1)
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_prepare(_ player: OpaquePointer?) -> woodshed_status {
    answer { try (unsafe Handles.object(player) as PlayerBox).player.waitUntilPrepared() }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_prepare_request(
    _ listener: OpaquePointer?, _ player: OpaquePointer?, _ request: UnsafeMutablePointer<Int64>?
) -> woodshed_status {
    answer {
        let player = try (unsafe Handles.object(player) as PlayerBox).player
        try unsafe Request.make(listener, request) { _ in
            player.waitUntilPrepared()
            return .nothing
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_get_status(
    _ player: OpaquePointer?, _ status: UnsafeMutablePointer<woodshed_player_status>?
) -> woodshed_status {
    answer {
        let known = try (unsafe Handles.object(player) as PlayerBox).player.status
        var answer = woodshed_player_status()
        answer.state = Int32(known.state.rawValue)
        (answer.section, answer.pass) = (Int32(clamping: known.section), Int32(clamping: known.pass))
        answer.passes = known.section == 0 ? 0 : known.passes.map { Int32(clamping: $0) } ?? WOODSHED_ENDLESS
        answer.is_resting = known.isResting ? 1 : 0
        (answer.is_frozen, answer.is_reversed) = (known.isFrozen ? 1 : 0, known.isReversed ? 1 : 0)
        (answer.frame, answer.clip_frame) = (known.outputFrame, known.clipFrame)
        (answer.speed, answer.semitones) = (known.speed, known.semitones)
        (answer.starved_frames, answer.dropped_events) = (known.starvedFrames, known.droppedEvents)
        try unsafe Struct.write(answer, to: status, "the status")
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_get_heard_frame(
    _ player: OpaquePointer?, _ frame: Int64, _ clipFrame: UnsafeMutablePointer<Int64>?
) -> woodshed_status {
    answer {
        let box: PlayerBox = try unsafe Handles.object(player)
        guard let clipFrame = unsafe clipFrame else { throw ArgumentError.missing("the place for the frame") }
        unsafe clipFrame.pointee = box.player.clipFrame(heardAt: frame) ?? -1
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_player_take_peaks(
    _ player: OpaquePointer?, _ peaks: UnsafeMutablePointer<Float>?, _ count: Int
) -> woodshed_status {
    answer {
        let box: PlayerBox = try unsafe Handles.object(player)
        guard let peaks = unsafe peaks else { throw ArgumentError.missing("the place for the peaks") }
        guard (0...8).contains(count) else {
            throw ArgumentError("\(count) peaks are wanted", remedy: "Ask for at most 8.")
        }
        let highest = box.player.takePeaks()
        for channel in 0..<count { unsafe peaks[channel] = highest[channel] }
    }
}
