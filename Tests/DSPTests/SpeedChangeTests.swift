import DSPHarness
import SoundMeasures
import Stretching
import TestSupport
import Testing

@Suite("Stretcher: speed changes")
struct SpeedChangeTests {
    struct Change {
        var frame: Int64
        var speed: Double
        var glide: Int64
    }

    static let changes = [
        Change(frame: 0, speed: 1.3, glide: 3000), Change(frame: 6000, speed: 0.5, glide: 0),
        Change(frame: 7000, speed: 1.6, glide: 2000), Change(frame: 9000, speed: 0.8, glide: 0),
    ]

    /// Played from frame 500 at 70 % until the changes come; the voice receives the changes all at the start, or each
    /// as late as possible.
    private func changed(
        _ source: [[Float]], frameCount: Int, block: Int, late: Bool, bands: StretchBands = .three
    ) -> [[Float]] {
        var stretcher = Stretcher(channelCount: source.count, sampleRate: 44100, maximumEmitFrames: block)
        stretcher.start(at: 500, speed: 0.7, bands: bands)
        var waiting = Self.changes[...]
        var emitted: Int64 = 0
        return render(
            &stretcher, source, frameCount: frameCount, nextBlock: { block },
            glance: { stretcher in
                let reach = late ? emitted + Int64(block + stretcher.leadFrames) : .max
                while let next = waiting.first, next.frame < reach {
                    let isTaken = stretcher.changeSpeed(atOutput: next.frame, to: next.speed, over: next.glide)
                    #expect(isTaken)
                    waiting.removeFirst()
                }
                emitted += Int64(block)
            })
    }

    @Test("a speed change sounds the same whether given early or late, in blocks of any length")
    func toldEarlyOrLate() {
        var random = SeededGenerator(printedFor: "toldEarlyOrLate")
        let source = [tones([220, 1234], amplitude: 0.3, frameCount: 16000), random.noise(16000)]
        let whole = changed(source, frameCount: 11000, block: 11000, late: false)
        #expect(changed(source, frameCount: 11000, block: 64, late: true) == whole)
        #expect(changed(source, frameCount: 11000, block: 1000, late: true) == whole)
    }

    @Test("a click lands where the integral of the speed puts it, through steps and glides")
    func clicksLandOnTime() {
        var curve = PositionCurve(position: 500, speed: 0.7)
        for change in Self.changes { curve.change(at: change.frame, to: change.speed, over: change.glide) }
        let expected: [Int64] = [4000, 8000, 12000]
        var source = [Float](repeating: 0, count: 20000)
        for frame in expected {
            let place = Int(curve.position(at: frame))
            for index in 0..<8 { source[place + index] = index % 2 == 0 ? 0.8 : -0.4 }
        }
        let output = changed([source], frameCount: 14000, block: 512, late: true, bands: .one)[0]
        for frame in expected {
            let near = Int(frame) - 900...Int(frame) + 900
            let weights = output[near].map { Double($0) * Double($0) }
            let centre = dot(weights, near.map(Double.init)) / weights.reduce(0, +)
            // Half a millisecond; the middle of a click lies two frames behind its first.
            #expect(abs(centre - Double(frame) - 2) < 22)
        }
    }
}
