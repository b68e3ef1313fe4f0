internal import AudioFiles
internal import DSP

// Making sound: what each layer gives, and how a layer fades in over those below it.
extension PlayerCore {
    // MARK: The stack

    /// Lays a layer over what sounds; without an entry it replaces all of it.
    ///
    /// Real-time safe: yes.
    mutating func push(_ layer: Layer) {
        if layer.entryLength == 0 { dropLayers(below: layerCount) }
        // Commands wait until two layers or fewer sound and a joint's fade ends within its span, so this does not happen;
        // should it, the oldest layer, by then all but inaudible, makes room.
        if layerCount == PlayerCore.maximumLayers { dropLayers(below: 1) }
        layers[layerCount] = layer
        layerCount += 1
        layersLaid += 1
    }

    /// Drops what lies below a layer that has come in fully.
    mutating func dropCoveredLayers(at now: Int64) {
        var index = layerCount - 1
        while index > 0 {
            if layers[index].entryEnd <= now {
                dropLayers(below: index)
                return
            }
            index -= 1
        }
    }

    private mutating func dropLayers(below count: Int) {
        guard count > 0 else { return }
        for index in 0..<count {
            if case .voice(let voice) = layers[index].source { voices.release(voice) }
            // A pass that was left before its end is of no use.
            if layers[index].isRecording { recorder.discard() }
        }
        for index in count..<max(count, layerCount) { layers[index - count] = layers[index] }
        layerCount -= count
    }

    // MARK: Sound

    /// Makes `count` frames from output frame `now` on in `mixed`. No fade begins or ends inside.
    mutating func produce(_ count: Int, at now: Int64) {
        guard layerCount > 0 else {
            mixed.clear(count)
            return
        }
        unsafe fill(mixed.channels, from: 0, count, at: now)
        for index in 1..<max(1, layerCount) {
            let layer = layers[index]
            unsafe fill(incoming.channels, from: index, count, at: now)
            let first = Int(now - layer.start)
            for channel in 0..<channelCount {
                // Sound because both buffers hold chunkFrames frames and count is at most that.
                let below = unsafe mixed.channel(channel)
                let above = unsafe incoming.channel(channel)
                for frame in 0..<count {
                    let weight = Fade.weight(at: first + frame, of: layer.entryLength)
                    unsafe below[frame] += (above[frame] - below[frame]) * weight
                }
            }
        }
    }

    private mutating func fill(
        _ output: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, from index: Int, _ count: Int, at now: Int64
    ) {
        let layer = layers[index]
        switch layer.source {
        case .silence:
            for channel in 0..<channelCount {
                let samples = unsafe output[channel]
                for frame in 0..<count { unsafe samples[frame] = 0 }
            }
            return
        case .copy:
            unsafe copyClip(into: output, from: layer.clipFrame, count, at: now)
            layers[index].clipFrame += Int64(count)
        case .voice(let voice):
            unsafe stretch(with: voice, for: index, into: output, count, at: now)
        case .recorded(let memory):
            unsafe memory.read(into: output, from: Int(now - layer.start), count)
        }
        if layer.riseLength > 0 || layer.fallLength > 0 { unsafe shape(output, layer, count, at: now) }
    }

    /// The clip as it is. Past its end, where only a fading layer reads, it is mirrored: zeros there would be a step.
    private mutating func copyClip(
        into output: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, from clipFrame: Int64, _ count: Int,
        at now: Int64
    ) {
        let inside = Int(max(0, min(Int64(count), clipFrameCount - clipFrame)))
        var missing = 0
        for channel in 0..<channelCount {
            let samples = unsafe output[channel]
            missing = max(missing, unsafe clip.read(channel: channel, from: clipFrame, count: inside, into: samples))
            for frame in inside..<max(inside, count) {
                let mirrored = 2 * clipFrameCount - 1 - (clipFrame + Int64(frame))
                _ = unsafe clip.read(channel: channel, from: mirrored, count: 1, into: samples + frame)
            }
        }
        noteMissing(missing, at: now)
    }

    /// Frames of a voice for the layer at `index`, kept if that layer is.
    mutating func stretch(
        with voice: Int, for index: Int, into output: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, _ count: Int,
        at now: Int64
    ) {
        if index == layerCount - 1 { tellKnots(voice, of: index, before: now + Int64(count)) }
        // Sound because the index came from this pool, whose voices live as long as it does.
        let voice = unsafe voices.voice(voice)
        var missing = 0
        while true {
            // A reader that waited for pages held nothing meanwhile: what the voice was told before may have gone.
            unsafe tellAttacks(voice)
            guard let request = unsafe voice.pointee.nextInput(toEmit: count) else { break }
            missing = max(missing, unsafe feed(voice, request))
        }
        unsafe voice.pointee.emit(count, into: UnsafePointer(output))
        noteMissing(min(missing, count), at: now)
        guard layers[index].isRecording else { return }
        // What was heard for want of a page is not what the next pass should be.
        if missing > 0 { return stopRecording() }
        unsafe recorder.append(UnsafePointer(output), count)
    }

    /// Tells a voice the attacks around its place, anew for each piece: what was found a while ago may have been let go.
    private func tellAttacks(_ voice: UnsafeMutablePointer<Voice>) {
        guard let attacks else { return }
        var frame: Int64 = 0
        guard unsafe voice.pointee.wantsAttacks(around: &frame) else { return }
        unsafe voice.pointee.setAttacks(attacks.list(around: frame) ?? .empty)
    }

    /// Gives a voice the part of the clip it asked for; returns the frames that were missing.
    func feed(_ voice: UnsafeMutablePointer<Voice>, _ request: InputRequest) -> Int {
        var missing = 0
        for channel in 0..<channelCount {
            let input = unsafe voice.pointee.input(channel)
            missing = max(
                missing, unsafe clip.read(channel: channel, from: request.first, count: request.count, into: input))
        }
        unsafe voice.pointee.acceptInput()
        return missing
    }

    /// The layer's own rise from silence and fall to it.
    private func shape(
        _ output: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, _ layer: Layer, _ count: Int, at now: Int64
    ) {
        let fallStart = layer.fallEnd - Int64(layer.fallLength)
        for frame in 0..<count {
            let moment = now + Int64(frame)
            var weight: Float = 1
            let risen = Int(moment - layer.start)
            if risen < layer.riseLength { weight = Fade.weight(at: risen, of: layer.riseLength) }
            if layer.fallLength > 0 && moment >= fallStart {
                let left = Int(layer.fallEnd - 1 - moment)
                weight *= Fade.weight(at: left, of: layer.fallLength)
            }
            if weight < 1 {
                for channel in 0..<channelCount { unsafe output[channel][frame] *= weight }
            }
        }
    }

    private mutating func noteMissing(_ missing: Int, at now: Int64) {
        // Who was told to wait no more makes nothing that is heard.
        guard missing > 0, !clip.waitsAreOver() else { return }
        if starvedRun == 0 { starvedSince = now }
        starvedRun += Int64(missing)
        status.starvedFrames += Int64(missing)
    }
}
