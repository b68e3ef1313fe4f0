import Stretching
import TestSupport
import Testing

@Suite("Position curve")
struct PositionCurveTests {
    @Test("the position at one speed is start + frames × speed, to the last bit, also before the start")
    func constantSpeed() {
        let curve = PositionCurve(position: 1000, speed: 0.7)
        for frame in [-5000, -1, 0, 1, 77, 1 << 40] as [Int64] {
            #expect(curve.position(at: frame) == 1000 + Double(frame) * 0.7)
            #expect(curve.speed(at: frame) == 0.7)
        }
    }

    @Test("the speed steps at the given frame, and changes linearly over a glide")
    func stepsAndGlides() {
        var curve = PositionCurve(position: 44_100, speed: 0.7)
        curve.change(at: 4410, to: 1.3, over: 2205)
        curve.change(at: 10_000, to: 0.5, over: 0)
        #expect(curve.speed(at: 4409) == 0.7)
        #expect(curve.speed(at: 4410) == 0.7)
        #expect(abs(curve.speed(at: 4410 + 735) - 0.9) < 1e-12)
        #expect(curve.speed(at: 4410 + 2205) == 1.3)
        #expect(curve.speed(at: 9999) == 1.3)
        #expect(curve.speed(at: 10_000) == 0.5)
        #expect(curve.position(at: 4410) == 44_100 + 4410 * 0.7)
        // The mean speed of a linear glide is the mean of its two ends.
        let glide: Double = curve.position(at: 6615) - curve.position(at: 4410)
        let after: Double = curve.position(at: 10_100) - curve.position(at: 10_000)
        #expect(abs(glide - 2205) < 1e-9)
        #expect(abs(after - 50) < 1e-9)
    }

    @Test("the position is the sum of all speeds after any changes, and forgetting the past changes nothing")
    func equalsTheSum() {
        var random = SeededGenerator(printedFor: "equalsTheSum")
        var curve = PositionCurve(position: 5, speed: 1)
        var forgetful = curve
        var (position, frame) = (5.0, Int64(0))
        for _ in 0..<200 {
            let next = frame + Int64.random(in: 0...400, using: &random)
            while frame < next {
                #expect(abs(curve.position(at: frame) - position) < 1e-6)
                #expect(forgetful.position(at: frame) == curve.position(at: frame))
                #expect(forgetful.speed(at: frame) == curve.speed(at: frame))
                // Exact on a linear stretch: the mean of the speeds at both ends.
                position += (curve.speed(at: frame) + curve.speed(at: frame + 1)) / 2
                frame += 1
            }
            let speed = Double.random(in: 0.25...4, using: &random)
            // Glides end on whole frames; the next change often cuts a glide short.
            let glide = Bool.random(using: &random) ? 0 : Int64.random(in: 1...600, using: &random)
            curve.forget(before: frame - 300)
            forgetful.forget(before: frame)
            let taken = curve.change(at: frame, to: speed, over: glide)
            let takenAlike = forgetful.change(at: frame, to: speed, over: glide)
            #expect(taken && takenAlike)
        }
    }

    @Test("a full position curve refuses a change, and accepts it after forgetting the past")
    func bounded() {
        var curve = PositionCurve(position: 0, speed: 1)
        let fits = (1..<Int64(PositionCurve.capacity)).allSatisfy { curve.change(at: $0 * 10, to: 0.5, over: 3) }
        #expect(fits)
        let before = curve.position(at: 100_000)
        let tooMany = curve.change(at: 1000, to: 2, over: 0)
        #expect(!tooMany)
        #expect(curve.position(at: 100_000) == before)
        let replaced = curve.change(at: 310, to: 0.5, over: 3)
        #expect(replaced, "a change at the same frame needs no room")
        curve.forget(before: 25)
        let fitsAgain = curve.change(at: 1000, to: 2, over: 0)
        #expect(fitsAgain && curve.lastChange == 1000)
    }

    @Test("the position drifts by less than a millionth of a frame over an hour of changes")
    func noDrift() {
        // 70 % and 130 % in turn, 11 025 frames each: 22 050 source frames in every 22 050 frames of output.
        var curve = PositionCurve(position: 0, speed: 0.7)
        var frame: Int64 = 0
        for turn in 1...14_400 {
            frame += 11_025
            curve.forget(before: frame - 1)
            curve.change(at: frame, to: turn % 2 == 0 ? 0.7 : 1.3, over: 0)
        }
        #expect(abs(curve.position(at: frame) - Double(frame)) < 1e-6)
    }

    @Test("the time to cover a distance is the inverse of the distance, through glides of every kind")
    func inverse() {
        var random = SeededGenerator(printedFor: "inverse")
        for _ in 0..<2000 {
            let from = Double.random(in: 0.25...4, using: &random)
            let to = Bool.random(using: &random) ? Double.random(in: 0.25...4, using: &random) : from * (1 + 1e-12)
            let frames = [0, 1, 0.37, 1e3, 1e7][Int.random(in: 0..<5, using: &random)]
            let glide = SpeedGlide(from: from, to: to, over: frames)
            let time = Double.random(in: 0...(2 * frames + 1000), using: &random)
            let back = glide.time(toCover: glide.distance(after: time))
            // A few units in the last place of the larger of both numbers.
            #expect(abs(back - time) <= 1e-14 * (time + glide.distance(after: time) + 1), "\(from) \(to) \(frames)")
        }
    }
}
