public import CWoodshed
internal import Clips
internal import Engine
internal import Practice

/// Carries out a request to a session.
private func request(_ session: OpaquePointer?, _ body: (SessionBox) throws -> Void) -> woodshed_status {
    answer { try body(unsafe Handles.object(session)) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_open(
    _ engine: OpaquePointer?, _ clip: OpaquePointer?, _ plan: UnsafePointer<woodshed_plan>?,
    _ options: UnsafePointer<woodshed_session_options>?, _ session: UnsafeMutablePointer<OpaquePointer?>?
) -> woodshed_status {
    answer {
        try unsafe Argument.give(session, "the place for the session") {
            let box: EngineBox = try unsafe Handles.object(engine)
            let clip = try unsafe box.clip(clip)
            return try unsafe SessionBox.open(clip, SessionPlan(plan, options, for: clip), in: box)
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_keep_log(
    _ session: OpaquePointer?, _ store: OpaquePointer?, _ recording: UnsafePointer<CChar>?
) -> woodshed_status {
    unsafe request(session) {
        let box: StoreBox = try unsafe Handles.object(store)
        try $0.keepLog(box.store, unsafe box.recording(recording))
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_get_player(
    _ session: OpaquePointer?, _ player: UnsafeMutablePointer<OpaquePointer?>?
) -> woodshed_status {
    answer {
        guard let player = unsafe player else { throw ArgumentError.missing("the place for the player") }
        unsafe player.pointee = nil
        unsafe player.pointee = OpaquePointer(bitPattern: try (Handles.object(session) as SessionBox).player)
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_start(_ session: OpaquePointer?, _ at: Int64) -> woodshed_status {
    unsafe request(session) { try $0.start(at: Argument.frame(at)) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_stop(_ session: OpaquePointer?) -> woodshed_status {
    unsafe request(session) { $0.session.stop() }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_pause(_ session: OpaquePointer?) -> woodshed_status {
    unsafe request(session) { $0.session.pause() }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_resume(_ session: OpaquePointer?) -> woodshed_status {
    unsafe request(session) { $0.session.resume() }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_set_loop_start(_ session: OpaquePointer?) -> woodshed_status {
    unsafe request(session) { try $0.session.setLoopStart() }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_set_loop_end(_ session: OpaquePointer?) -> woodshed_status {
    unsafe request(session) { try $0.session.setLoopEnd() }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_loop(_ session: OpaquePointer?, _ start: Int64, _ end: Int64) -> woodshed_status {
    unsafe request(session) {
        let frames = $0.session.player.clip.frameCount
        guard start >= 0, start < end, end <= frames else {
            throw ArgumentError(
                "\(start) to \(end) is no loop", remedy: "Pass frames of the clip, which has \(frames).")
        }
        try $0.session.loop(start..<end)
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_loop_last_heard(_ session: OpaquePointer?) -> woodshed_status {
    unsafe request(session) { try $0.session.loopLastHeard() }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_toggle_loop(_ session: OpaquePointer?) -> woodshed_status {
    unsafe request(session) { try $0.session.toggleLoop() }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_move_edge(_ session: OpaquePointer?, _ edge: Int32, _ frames: Int64) -> woodshed_status {
    unsafe request(session) {
        try $0.session.nudge(Argument.choice(edge, [0: .start, 1: .end], "the edge"), by: frames)
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_set_speed(_ session: OpaquePointer?, _ speed: Double) -> woodshed_status {
    unsafe request(session) { try $0.session.setSpeed(Speed(factor: speed)) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_set_pitch(_ session: OpaquePointer?, _ semitones: Double) -> woodshed_status {
    unsafe request(session) { try $0.session.setPitch(Pitch(semitones: semitones)) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_set_passes(_ session: OpaquePointer?, _ passes: Int32) -> woodshed_status {
    unsafe request(session) {
        guard passes > 0 || passes == WOODSHED_ENDLESS, let count = try PassCount(passes) else {
            throw ArgumentError("the number of passes is \(passes)", remedy: "Pass 1 or more, or WOODSHED_ENDLESS.")
        }
        try $0.session.setPasses(count)
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_set_gap(
    _ session: OpaquePointer?, _ frames: Int64, _ passes: Double
) -> woodshed_status {
    unsafe request(session) { try $0.session.setGap(Gap(frames: frames, passes: passes)) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_skip(_ session: OpaquePointer?, _ count: Int32) -> woodshed_status {
    unsafe request(session) { $0.session.skip(by: Int(count)) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_go(_ session: OpaquePointer?, _ section: Int32) -> woodshed_status {
    unsafe request(session) { $0.session.go(toSection: Int(section)) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_set_sections(
    _ session: OpaquePointer?, _ sections: UnsafePointer<woodshed_section>?, _ count: Int
) -> woodshed_status {
    unsafe request(session) {
        let given = try unsafe GivenSections(sections, count: count)
        try $0.session.setSections(given.sections, savedIDs: given.ids)
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_set_reversed(_ session: OpaquePointer?, _ isReversed: Int32) -> woodshed_status {
    unsafe request(session) { try $0.session.setReversed(isReversed != 0) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_jump_to_start(_ session: OpaquePointer?) -> woodshed_status {
    unsafe request(session) { $0.session.jumpToStart() }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_set_frozen(_ session: OpaquePointer?, _ isFrozen: Int32) -> woodshed_status {
    unsafe request(session) { $0.session.setFrozen(isFrozen != 0) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_get_status(
    _ session: OpaquePointer?, _ status: UnsafeMutablePointer<woodshed_session_status>?
) -> woodshed_status {
    unsafe request(session) {
        let known = $0.session
        var answer = woodshed_session_status()
        answer.section = Int32(clamping: known.currentNumber)
        answer.section_count = Int32(clamping: known.sections.count)
        answer.section_id = Int32(clamping: known.currentSavedID ?? 0)
        answer.passes = known.passes.number.map { Int32(clamping: $0) } ?? WOODSHED_ENDLESS
        let marks = known.marks
        answer.is_looping = marks.isRunning ? 1 : 0
        (answer.loop_start, answer.loop_end) = (marks.start ?? -1, marks.end ?? -1)
        answer.heard = (try? known.audibleClipFrame()) ?? -1
        (answer.speed, answer.semitones) = (known.speed?.factor ?? 0, known.pitch.semitones)
        switch known.gap {
        case .none: break
        case .frames(let frames): answer.gap_frames = frames
        case .passLengths(let passes): answer.gap_passes = passes
        }
        try unsafe Struct.write(answer, to: status, "the status")
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_session_close(_ session: OpaquePointer?) -> woodshed_status {
    answer {
        guard let session = unsafe session else { return }
        try unsafe (Handles.close(session) as SessionBox?)?.close(UInt(bitPattern: session))
    }
}
