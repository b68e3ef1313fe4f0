internal import Clips
internal import DSP

/// What of a player sounds: a stack of layers, the voices they have, and the passes that are kept.
///
/// A layer is pushed where a span of the score begins (`Playhead` says which); from then on it makes its sound by itself, but for
/// what its voice is told of the speeds to come. It allocates when it is made. Real-time safe: all but making it.
struct LayerStack: ~Copyable {
    /// Two fades may overlap when a command comes, and a joint may come while they do.
    static let maximumLayers = 4
    /// Frames rendered at once: bounds the scratch memory, not the block.
    static let chunkFrames = 1024

    /// What a change of speed finds on top.
    enum Top {
        /// A voice, which follows a change that it is told so many frames before.
        case voice(leadFrames: Int64)
        /// The clip as it is, from which any frame can be left.
        case copy
        /// What cannot change its speed.
        case fixed
    }

    /// The sound that `produce` has made: channels × `chunkFrames`.
    let sound: PlanarBuffer
    /// Layers laid so far: what a change of speed was told for is known by it.
    private(set) var laid: Int64 = 0
    private(set) var starvation = Starvation()

    private let source: ClipSource
    private let channelCount: Int
    private let sampleRate: Int
    private let fades: FadeLengths
    private let incoming: PlanarBuffer
    private var layers: InlineArray<4, Layer> = InlineArray(repeating: Layer())
    private var count = 0
    private var voices: VoicePool
    /// What is kept of the passes that come again.
    private var recorder: PassRecorder

    init(_ source: ClipSource, sampleRate: Int, score: RenderScore) {
        self.source = source
        channelCount = source.channelCount
        self.sampleRate = sampleRate
        fades = FadeLengths(sampleRate: sampleRate)
        sound = PlanarBuffer(channelCount: source.channelCount, frameCount: LayerStack.chunkFrames)
        incoming = PlanarBuffer(channelCount: source.channelCount, frameCount: LayerStack.chunkFrames)
        voices = score.voices
        recorder = PassRecorder(memory: score.recording)
    }

    /// Goes on with the voices and the memory of another score.
    mutating func changeOver(to score: RenderScore) {
        stopRecording()
        if voices.isEmpty { voices = score.voices }
        recorder = PassRecorder(memory: score.recording)
    }

    // MARK: The stack

    /// Layers that are still heard at an output frame.
    func soundingCount(at now: Int64) -> Int {
        var sounding = count
        for index in 1..<max(1, count) where layers[index].entryEnd <= now { sounding = count - index }
        return sounding
    }

    /// Whether a voice is all that is heard.
    func isOneVoice(at now: Int64) -> Bool {
        guard soundingCount(at: now) == 1, case .voice = topSource else { return false }
        return true
    }

    /// The first frame after `now` at which a layer has come in, or `limit`.
    func nextEntryEnd(after now: Int64, limit: Int64) -> Int64 {
        var next = limit
        for index in 0..<count where layers[index].entryEnd > now { next = min(next, layers[index].entryEnd) }
        return next
    }

    /// Whether something sounds from the memory of a score.
    func isHeard(_ score: RenderScore) -> Bool {
        for index in 0..<count where layers[index].storage == score.address { return true }
        return false
    }

    /// Lays silence over what sounds.
    ///
    /// - Parameter entryLength: frames over which it fades in; 0 replaces all at once.
    mutating func pushSilence(at now: Int64, entryLength: Int) {
        push(Layer(source: .silence, start: now, entryLength: entryLength))
    }

    /// Lays the pass that begins at the playhead over what sounds.
    mutating func pushPass(of playhead: Playhead, entryLength: Int) {
        let part = playhead.part
        let cursor = playhead.cursor
        let spanFrames = Int(cursor.spanEnd - cursor.spanStart)
        var layer = Layer(
            clipFrame: cursor.clipStart, start: cursor.spanStart, entryLength: entryLength, fallEnd: cursor.spanEnd)
        switch part.joint {
        case .hard:
            break
        case .fade:
            // A pass entered in its middle rises by its entry already.
            layer.riseLength = cursor.clipStart == part.clipStart ? min(fades.joint, spanFrames / 2) : 0
            layer.fallLength = min(fades.joint, spanFrames / 2)
        case .crossfade:
            // Nothing follows the last pass that could cover its end; the recording's own end needs no cover.
            layer.fallLength =
                playhead.isLast && part.clipEnd < source.frameCount
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
        // Commands wait until two layers or fewer sound and a joint's fade ends within its span, so this does not happen;
        // should it, the oldest layer, by then all but inaudible, makes room.
        if count == LayerStack.maximumLayers { drop(below: 1) }
        layers[count] = layer
        count += 1
        laid += 1
    }

    /// Drops what lies below a layer that has come in fully.
    mutating func dropCovered(at now: Int64) {
        drop(below: count - soundingCount(at: now))
    }

    private mutating func drop(below first: Int) {
        guard first > 0 else { return }
        for index in 0..<first {
            if case .voice(let voice) = layers[index].source { voices.release(voice) }
            // A pass that was left before its end is of no use.
            if layers[index].isRecording { recorder.discard() }
        }
        for index in first..<max(first, count) { layers[index - first] = layers[index] }
        count -= first
    }

    // MARK: Between voice and copy, and from speed to speed

    /// Puts a copy over a voice, faded in at the nearest whole frame of the clip, or a voice in a copy's place, which goes on
    /// with the very next sample.
    mutating func crossCopyBoundary(of playhead: Playhead, at now: Int64) {
        guard count > 0 else { return }
        let top = layers[count - 1]
        switch top.source {
        case .voice where playhead.isCopied(at: now):
            let clipFrame = Int64(playhead.position(at: now) + 0.5)
            push(
                Layer(
                    source: .copy, clipFrame: clipFrame, start: now, entryLength: playhead.entryFrames(at: now),
                    fallEnd: top.fallEnd, fallLength: top.fallLength))
        case .copy where !playhead.isCopied(at: now):
            replaceCopyByVoice(of: playhead, at: now)
        default:
            break
        }
    }

    /// The layer goes on as it came in; only what it hears is another source.
    mutating func replaceCopyByVoice(of playhead: Playhead, at now: Int64) {
        guard count > 0 else { return }
        var layer = layers[count - 1]
        startVoice(in: &layer, of: playhead, at: now)
        layers[count - 1] = layer
    }

    /// What the layer on top plays; nil where there is none.
    var topSource: Layer.Source? { count > 0 ? layers[count - 1].source : nil }

    /// Whether a score has brought voices along.
    var hasVoices: Bool { !voices.isEmpty }

    /// What a change of speed finds.
    var top: Top {
        switch topSource {
        case .voice(let voice):
            // A plan of splices was made for one speed: the new one begins with a voice of its own.
            let (isPlanned, lead) = unsafe (
                voices.voice(voice).pointee.isPlanned(), voices.voice(voice).pointee.leadFrames()
            )
            return isPlanned ? .fixed : .voice(leadFrames: lead)
        case .copy:
            return .copy
        case .silence, .recorded, nil:
            return .fixed
        }
    }

    /// Tells the voice on top a change of speed at a frame that it can still follow.
    ///
    /// - Returns: false when the voice has no room for it.
    mutating func tellTop(
        of playhead: Playhead, at now: Int64, speed: Double, from frame: Int64, over glideFrames: Int64
    ) -> Bool {
        guard case .voice(let voice) = topSource else { return false }
        // A change of the curve at that very frame comes first, as it does in the score.
        unsafe layers[count - 1].tellKnots(to: voices.voice(voice), along: playhead, before: now + 1)
        let start = layers[count - 1].voiceStart
        guard unsafe voices.voice(voice).pointee.changeSpeed(at: frame - start, to: speed, over: glideFrames) else {
            return false
        }
        // What is heard from there on is neither on the curve nor what a later pass will be.
        layers[count - 1].nextKnot = CurveKnot.never
        stopRecording()
        return true
    }

    /// The pass on top ends at another frame, as its speed has changed at output frame `now`.
    mutating func moveEnd(to spanEnd: Int64, at now: Int64) {
        guard count > 0 else { return }
        layers[count - 1].fallEnd = spanEnd
        layers[count - 1].fallLength = min(layers[count - 1].fallLength, Int(spanEnd - now))
    }

    // MARK: Sound

    /// Makes `frameCount` frames from output frame `now` on in `sound`. No fade begins or ends inside.
    ///
    /// - Parameter frameCount: at most `chunkFrames`.
    mutating func produce(_ frameCount: Int, of playhead: Playhead, at now: Int64) {
        guard count > 0 else {
            sound.clear(frameCount)
            return
        }
        unsafe fill(sound.channels, from: 0, frameCount, of: playhead, at: now)
        for index in 1..<max(1, count) {
            let layer = layers[index]
            unsafe fill(incoming.channels, from: index, frameCount, of: playhead, at: now)
            let first = Int(now - layer.start)
            for channel in 0..<channelCount {
                // Sound because both buffers hold chunkFrames frames and frameCount is at most that.
                let below = unsafe sound.channel(channel)
                let above = unsafe incoming.channel(channel)
                for frame in 0..<frameCount {
                    let weight = Fade.weight(at: first + frame, of: layer.entryLength)
                    unsafe below[frame] += (above[frame] - below[frame]) * weight
                }
            }
        }
    }

    private mutating func fill(
        _ output: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, from index: Int, _ frameCount: Int,
        of playhead: Playhead, at now: Int64
    ) {
        let layer = layers[index]
        switch layer.source {
        case .silence:
            for channel in 0..<channelCount {
                let samples = unsafe output[channel]
                for frame in 0..<frameCount { unsafe samples[frame] = 0 }
            }
        case .copy:
            note(unsafe source.copy(into: output, from: layer.clipFrame, frameCount), at: now)
            layers[index].clipFrame += Int64(frameCount)
        case .voice(let voice):
            unsafe stretch(with: voice, for: index, of: playhead, into: output, frameCount, at: now)
        case .recorded(let memory):
            unsafe memory.read(into: output, from: Int(now - layer.start), frameCount)
        }
        unsafe layer.shape(output, channelCount: channelCount, frameCount, at: now)
    }

    /// Frames of a voice for the layer at `index`, kept if that layer is.
    private mutating func stretch(
        with index: Int, for layer: Int, of playhead: Playhead,
        into output: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int, at now: Int64
    ) {
        // Sound because the index came from this pool, whose voices live as long as it does.
        let voice = unsafe voices.voice(index)
        if layer == count - 1 {
            unsafe layers[layer].tellKnots(to: voice, along: playhead, before: now + Int64(frameCount))
        }
        let missing = unsafe source.stretch(with: voice, into: output, frameCount)
        note(missing, at: now)
        guard layers[layer].isRecording else { return }
        // What was heard for want of a page is not what the next pass should be.
        if missing > 0 { return stopRecording() }
        unsafe recorder.append(UnsafePointer(output), frameCount)
    }

    private mutating func note(_ missing: Int, at now: Int64) {
        // After `endWaits()` nothing that is made is heard.
        guard missing > 0, !source.clip.waitsAreOver() else { return }
        starvation.note(missing, at: now)
    }

    /// Takes out a run of missing frames that is over; see `Starvation`.
    mutating func takeStarvedRun(before now: Int64, always: Bool) -> (start: Int64, frames: Int64)? {
        starvation.takeRun(before: now, always: always)
    }

    // MARK: Voices, and passes that come again

    private mutating func startVoice(in layer: inout Layer, of playhead: Playhead, at now: Int64) {
        // A score that needs voices brings them along, enough for all layers.
        guard let voice = voices.acquire() else {
            layer.source = .silence
            return
        }
        unsafe layer.start(voices.voice(voice), index: voice, of: playhead, at: now)
    }

    /// How a pass entered at its first frame sounds: from the memory when it is there, otherwise by a voice, which is kept if
    /// the pass comes again. Whether it comes from a voice or from memory does not change a bit of its sound.
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

    /// At a joint: lets the voice of the pass that ends make the few frames a later pass may still need, so that the next
    /// pass finds the memory complete. The layer goes on from there.
    mutating func completeRecording(of playhead: Playhead, at now: Int64) {
        guard playhead.cursor.part == recorder.part else { return }
        for index in 0..<count where layers[index].isRecording {
            // More is missing only when the pass was left before its end.
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

    /// No layer that sounds is kept any longer; what is complete stays.
    private mutating func stopRecording() {
        for index in 0..<count where layers[index].isRecording {
            layers[index].isRecording = false
            recorder.discard()
        }
    }

    /// The frames of the clip that must be there to fade in a part at one of its clip frames, so that nothing is missing.
    ///
    /// A copy needs what is heard. A voice needs to know the sound that goes on, from well before it; what it needs from there
    /// on counts up to the half second that is decoded beforehand.
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

    /// Whether these frames are there.
    func hasOpening(of part: ScorePart, index: Int, from clipFrame: Int64, at now: Int64) -> Bool {
        let opening = opening(of: part, index: index, from: clipFrame, at: now)
        return source.clip.isLoaded(from: opening.first, count: opening.count)
    }
}
