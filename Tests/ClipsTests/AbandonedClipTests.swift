import SoundFileSupport
import Testing

@testable import AudioFiles
@testable import Clips

@Suite("Abandoned clip")
struct AbandonedClipTests {
    // The program sleeps for long enough that this is not a measure of speed: a clip that waited for the program's end
    // would take as long. A time limit of the test would also count the waiting for a thread.
    @Test("the release of a clip ends the ffmpeg that the clip's thread may be waiting for")
    func ffmpeg() throws {
        let begin = ContinuousClock.now
        let scratch = try Scratch()
        let format = try #require(Format.all.first { $0.name == "M4A" })
        let file = try OpenedFile(path: format.file(in: scratch, frameCount: 88_200))
        let decoder = try FFmpegDecoder.open(
            file, container: "adts", tools: pretendedFFmpeg(then: "exec sleep 1800", in: scratch))
        let clip = try Clip(decoder, sampleRate: nil, memoryBudget: 1 << 20)
        try clip.waitUntilLoaded([0..<1000])
        let reader = clip.makeReader()
        clip.request(ClipDemand([80_000..<88_200]), for: reader)
        // The clip's thread may wait for those pages by now; the end of the clip must not.
        clip.release(reader)
        drop(clip)
        #expect(ContinuousClock.now - begin < .seconds(1800), "the end of the clip waited for the program's end")
    }

    private func drop(_ clip: consuming Clip) { _ = consume clip }
}
