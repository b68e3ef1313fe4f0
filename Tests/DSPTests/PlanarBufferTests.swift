import Samples
import TestSupport
import Testing

@Suite("Samples of several channels")
struct PlanarBufferTests {
    @Test("the view of a channel has all frames of this channel, and no others")
    func views() {
        let buffer = PlanarBuffer(channelCount: 2, frameCount: 3)
        let (first, second) = (buffer.samples(0), buffer.samples(1))
        for frame in 0..<3 {
            second[frame] = Float(frame + 1)
            let written = unsafe buffer.channel(1)[frame]
            #expect(written == Float(frame + 1) && first[frame] == 0)
        }
        #expect(first.count == 3 && second.count == 3)
        withExtendedLifetime(buffer) {}
    }

    @Test("a view of a missing channel stops the program", arguments: [-1, 2])
    func missingChannel(channel: Int) async {
        await #expect(processExitsWith: .signal(trapSignal)) { [channel] in
            let buffer = PlanarBuffer(channelCount: 2, frameCount: 3)
            _ = buffer.samples(channel)
        }
    }
}
