// AudioDevices: plays and records blocks of planar Float32 on a sound card (ALSA), with a file, or with nothing, by a real
// or a virtual clock. One contract for all of them; achieved values are read back; faults become incidents and typed errors.
//
// It does not decode, mix or dither, resamples only to bring a second card to the clock of the first, and knows nothing of
// clips and scores. It never prints: what ALSA would write to the terminal is muted on every thread that calls it from here.

/// What every open stream can be asked, whichever way the sound goes.
///
/// A stream runs once. After ``stop()``, or after its callback has ended it, open another one. The device thread belongs to
/// the stream and ends with it: releasing the last reference stops it.
public protocol AudioStream: AnyObject, Sendable {
    /// What the stream has counted so far.
    ///
    /// Real-time safe: no.
    var statistics: StreamStatistics { get }

    /// Takes out what went wrong since the last call, in the order it happened.
    ///
    /// Each incident is given once, to whoever asks first. A stream keeps 256; when nobody asks, later ones are only counted
    /// in ``StreamStatistics/incidentsMissed``. Real-time safe: no.
    func takeIncidents() -> [StreamIncident]

    /// Stops at once, waits for the device thread and closes the device.
    ///
    /// What the device still held is neither played nor delivered; a file keeps what was written and is closed valid. May be
    /// called at any time, from any thread, any number of times. Called from a callback it only asks the stream to end after
    /// the present block. Returns within one callback and a fraction of a second. Real-time safe: no.
    func stop()

    /// Waits until the stream has ended or was stopped, and throws what ended it otherwise.
    ///
    /// Returns at once when the stream was never started. Do not call it from a callback. Real-time safe: no.
    func waitUntilFinished() throws(DeviceError)
}

/// One open output: a device thread that asks for blocks and plays them.
///
/// Real-time safe: no, but for what the callbacks say.
public protocol OutputStream: AudioStream {
    /// What the device agreed to, read back from it.
    ///
    /// Compare it with the request: rate, channels and period may differ. Real-time safe: yes.
    var configuration: StreamConfiguration { get }

    /// How far the stream has come, as of the last block.
    ///
    /// Real-time safe: no (takes a lock that the device thread never takes).
    var position: StreamPosition { get }

    /// Starts the device thread, which calls `callbacks` until the stream ends.
    ///
    /// It returns before the first block is played. Faults met later end the stream and come out of
    /// ``AudioStream/waitUntilFinished()``. Throws `invalidRequest` when the stream has been started or stopped before.
    /// Real-time safe: no.
    func start(_ callbacks: StreamCallbacks) throws(DeviceError)
}

extension AudioStream {
    /// None, for streams of one's own that cannot fail.
    public func takeIncidents() -> [StreamIncident] { [] }
}

/// What an output stream calls on its device thread.
///
/// The thread holds the closures until it ends, so they must not own the stream.
public struct StreamCallbacks: Sendable {
    /// Called before each block under the virtual clock only, with the block's length in frames.
    ///
    /// It may block, allocate and lock: the virtual clock stands still meanwhile.
    public let prepare: @Sendable (_ frameCount: Int) -> Void

    /// Fills one block and returns how many of its frames are valid.
    ///
    /// Fewer than `block.frameCount` ends the stream after them: they are played out, then the stream is finished. The
    /// buffers hold arbitrary old samples on entry. Called in real time under either clock: no allocation, lock or
    /// system call.
    public let render: @Sendable (_ block: RenderBlock) -> Int

    /// Told that the device ran dry before `atFrame` and was silent for about `lostFrames` frames.
    ///
    /// No frame of the sound is skipped: frame `atFrame` follows after the silence. Called in real time.
    public let xrun: @Sendable (_ atFrame: Int64, _ lostFrames: Int64) -> Void

    /// Gathers the functions of one stream.
    ///
    /// `prepare` and `xrun` may be left out. Real-time safe: no.
    public init(
        prepare: @escaping @Sendable (_ frameCount: Int) -> Void = { _ in },
        render: @escaping @Sendable (_ block: RenderBlock) -> Int,
        xrun: @escaping @Sendable (_ atFrame: Int64, _ lostFrames: Int64) -> Void = { _, _ in }
    ) {
        self.prepare = prepare
        self.render = render
        self.xrun = xrun
    }
}

/// A block to be filled: planar Float32, valid during the render call only.
///
/// (Safe to pass on; following its pointers is not, and wants marking.)
@safe
public struct RenderBlock {
    /// One buffer of `frameCount` samples for each channel; nominal range −1 … 1.
    public let channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    /// How many channels there are, as in the stream's configuration.
    public let channelCount: Int
    /// How many frames to fill, at least 1 and at most the configuration's `periodFrames`.
    public let frameCount: Int
    /// The stream's frame at which the block begins, from 0.
    public let outputFrame: Int64

    /// Describes a block of buffers that the caller owns, for offline rendering and tests.
    ///
    /// `channels` points to `channelCount` buffers of at least `frameCount` samples. Real-time safe: yes.
    package init(
        channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, channelCount: Int, frameCount: Int,
        outputFrame: Int64
    ) {
        unsafe self.channels = unsafe channels
        self.channelCount = channelCount
        self.frameCount = frameCount
        self.outputFrame = outputFrame
    }
}

/// Opens an output for playing.
///
/// The device is held from here until the stream is stopped, has ended or is released. `default` on a machine without a
/// sound card fails at once with `noDevice`; a device that another program holds is tried for up to a second, then `busy`.
/// A file is created here, under a temporary name until the stream ends.
/// Throws what the device refused, with the remedy. Real-time safe: no.
public func openOutput(_ device: OutputDevice, _ request: StreamRequest) throws(DeviceError) -> any OutputStream {
    switch device {
    case .system(let name):
        return try DeviceOutput(StreamCore(ALSABackend(output: name, request), request))
    case .null, .file:
        return try DeviceOutput(StreamCore(ClockedBackend(output: device, request), request))
    }
}
