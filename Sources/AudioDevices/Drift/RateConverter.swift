import CSampleRate

/// Converts sound from one clock to another with libsamplerate's band-limited interpolation (121 dB). The ratio may
/// change with every block, and the exact source position of the next frame is known.
@safe
struct RateConverter: ~Copyable {
    /// Source frames that a frame needs after its position, at equal rates.
    private static let halfFilter = 48.0

    let channelCount: Int
    /// Source frames supplied so far, minus the position of the next frame.
    private(set) var lag = 0.0
    private let state: OpaquePointer
    /// Interleaved source frames; the first `held` frames are not used yet.
    private let source: UnsafeMutablePointer<Float>
    private let sourceCapacity: Int
    private var held = 0
    private let result: UnsafeMutablePointer<Float>
    private let resultCapacity: Int

    /// For blocks of up to `blockFrames`, each frame of which is about `step` source frames. Nil if there is no
    /// memory.
    init?(channelCount: Int, blockFrames: Int, step: Double) {
        var code: Int32 = 0
        guard let state = unsafe src_new(Int32(SRC_SINC_MEDIUM_QUALITY), Int32(channelCount), &code) else { return nil }
        unsafe self.state = unsafe state
        self.channelCount = channelCount
        resultCapacity = blockFrames
        sourceCapacity = Int((Double(blockFrames) + 2 * Self.halfFilter + 16) * max(1, step) * 1.01) + 16
        unsafe source = .allocate(capacity: sourceCapacity * channelCount)
        unsafe source.initialize(repeating: 0, count: sourceCapacity * channelCount)
        unsafe result = .allocate(capacity: resultCapacity * channelCount)
        unsafe result.initialize(repeating: 0, count: resultCapacity * channelCount)
    }

    deinit {
        unsafe src_delete(state)
        unsafe source.deallocate()
        unsafe result.deallocate()
    }

    /// Returns the number of source frames needed after a frame's position.
    static func lookahead(step: Double) -> Int { Int(halfFilter * max(1, step) * 1.01) + 4 }

    /// Returns the number of source frames still needed for `count` frames at this step; all of them fit. Real-time
    /// safe: yes.
    func missingFrames(for count: Int, step: Double) -> Int {
        let end = Double(count) * step + Self.halfFilter * max(1, step)
        return min(max(0, Int(end - lag) + 1), sourceCapacity - held)
    }

    /// Memory for the next source frames, interleaved; at most `missingFrames`. Real-time safe: yes.
    var supply: UnsafeMutablePointer<Float> { unsafe source + held * channelCount }

    /// Takes `supplied` more source frames and makes up to `count` frames of `step` source frames each. Writes the
    /// frames to `channels` from frame `first` on and returns their number.
    ///
    /// Real-time safe: yes.
    mutating func convert(
        _ supplied: Int, step: Double, to channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, from first: Int,
        count: Int
    ) -> Int {
        held += supplied
        var data = unsafe SRC_DATA()
        unsafe data.data_in = UnsafePointer(source)
        unsafe data.data_out = result
        unsafe data.input_frames = held
        unsafe data.output_frames = min(count, resultCapacity)
        unsafe data.src_ratio = 1 / step
        // Set beforehand, so that the ratio applies to the whole block; otherwise the ratio would glide.
        _ = unsafe woodshed_src_set_ratio(state, data.src_ratio)
        guard unsafe woodshed_src_process(state, &data) == 0 else { return 0 }
        let made = unsafe data.output_frames_gen
        lag += Double(supplied) - Double(made) * step
        keep(from: unsafe data.input_frames_used)
        var channel = 0
        while channel < channelCount {
            let target = unsafe channels[channel] + first
            var frame = 0
            while frame < made {
                unsafe target[frame] = unsafe result[frame &* channelCount &+ channel]
                frame &+= 1
            }
            channel &+= 1
        }
        return made
    }

    /// Keeps unused frames for the next call.
    private mutating func keep(from used: Int) {
        held -= used
        let bytes = held * channelCount * MemoryLayout<Float>.stride
        unsafe UnsafeMutableRawPointer(source).copyMemory(from: source + used * channelCount, byteCount: bytes)
    }
}
