internal import Clips
internal import Samples
internal import Stretching

/// The sound of a player: a stack of layers, their voices, and the kept passes.
///
/// The stack gets a layer where a span of the score begins (`Playhead` has the spans), and receives the coming speeds.
/// Real-time safe: all but `init`.
struct LayerStack: ~Copyable {
    /// Two fades may overlap when a command arrives, and a joint may follow during these fades.
    static let maximumLayers = 4
    /// Frames rendered at once. This limits the scratch memory, not the block.
    static let chunkFrames = 1024

    /// The output of `produce`: channels × `chunkFrames`.
    let sound: PlanarBuffer
    /// Layers added so far; identifies the layer with a scheduled change of speed.
    private(set) var laid: Int64 = 0
    private(set) var starvation = Starvation()
    /// The lowest gain of the voices' limiters in the most recent sound.
    private var lowestGain: Float = 1

    private let source: ClipSource
    let sampleRate: Int
    let fades: FadeLengths
    private let incoming: PlanarBuffer
    private var layers: InlineArray<4, Layer> = InlineArray(repeating: Layer())
    private var count = 0
    private var voices: VoicePool
    /// The kept passes.
    private var recorder: PassRecorder

    init(_ source: ClipSource, sampleRate: Int, score: RenderScore) {
        self.source = source
        self.sampleRate = sampleRate
        fades = FadeLengths(sampleRate: sampleRate)
        sound = PlanarBuffer(channelCount: source.channelCount, frameCount: LayerStack.chunkFrames)
        incoming = PlanarBuffer(channelCount: source.channelCount, frameCount: LayerStack.chunkFrames)
        voices = score.voices
        recorder = PassRecorder(memory: score.recording)
    }

    /// Continues with the voices and the memory of another score.
    mutating func changeOver(to score: RenderScore) {
        stopRecording()
        if voices.isEmpty { voices = score.voices }
        recorder = PassRecorder(memory: score.recording)
    }

    // MARK: The stack

    /// Returns the number of layers that are audible at an output frame.
    func soundingCount(at now: Int64) -> Int {
        var sounding = count
        for index in 1..<max(1, count) where layers[index].entryEnd <= now { sounding = count - index }
        return sounding
    }

    /// Returns true if a single voice is the only audible layer.
    func isOneVoice(at now: Int64) -> Bool {
        guard soundingCount(at: now) == 1, case .voice = topSource else { return false }
        return true
    }

    /// Returns the first frame after `now` at which a layer has faded in completely, or `limit`.
    func nextEntryEnd(after now: Int64, limit: Int64) -> Int64 {
        var next = limit
        for index in 0..<count where layers[index].entryEnd > now { next = min(next, layers[index].entryEnd) }
        return next
    }

    /// Returns true if a layer plays from the memory of a score.
    func isHeard(_ score: RenderScore) -> Bool {
        for index in 0..<count where layers[index].storage == score.address { return true }
        return false
    }

    /// Adds a layer of silence on top.
    ///
    /// - Parameter entryLength: frames of the fade to silence; 0 replaces everything at once.
    mutating func pushSilence(at now: Int64, entryLength: Int) {
        push(Layer(source: .silence, start: now, entryLength: entryLength))
    }

    /// Adds a layer that holds the sound at the playhead's place of the clip, unless the top layer holds this sound
    /// already.
    mutating func pushFrozen(of playhead: Playhead, at now: Int64, entryLength: Int) {
        let sound = FrozenSound(of: playhead, at: now)
        if count > 0, layers[count - 1].frozen == sound { return }
        var layer = Layer(
            view: sound.view, nextKnot: CurveKnot.never, frozen: sound, start: now, entryLength: entryLength)
        if let voice = acquireVoice() {
            layer.source = .voice(voice)
            unsafe voices.voice(voice).pointee.begin(sound.voiceStart)
        }
        push(layer)
    }

    /// Adds a layer with the pass that begins at the playhead.
    mutating func pushPass(of playhead: Playhead, entryLength: Int) {
        let part = playhead.part
        let cursor = playhead.cursor
        let spanFrames = Int(cursor.spanEnd - cursor.spanStart)
        var layer = Layer(
            view: part.view, clipFrame: cursor.clipStart, start: cursor.spanStart, entryLength: entryLength,
            fallEnd: cursor.spanEnd)
        switch part.joint {
        case .hard:
            break
        case .fade:
            // A pass entered in its middle already fades in.
            layer.riseLength = cursor.clipStart == part.clipStart ? min(fades.joint, spanFrames / 2) : 0
            layer.fallLength = min(fades.joint, spanFrames / 2)
        case .crossfade:
            // No following pass masks the end of the last pass; the recording's own end needs no fade.
            layer.fallLength =
                playhead.isLast && part.clipEnd < part.view.end(of: source.frameCount)
                ? min(fades.crossfade, spanFrames) : 0
        }
        if part.isCopy(at: cursor.motion.phase) {
            layer.source = .copy
        } else {
            playPass(&layer, of: playhead)
        }
        push(layer)
    }

    private mutating func push(_ layer: Layer) {
        if layer.entryLength == 0 { drop(below: count) }
        // This does not happen, because commands wait until at most two layers are audible and a joint's fade ends
        // within its span. If it did, the oldest layer, by then almost inaudible, would be dropped.
        if count == LayerStack.maximumLayers { drop(below: 1) }
        layers[count] = layer
        count += 1
        laid += 1
    }

    /// Drops all layers below a layer that has faded in completely.
    mutating func dropCovered(at now: Int64) {
        drop(below: count - soundingCount(at: now))
    }

    private mutating func drop(below first: Int) {
        guard first > 0 else { return }
        for index in 0..<first {
            if case .voice(let voice) = layers[index].source { voices.release(voice) }
            // An incomplete pass cannot be reused.
            if layers[index].isRecording { recorder.discard() }
        }
        for index in first..<max(first, count) { layers[index - first] = layers[index] }
        count -= first
    }

    // MARK: Between voice and copy, and from speed to speed

    /// Replaces a voice by a copy, faded in at the nearest whole frame of the clip; or a copy by a voice, which
    /// continues with the very next sample.
    mutating func crossCopyBoundary(of playhead: Playhead, at now: Int64) {
        guard count > 0 else { return }
        let top = layers[count - 1]
        switch top.source {
        case .voice where playhead.isCopied(at: now):
            let clipFrame = Int64(playhead.position(at: now) + 0.5)
            push(
                Layer(
                    source: .copy, view: top.view, clipFrame: clipFrame, start: now,
                    entryLength: playhead.entryFrames(at: now),
                    fallEnd: top.fallEnd, fallLength: top.fallLength))
        case .copy where !playhead.isCopied(at: now):
            replaceCopyByVoice(of: playhead, at: now)
        default:
            break
        }
    }

    /// Replaces the source of the top layer; the layer stays.
    mutating func replaceCopyByVoice(of playhead: Playhead, at now: Int64) {
        guard count > 0 else { return }
        var layer = layers[count - 1]
        startVoice(in: &layer, of: playhead, at: now)
        layers[count - 1] = layer
    }

    /// The source of the top layer; nil without layers.
    var topSource: Layer.Source? { count > 0 ? layers[count - 1].source : nil }

    /// True once a score has brought voices.
    var hasVoices: Bool { !voices.isEmpty }

    /// The kind of source on top, for a change of speed.
    var top: Top {
        switch topSource {
        case .voice(let voice):
            // A plan of splices is made for one speed, so a new speed begins with a voice of its own.
            let (isPlanned, lead) = unsafe (
                voices.voice(voice).pointee.isPlanned(), voices.voice(voice).pointee.leadFrames()
            )
            return isPlanned ? .fixed : .voice(leadFrames: lead)
        case .copy: return .copy
        case .silence, .recorded, nil: return .fixed
        }
    }

    /// Tells the voice on top about a change of speed at a frame that the voice can still follow.
    ///
    /// - Returns: false if the voice has no room for the change.
    mutating func tellTop(
        of playhead: Playhead, at now: Int64, speed: Double, from frame: Int64, over glideFrames: Int64
    ) -> Bool {
        guard case .voice(let voice) = topSource else { return false }
        // A change of the curve at the same frame comes first, as in the score.
        unsafe layers[count - 1].tellKnots(to: voices.voice(voice), along: playhead, before: now + 1)
        let start = layers[count - 1].voiceStart
        guard unsafe voices.voice(voice).pointee.changeSpeed(at: frame - start, to: speed, over: glideFrames) else {
            return false
        }
        // From there on the sound is off the curve and differs from later passes.
        layers[count - 1].nextKnot = CurveKnot.never
        stopRecording()
        return true
    }

    /// Moves the end of the top pass, because its speed changed at output frame `now`.
    mutating func moveEnd(to spanEnd: Int64, at now: Int64) {
        guard count > 0 else { return }
        layers[count - 1].fallEnd = spanEnd
        layers[count - 1].fallLength = min(layers[count - 1].fallLength, Int(spanEnd - now))
    }

    // MARK: Sound

    /// Makes `frameCount` frames from output frame `now` on in `sound`. No fade begins or ends within these frames.
    ///
    /// - Parameter frameCount: at most `chunkFrames`.
    /// - Returns: the lowest gain of the voices' limiters in these frames; 1 without limiting.
    mutating func produce(_ frameCount: Int, of playhead: Playhead, at now: Int64) -> Float {
        guard count > 0 else {
            sound.clear(frameCount)
            return 1
        }
        lowestGain = 1
        unsafe fill(sound.channels, from: 0, frameCount, of: playhead, at: now)
        for index in 1..<max(1, count) {
            let layer = layers[index]
            unsafe fill(incoming.channels, from: index, frameCount, of: playhead, at: now)
            let first = Int(now - layer.start)
            for channel in 0..<source.channelCount {
                // Sound because both buffers hold chunkFrames frames and frameCount is at most chunkFrames.
                let below = unsafe sound.channel(channel)
                let above = unsafe incoming.channel(channel)
                for frame in 0..<frameCount {
                    let weight = Fade.weight(at: first + frame, of: layer.entryLength)
                    unsafe below[frame] += (above[frame] - below[frame]) * weight
                }
            }
        }
        return lowestGain
    }

    private mutating func fill(
        _ output: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, from index: Int, _ frameCount: Int,
        of playhead: Playhead, at now: Int64
    ) {
        let layer = layers[index]
        switch layer.source {
        case .silence:
            for channel in 0..<source.channelCount {
                let samples = unsafe output[channel]
                for frame in 0..<frameCount { unsafe samples[frame] = 0 }
            }
        case .copy:
            note(unsafe source.copy(into: output, from: layer.clipFrame, frameCount, of: layer.view), at: now)
            layers[index].clipFrame += Int64(frameCount)
        case .voice(let voice):
            unsafe stretch(with: voice, for: index, of: playhead, into: output, frameCount, at: now)
        case .recorded(let memory):
            unsafe memory.read(into: output, from: Int(now - layer.start), frameCount)
        }
        unsafe layer.shape(output, channelCount: source.channelCount, frameCount, at: now)
    }

    /// Renders a voice for the layer at `index`, and keeps the output if that layer records.
    private mutating func stretch(
        with index: Int, for layer: Int, of playhead: Playhead,
        into output: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int, at now: Int64
    ) {
        // Sound because the index came from this pool, whose voices live as long as the pool.
        let voice = unsafe voices.voice(index)
        if layer == count - 1 {
            unsafe layers[layer].tellKnots(to: voice, along: playhead, before: now + Int64(frameCount))
        }
        let missing = unsafe source.stretch(with: voice, into: output, frameCount, of: layers[layer].view)
        lowestGain = unsafe min(lowestGain, voice.pointee.takeLowestGain())
        note(missing, at: now)
        guard layers[layer].isRecording else { return }
        // A pass with missing pages must not be reused.
        if missing > 0 { return stopRecording() }
        unsafe recorder.append(UnsafePointer(output), frameCount)
    }

    private mutating func note(_ missing: Int, at now: Int64) {
        // After `endWaits()` the output is not played.
        guard missing > 0, !source.clip.waitsAreOver() else { return }
        starvation.note(missing, at: now)
    }

    /// Returns and clears a completed run of missing frames; see `Starvation`.
    mutating func takeStarvedRun(before now: Int64, always: Bool) -> (start: Int64, frames: Int64)? {
        starvation.takeRun(before: now, always: always)
    }

    // MARK: Voices and kept passes

    /// Returns a voice for the next layer. Without a free voice, every layer has a voice, and `push` would drop the
    /// oldest layer: drop this layer beforehand.
    private mutating func acquireVoice() -> Int? {
        if let voice = voices.acquire() { return voice }
        if !voices.isEmpty { drop(below: 1) }
        return voices.acquire()
    }

    private mutating func startVoice(in layer: inout Layer, of playhead: Playhead, at now: Int64) {
        // A score that needs voices brings enough voices for all layers.
        guard let voice = acquireVoice() else {
            layer.source = .silence
            return
        }
        unsafe layer.start(voices.voice(voice), index: voice, of: playhead, at: now)
    }

    /// Chooses the source of a pass entered at its first frame: the memory if complete, otherwise a voice, recorded if
    /// the pass is repeated. The bits are the same either way.
    private mutating func playPass(_ layer: inout Layer, of playhead: Playhead) {
        let (part, cursor) = (playhead.part, playhead.cursor)
        let isWhole = cursor.clipStart == part.clipStart
        if isWhole && recorder.isComplete(for: cursor.part) {
            layer.source = .recorded(recorder.memory)
            layer.storage = playhead.score.address
            return
        }
        startVoice(in: &layer, of: playhead, at: cursor.spanStart)
        let comesAgain = cursor.pass + 1 < part.firstPass + part.passCount
        guard isWhole, comesAgain, let needed = part.recordedFrames(crossfadeFrames: fades.crossfade) else { return }
        stopRecording()
        layer.isRecording = recorder.begin(part: cursor.part, neededFrames: needed)
    }

    /// At a joint: lets the voice of the ending pass make the few extra frames that a later pass may need, so that the
    /// memory is complete for the next pass. The layer continues from there.
    mutating func completeRecording(of playhead: Playhead, at now: Int64) {
        guard playhead.cursor.part == recorder.part else { return }
        for index in 0..<count where layers[index].isRecording {
            // More frames are missing only in a pass left before its end.
            let missing = recorder.neededFrames - recorder.frameCount
            guard case .voice(let voice) = layers[index].source, missing <= fades.crossfade + 2 else { return }
            while layers[index].isRecording && recorder.frameCount < recorder.neededFrames {
                let frameCount = min(recorder.neededFrames - recorder.frameCount, LayerStack.chunkFrames)
                unsafe stretch(
                    with: voice, for: index, of: playhead, into: incoming.channels, frameCount, at: now)
            }
            guard layers[index].isRecording else { return }
            layers[index].isRecording = false
            layers[index].source = .recorded(recorder.memory)
            layers[index].storage = playhead.score.address
            voices.release(voice)
        }
    }

    /// Stops recording; a complete pass stays in memory.
    private mutating func stopRecording() {
        for index in 0..<count where layers[index].isRecording {
            layers[index].isRecording = false
            recorder.discard()
        }
    }

    /// Returns the frames of a part's view that must be decoded for a fade-in at a frame without missing frames.
    ///
    /// A copy needs only the audible frames. A voice also needs the sound well before these; the frames from there on
    /// count towards the half second that is decoded beforehand.
    func opening(of part: ScorePart, index: Int, from clipFrame: Int64, at now: Int64) -> InputRequest {
        let pass = ScoreCursor.entering(part, index: index, pass: part.firstPass, clipFrame: clipFrame, at: now)
        if part.isCopy(at: pass.motion.phase) || voices.isEmpty {
            return InputRequest(first: clipFrame, count: fades.crossfade)
        }
        let speed = pass.speed(at: now, in: part)
        let before = voices.leadInFrames
        let ahead = voices.aheadFrames(toEmit: fades.crossfade, speed: speed, pitchRatio: part.pitchRatio)
        return InputRequest(first: clipFrame - Int64(before), count: before + min(ahead, sampleRate / 2))
    }

    /// Returns true if these frames are decoded.
    func hasOpening(of part: ScorePart, index: Int, from clipFrame: Int64, at now: Int64) -> Bool {
        let opening = opening(of: part, index: index, from: clipFrame, at: now)
        let frames = part.view.range(opening.first..<opening.first + Int64(opening.count))
        return source.clip.isLoaded(from: frames.lowerBound, count: opening.count)
    }
}
