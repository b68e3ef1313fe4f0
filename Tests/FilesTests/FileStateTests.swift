// The properties for distinguishing states of a file.
import Testing

@testable import Files

@Suite("File states")
struct FileStateTests {
    @Test("a file counts as stable three seconds after its last change, unless that is in the future")
    func settling() {
        func state(_ modified: Int64, _ changed: Int64) -> FileState {
            FileState(
                device: 1, inode: 2, byteCount: 3, modified: FileState.Moment(seconds: modified, nanoseconds: 500),
                changed: FileState.Moment(seconds: changed, nanoseconds: 500))
        }
        func now(_ seconds: Int64, _ nanoseconds: Int64) -> FileState.Moment {
            FileState.Moment(seconds: seconds, nanoseconds: nanoseconds)
        }
        #expect(!state(10, 100).isStable(at: now(103, 500)) && state(10, 100).isStable(at: now(103, 501)))
        #expect(!state(100, 10).isStable(at: now(103, 500)) && state(100, 10).isStable(at: now(104, 0)))
        #expect(!state(200, 10).isStable(at: now(103, 0)))
        #expect(!state(.max, 10).isStable(at: now(.max, 0)) && state(.min, .min).isStable(at: now(0, 0)))
    }
}
