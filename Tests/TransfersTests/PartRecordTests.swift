import Glibc
import TestSupport
import Testing

@testable import Files
@testable import Transfers

@Suite("Record of a part")
struct PartRecordTests {
    @Test("a closed part can be opened at once, also while a program that is being started has its descriptors")
    func sharedDescriptors() throws {
        let folder = try TestFolder()
        let request = TransferRequest(try WebAddress("http://example.org/a.wav"), to: folder.path("a.wav"))
        let part = try PartFile(request, calls: SystemFileCalls())
        let ending = folder.root.suffix(from: folder.root.lastIndex(of: "/") ?? folder.root.startIndex)
        let copies = DescriptorCopies(ofPathsEndingIn: "\(ending)/a.wav.part")
        let held = try PartSummary(ofFile: request.path)
        #expect(copies.count == 1 && held?.isHeld == true)
        part.close()
        let free = try PartSummary(ofFile: request.path)
        #expect(free?.isHeld == false)
        try PartFile(request, calls: SystemFileCalls()).close()
        #expect(PartSummary.remove(ofFile: request.path, calls: SystemFileCalls()))
        withExtendedLifetime(copies) {}
    }

    @Test(
        "a record or a part that cannot be read for a moment does not count as missing",
        .enabled(if: !Sanitizers.watchThreads))
    func passingError() async {
        // In a separate process, which may open nothing more.
        await #expect(processExitsWith: .success) {
            let folder = try TestFolder()
            let request = TransferRequest(try WebAddress("http://example.org/a.wav"), to: folder.path("a.wav"))
            var part = try PartFile(request, calls: SystemFileCalls())
            _ = try part.beginning(request)
            try part.begin(PartRecord(address: request.address.text))
            try unsafe [UInt8](repeating: 1, count: 3).withUnsafeBytes { try unsafe part.write($0, at: 0) }
            try part.note(3)
            part.close()

            // A single descriptor is left, for the part.
            guard waitForRuntimeDescriptors() else { exit(7) }
            let next = dup(0)
            close(next)
            var limit = rlimit()
            guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(1) }
            var few = rlimit(rlim_cur: rlim_t(next + 1), rlim_max: limit.rlim_max)
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &few) == 0 else { exit(2) }
            var error: TransferError?
            // The runtime closes some descriptors a moment later: take the freed descriptors, too.
            for _ in 0..<20 where error == nil {
                do throws(TransferError) {
                    part = try PartFile(request, calls: SystemFileCalls())
                    guard part.record.durableBytes == 3 else { exit(3) }
                    part.close()
                    _ = dup(0)
                } catch let refusal { error = refusal }
            }
            guard error?.kind == .disk else { exit(4) }
            var fault: FileFault?
            for _ in 0..<20 where fault == nil {
                do throws(FileFault) {
                    guard try PartSummary(ofFile: request.path)?.keptByteCount == 3 else { exit(8) }
                    _ = dup(0)
                } catch let refusal { fault = refusal }
            }
            guard fault?.code == EMFILE else { exit(9) }

            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(5) }
            part = try PartFile(request, calls: SystemFileCalls())
            guard try part.beginning(request) == .goingOn(from: 3) else { exit(6) }
            withExtendedLifetime(folder) {}
        }
    }
}
