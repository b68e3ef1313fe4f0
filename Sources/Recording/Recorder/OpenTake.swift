internal import AudioDevices
internal import AudioFiles
internal import Files
internal import Realtime

/// A take in progress, with its open file.
final class OpenTake {
    let sink: any TakeSink
    let request: TakeRequest
    /// Nil if loudness is not defined at this rate.
    let meter: TakeLoudnessMeter?
    let waveform: TakeWaveform
    var frameCount: Int64 = 0
    var lostFrames: Int64 = 0
    var failure: AudioFileError?
    private var visibleAt = MonotonicTime.now()
    private var safeAt = MonotonicTime.now()

    /// The greatest age of samples not yet visible to readers, or not yet safe from a power cut, in ns: half of the
    /// guarantee.
    private static let (visibleAge, safeAge): (Int64, Int64) = (100_000_000, 500_000_000)

    init(_ draft: TakeDraft, sampleRate: Int, inputChannels: Int) {
        sink = draft.sink
        request = draft.request
        let channelCount = draft.request.channels.count(inputChannels: inputChannels)
        meter = TakeLoudnessMeter(sampleRate: sampleRate, channelCount: channelCount)
        waveform = TakeWaveform(
            format: draft.request.format, sampleRate: sampleRate, channelCount: channelCount)
    }

    /// Appends frames of the input, at most `TakeBlocks.frameCapacity`; leaves out frames beyond the limit.
    ///
    /// - Parameters:
    ///   - interleaved: All channels of the input.
    ///   - blocks: Scratch memory.
    func append(
        _ interleaved: UnsafePointer<Float>, count: Int, through blocks: TakeBlocks
    ) throws(AudioFileError) {
        let fitting = Int(fitting(Int64(count)))
        unsafe blocks.separate(interleaved, count: fitting, request.channels)
        unsafe waveform.store(blocks.channels, frameCount: fitting)
        try unsafe sink.write(blocks.channels, frameCount: fitting)
        frameCount += Int64(fitting)
        unsafe meter?.process(blocks.channels, frameCount: fitting)
        unsafe waveform.append(blocks.channels, frameCount: fitting)
    }

    /// Appends silence for lost frames; leaves out frames beyond the limit.
    func appendSilence(_ count: Int64, through blocks: TakeBlocks) throws(AudioFileError) {
        let fitting = fitting(count)
        try sink.writeSilence(frameCount: fitting)
        frameCount += fitting
        lostFrames += fitting
        // Loudness is measured on the file, including its silence.
        blocks.clear()
        var rest = fitting
        while rest > 0 {
            let part = min(rest, Int64(TakeBlocks.frameCapacity))
            unsafe meter?.process(blocks.channels, frameCount: Int(part))
            rest -= part
        }
        waveform.appendSilence(fitting)
    }

    /// Returns how many of `count` frames fit into the take's limit.
    func fitting(_ count: Int64) -> Int64 { request.frameLimit.map { max(0, min(count, $0 - frameCount)) } ?? count }

    /// Writes a checkpoint or synchronises, when samples have waited long enough.
    ///
    /// The ages count from the end of a call. If they counted from its beginning, a disk that takes half a second per
    /// call would be asked after each part of a backlog. Then the writer would never catch up.
    func secure() throws(AudioFileError) {
        if MonotonicTime.now() - visibleAt >= Self.visibleAge {
            try sink.checkpoint()
            visibleAt = MonotonicTime.now()
        }
        if MonotonicTime.now() - safeAt >= Self.safeAge {
            try sink.synchronise()
            safeAt = MonotonicTime.now()
        }
    }
}
