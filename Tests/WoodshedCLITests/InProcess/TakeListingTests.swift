// The entry of a running take in the list of takes.
import Glibc
import Testing
import WoodshedPractice

@testable import WoodshedCLI

@Suite("The list entry of a running take")
struct TakeListingTests {
    @Test("a take that is discarded before the thread of its entry begins is not listed afterwards")
    func droppedFirst() async {
        // In a separate process, because the environment gives the place of the user's store.
        await #expect(processExitsWith: .success) {
            let folder = TestFolder()
            unsafe setenv("XDG_DATA_HOME", folder.path, 1)
            let sound = StoredTake.Sound(time: 1, sampleRate: 48_000, channelCount: 1, frameCount: 0)
            let kept = TakeListing(path: folder["kept.wav"], sound)
            kept.add()
            let discarded = TakeListing(path: folder["discarded.wav"], sound)
            discarded.drop()
            discarded.add()
            let listed = try PracticeStore(.user).takes()
            guard listed.map(\.path) == [folder["kept.wav"]] else { exit(1) }
        }
    }
}
