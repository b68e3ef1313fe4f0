import Foundation
import TestSupport
import Testing

@testable import UserState

@Suite("Locked file")
struct LockedFileTests {
    @Test("a changed file can be changed again at once, also while a program that is being started has its descriptors")
    func sharedDescriptors() throws {
        let name = "woodshed-locked-\(UInt64.random(in: 0...UInt64.max))"
        let folder = NSTemporaryDirectory() + name
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = LockedFile(path: folder + "/state")
        var copies: DescriptorCopies?
        try file.change(failure: { $0 }) { (_) throws(LockedFile.Fault) in
            copies = DescriptorCopies(ofPathsEndingIn: name + "/state.lock")
            return "one"
        }
        #expect(copies?.count == 1)
        try file.change(failure: { $0 }) { (before) throws(LockedFile.Fault) in
            #expect(before == Array("one".utf8))
            return "two"
        }
        #expect(try file.read() == Array("two".utf8))
        withExtendedLifetime(copies) {}
    }
}
