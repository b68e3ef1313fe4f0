// Everything permitted with this module on a render thread, in functions checked by the compiler in release builds: the
// claim is a build without errors. A render path has this form: a noncopyable struct of halves, concrete types, no
// classes.
import Realtime

/// A command of some render thread.
struct Command: BitwiseCopyable, Sendable {
    var frame: Int64
    var value: Double
}

/// A render thread's state.
@safe
struct RenderPath: ~Copyable {
    var commands: RingConsumer<Command>
    var events: RingProducer<Command>
    var sound: RingProducer<Float>
    var echo: RingConsumer<Float>
    var levels: SnapshotWriter<SIMD4<Float>>
    var settings: SnapshotReader<Command>
    let pages: ReadEpoch.Reader

    /// Renders a block. Returns a number that depends on the whole block, so the compiler keeps all work.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    mutating func render(_ block: UnsafeMutableBufferPointer<Float>) -> Int {
        RealtimeScope.enter()
        let flush = FlushToZero()
        pages.enter()
        var sum = 0
        while let command = commands.pop() { sum += events.push(command) ? Int(command.frame) : 0 }
        let setting = settings.read()
        levels.write(SIMD4(repeating: Float(setting.value)))
        if settings.hasNewValue { sum += 1 }
        sum += unsafe sound.write(from: UnsafeBufferPointer(block))
        sum += unsafe echo.read(into: block)
        sum += unsafe sound.withWritable(3) { first, _ in unsafe silence(first) }
        sum += unsafe echo.withReadable(3) { first, second in first.count + second.count }
        sum += sound.writableCount + echo.readableCount
        pages.leave()
        flush.restore()
        RealtimeScope.leave()
        return sum
    }
}

/// A separate function, because even a `for` loop or `min` within a closure does not pass the compiler's check.
#if REALTIME_CHECKS
    @_noAllocation @_noLocks
#endif
private func silence(_ slice: UnsafeMutableBufferPointer<Float>) -> Int {
    for index in 0..<slice.count { unsafe slice[index] = 0 }
    return min(slice.count, 1)
}
