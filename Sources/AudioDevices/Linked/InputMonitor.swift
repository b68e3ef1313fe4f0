internal import Synchronization

/// Adds the input of a duplex stream to its output.
final class InputMonitor: Sendable {
    /// The audible channels, each in a byte from the lowest on, counted from 1; 0 ends the list. Relaxed: a single
    /// value, without other memory that depends on it.
    private let chosen = Atomic<UInt64>(0)

    /// The most audible channels.
    private static let mostChannels = 8

    /// Chooses the channels, from 0; an empty list for silence. Any thread.
    func choose(_ channels: [Int], inputChannels: Int) {
        var code: UInt64 = 0
        let heard = channels.filter { (0..<min(inputChannels, 255)).contains($0) }.prefix(Self.mostChannels)
        for channel in heard.reversed() { code = code << 8 | UInt64(channel + 1) }
        chosen.store(code, ordering: .relaxed)
    }

    /// Adds the chosen channels to a rendered block. Device thread. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func mix(_ block: DuplexBlock) {
        let code = chosen.load(ordering: .relaxed)
        if code == 0 { return }
        let isOne = code >> 8 == 0
        var (rest, output) = (code, 0)
        while output < block.output.channelCount, rest != 0 {
            let source = unsafe block.input.channels[Int(rest & 255) &- 1]
            let target = unsafe block.output.channels[output]
            let count = min(block.input.frameCount, block.output.frameCount)
            var frame = 0
            while frame < count {
                unsafe target[frame] += source[frame]
                frame &+= 1
            }
            output &+= 1
            if !isOne { rest >>= 8 }
        }
    }
}
