// The read epoch: an object is freed only when the reader cannot hold it any more, and then soon.
import Realtime
import Synchronization
import TestSupport
import Testing

@Suite("Read epoch")
struct ReadEpochTests {
    @Test("an epoch passes at once while the reader is outside")
    func outside() {
        let epoch = ReadEpoch()
        #expect(epoch.hasPassed(epoch.mark()))
        epoch.reader.enter()
        epoch.reader.leave()
        #expect(epoch.hasPassed(epoch.mark()))
    }

    @Test("an epoch passes only after the reader has left, also if the reader is inside again")
    func inside() {
        let epoch = ReadEpoch()
        epoch.reader.enter()
        let mark = epoch.mark()
        for _ in 0..<100 { #expect(!epoch.hasPassed(mark)) }
        epoch.reader.leave()
        #expect(epoch.hasPassed(mark))
        epoch.reader.enter()
        #expect(epoch.hasPassed(mark), "a later visit cannot find what was unpublished before it")
        let second = epoch.mark()
        #expect(!epoch.hasPassed(second))
        epoch.reader.leave()
        #expect(epoch.hasPassed(mark) && epoch.hasPassed(second))
    }

    @Test("entering or leaving an epoch twice ends the program rather than corrupt memory")
    func misuse() async {
        await #expect(processExitsWith: .signal(trapSignal)) {
            let epoch = ReadEpoch()
            epoch.reader.enter()
            epoch.reader.enter()
        }
        await #expect(processExitsWith: .signal(trapSignal)) {
            let epoch = ReadEpoch()
            epoch.reader.leave()
        }
    }

    @Test("between two threads no object is read after it was freed")
    func twoThreads() throws {
        let epoch = ReadEpoch()
        let cell = Cell()
        let findings = Findings()
        let (stage, visits) = (Stage(), Turns())
        try onTwoThreads(
            {
                var waiting: [(pointer: UnsafeMutablePointer<Int>, mark: ReadEpoch.Mark)] = unsafe []
                for value in 1...20_000 {
                    let fresh = UnsafeMutablePointer<Int>.allocate(capacity: 1)
                    unsafe fresh.initialize(to: value)
                    if let old = unsafe cell.exchange(fresh) { unsafe waiting.append((old, epoch.mark())) }
                    unsafe waiting.removeAll { entry in
                        guard unsafe epoch.hasPassed(entry.mark) else { return false }
                        // Poisoned: a reader still holding the object detects the fault even without a sanitizer.
                        unsafe entry.pointer.pointee = -1
                        unsafe entry.pointer.deallocate()
                        return true
                    }
                    // The reader's visits are short: an unpublished object is freed within a few visits.
                    while unsafe waiting.count > 32, unsafe !epoch.hasPassed(waiting[0].mark) { yieldThread() }
                    if value % 500 == 0, value < 20_000 { visits.waitForNext() }
                }
                stage.reach(1)
                stage.wait(for: 2)
                while let entry = unsafe waiting.popLast() {
                    findings.check(unsafe epoch.hasPassed(entry.mark), "a reader that is gone holds on")
                    unsafe entry.pointer.deallocate()
                }
                unsafe cell.exchange(nil)?.deallocate()
            },
            {
                let reader = epoch.reader
                var newest = 0
                while newest < 20_000 {
                    reader.enter()
                    let value = unsafe cell.load()?.pointee ?? newest
                    findings.check(value >= newest, "\(value) after \(newest)")
                    newest = max(newest, value)
                    reader.leave()
                    visits.take()
                    yieldThread()
                }
                stage.reach(2)
            })
        #expect(findings.all.isEmpty)
    }
}

/// A published pointer.
@safe
private final class Cell: Sendable {
    private let address = Atomic<UInt>(0)

    func load() -> UnsafeMutablePointer<Int>? {
        unsafe UnsafeMutablePointer(bitPattern: address.load(ordering: .acquiring))
    }

    func exchange(_ pointer: UnsafeMutablePointer<Int>?) -> UnsafeMutablePointer<Int>? {
        let new = UInt(bitPattern: pointer)
        return unsafe UnsafeMutablePointer(bitPattern: address.exchange(new, ordering: .acquiringAndReleasing))
    }
}
