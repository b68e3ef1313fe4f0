import Samples
import Stretching
import Testing

@testable import Engine

@Suite("A voice in passages")
struct VoicePassageTests {
    private static let rate = 22_050
    private static let speed = 0.75
    private static let sound = PreparationTests.clip[0]

    /// Splices of one run of the clip, as long as the run at this speed.
    private static func splices(_ clipFrames: Range<Int64>) -> SplicePlan {
        let block = SourceBlock([sound], firstFrame: 0, sampleRate: rate)
        return SplicePlan(SpeechAnalysis(block, range: clipFrames), section: clipFrames, speed: speed)
    }

    private static func passage(_ planFrame: Int64, _ clipFrame: Int64, _ method: VoicePassage.Method) -> VoicePassage {
        VoicePassage(
            planFrame: planFrame, clipFrame: clipFrame, method: method, knowsAttacks: false, keepsFormants: false)
    }

    private static func play(
        _ method: TempoMethod, from clipFrame: Int64, passFrame: Int64 = 0, frames: Int, block: Int = 512
    ) -> [Float] {
        var voice = Voice(channelCount: 1, sampleRate: rate, maximumEmitFrames: 1024)
        let choice = VoiceChoice(method: method, knowsAttacks: false)
        voice.begin(
            VoiceStart(clipFrame: clipFrame, passFrame: passFrame, speed: speed, pitchRatio: 1, choice: choice))
        let buffer = PlanarBuffer(channelCount: 1, frameCount: 1024)
        var output: [Float] = []
        while output.count < frames {
            let count = min(block, frames - output.count)
            while let request = voice.nextInput(toEmit: count) {
                for index in 0..<request.count {
                    let place = Int(request.first) + index
                    unsafe voice.input(0)[index] = sound.indices.contains(place) ? sound[place] : 0
                }
                voice.acceptInput()
            }
            unsafe voice.emit(count, into: UnsafePointer(buffer.channels))
            for index in 0..<count { unsafe output.append(buffer.channel(0)[index]) }
        }
        return output
    }

    @Test("a voice changes from splices to the vocoder between two samples, as if begun there")
    func toVocoder() {
        let plan = Self.splices(3000..<15_000)
        let passages = PassagePlan(
            [Self.passage(0, 3000, .splices(plan.list)), Self.passage(16_000, 15_000, .bands(.three))], splices: [plan],
            isMostlySpeech: true)
        for block in [512, 333] {
            let output = Self.play(.passages(passages.list), from: 3000, frames: 24_000, block: block)
            #expect(Array(output[..<16_000]) == Self.play(.splices(plan.list), from: 3000, frames: 16_000))
            #expect(Array(output[16_000...]) == Self.play(.bands(.three), from: 15_000, frames: 8000))
        }
        // At the change both are the recording itself.
        let output = Self.play(.passages(passages.list), from: 3000, frames: 17_000)
        #expect(Array(output[15_990..<16_100]) == Array(Self.sound[14_990..<15_100]))
    }

    @Test("a voice changes from the vocoder to splices in 10 ms, and stays at the plan's places")
    func toSplices() {
        let plan = Self.splices(9000..<21_000)
        let passages = PassagePlan(
            [Self.passage(0, 3000, .bands(.one)), Self.passage(8000, 9000, .splices(plan.list))], splices: [plan],
            isMostlySpeech: true)
        let spliced = Self.play(.splices(plan.list), from: 9000, frames: 12_000)
        let vocoded = Self.play(.bands(.one), from: 3000, frames: 8400)
        for block in [512, 77] {
            let output = Self.play(.passages(passages.list), from: 3000, frames: 20_000, block: block)
            #expect(Array(output[..<8000]) == Array(vocoded[..<8000]))
            #expect(Array(output[8220...]) == Array(spliced[220...]))
            #expect(
                (8000..<8220).allSatisfy { frame in
                    let (old, new) = (vocoded[frame], spliced[frame - 8000])
                    return output[frame] >= min(old, new) - 1e-6 && output[frame] <= max(old, new) + 1e-6
                })
        }
        // Entered within the splices, the voice follows the plan of the splices.
        let later = Self.play(.passages(passages.list), from: 12_000, passFrame: 12_000, frames: 4000)
        #expect(later == Self.play(.splices(plan.list), from: 12_000, passFrame: 4000, frames: 4000))
    }
}
