import Samples
import Testing

@testable import Engine

@Suite("The layers of a player")
struct LayerTests {
    /// Ones after a layer's own fades, in blocks of a length, from the layer's first frame on.
    private static func shaped(_ layer: Layer, _ frameCount: Int, block: Int) -> [Float] {
        var sound: [Float] = []
        while sound.count < frameCount {
            let count = min(block, frameCount - sound.count)
            let buffer = PlanarBuffer(channelCount: 2, frameCount: count)
            for channel in 0..<2 {
                for frame in 0..<count { unsafe buffer.channel(channel)[frame] = 1 }
            }
            unsafe layer.shape(buffer.channels, channelCount: 2, count, at: layer.start + Int64(sound.count))
            for frame in 0..<count {
                let (left, right) = unsafe (buffer.channel(0)[frame], buffer.channel(1)[frame])
                #expect(left == right)
                sound.append(left)
            }
        }
        return sound
    }

    @Test("a layer rises from silence and falls to silence, the same in blocks of any length", arguments: [1, 7, 64])
    func ownFades(block: Int) {
        let layer = Layer(start: 1000, riseLength: 10, fallEnd: 1100, fallLength: 20)
        let sound = Self.shaped(layer, 110, block: block)
        let (rise, fall) = (Fade.weights(frameCount: 10), Fade.weights(frameCount: 20))
        #expect(Array(sound[..<10]) == rise)
        #expect(sound[10..<80].allSatisfy { $0 == 1 })
        #expect(Array(sound[80..<100]) == fall.reversed())
        #expect(sound[100...].allSatisfy { $0 == 0 })
        #expect(Self.shaped(layer, 110, block: 110) == sound)
    }

    @Test("a rise and a fall that overlap weaken each other")
    func overlap() {
        let layer = Layer(start: 0, riseLength: 8, fallEnd: 12, fallLength: 8)
        let fade = Fade.weights(frameCount: 8)
        let sound = Self.shaped(layer, 12, block: 12)
        #expect((4..<8).allSatisfy { sound[$0] == fade[$0] * fade[11 - $0] })
    }

    @Test("a recorder is complete once it has all frames that any pass of its part can need")
    func recorder() {
        let storage = PassStorage(channelCount: 2, frameCount: 100)
        var recorder = PassRecorder(memory: storage.memory)
        let tooLong = recorder.begin(part: 3, neededFrames: 101)
        #expect(!tooLong && recorder.part == nil)
        let begins = recorder.begin(part: 3, neededFrames: 90)
        #expect(begins && !recorder.isComplete(for: 3))
        let block = PlanarBuffer(channelCount: 2, frameCount: 60)
        for frame in 0..<60 {
            unsafe block.channel(0)[frame] = Float(frame)
            unsafe block.channel(1)[frame] = -Float(frame)
        }
        unsafe recorder.append(UnsafePointer(block.channels), 60)
        #expect(recorder.frameCount == 60 && !recorder.isComplete(for: 3))
        // More than the pass needs: the rest is not kept.
        unsafe recorder.append(UnsafePointer(block.channels), 60)
        #expect(recorder.frameCount == 90 && recorder.isComplete(for: 3) && !recorder.isComplete(for: 2))
        let copy = PlanarBuffer(channelCount: 2, frameCount: 90)
        unsafe recorder.memory.read(into: copy.channels, from: 0, 90)
        for frame in 0..<90 {
            let (left, right) = unsafe (copy.channel(0)[frame], copy.channel(1)[frame])
            #expect(left == Float(frame % 60) && right == -Float(frame % 60))
        }
        recorder.discard()
        #expect(!recorder.isComplete(for: 3))
        withExtendedLifetime(storage) {}
    }

    @Test("missing frames of one run are one report, at the run's first frame")
    func starvation() {
        var starvation = Starvation()
        starvation.note(10, at: 100)
        starvation.note(5, at: 110)
        let running = starvation.takeRun(before: 115, always: false)
        let run = starvation.takeRun(before: 116, always: false)
        let none = starvation.takeRun(before: 116, always: true)
        #expect(running == nil && run?.start == 100 && run?.frames == 15 && none == nil)
        starvation.note(1, at: 200)
        let last = starvation.takeRun(before: 201, always: true)
        #expect(last?.start == 200 && last?.frames == 1 && starvation.total == 16)
    }
}
