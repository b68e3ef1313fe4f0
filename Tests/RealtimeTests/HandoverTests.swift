// The hand-over: objects live as long as the render side may use them and are released by the control side, once.
import Realtime
import Synchronization
import TestSupport
import Testing

/// An object that counts its kind's lives.
private final class Counted: Sendable {
    let number: Int
    private let census: Census

    init(_ number: Int, in census: Census) {
        self.number = number
        self.census = census
        census.born()
    }

    deinit { census.died() }
}

/// How many `Counted` live, and on which threads they died.
private final class Census: Sendable {
    private let living = Atomic<Int>(0)
    let deaths = Atomic<Int>(0)
    private let renderDeaths = Atomic<Int>(0)
    private let renderThread = Atomic<UInt>(0)

    var count: Int { living.load(ordering: .acquiring) }
    var diedOnRenderThread: Int { renderDeaths.load(ordering: .acquiring) }

    func born() { living.add(1, ordering: .acquiringAndReleasing) }

    func markRenderThread() { renderThread.store(currentThread(), ordering: .releasing) }

    func died() {
        living.subtract(1, ordering: .acquiringAndReleasing)
        deaths.add(1, ordering: .acquiringAndReleasing)
        if renderThread.load(ordering: .acquiring) == currentThread() {
            renderDeaths.add(1, ordering: .acquiringAndReleasing)
        }
    }
}

@Suite("a hand-over")
struct HandoverTests {
    @Test("keeps an object alive until it came back, then releases it on the next reclaim")
    func lifetime() {
        let census = Census()
        let ends = HandoverEnds<Counted>(capacity: 2)
        var sender = ends.sender
        var receiver = ends.receiver
        #expect(unsafe receiver.receive() == nil)
        #expect(sender.send(Counted(1, in: census)) == true)
        #expect(census.count == 1)
        guard let first = unsafe receiver.receive() else {
            Issue.record("nothing was received")
            return
        }
        #expect(unsafe first._withUnsafeGuaranteedRef { $0.number } == 1)
        #expect(unsafe receiver.receive() == nil)
        sender.reclaim()
        #expect(census.count == 1, "released while the render side held it")
        unsafe receiver.giveBack(first)
        #expect(census.count == 1, "released by the render side")
        sender.reclaim()
        #expect(census.count == 0)
        #expect(sender.outstandingCount == 0)
    }

    @Test("refuses more than its capacity, waiting, in use and on the way back together; sending reclaims first")
    func capacity() throws {
        let census = Census()
        let ends = HandoverEnds<Counted>(capacity: 2)
        var sender = ends.sender
        var receiver = ends.receiver
        #expect(sender.send(Counted(1, in: census)) == true)
        #expect(sender.send(Counted(2, in: census)) == true)
        #expect(sender.send(Counted(3, in: census)) == false)
        #expect(census.count == 2, "a refused object stayed")
        let first = try unsafe #require(receiver.receive())
        #expect(sender.send(Counted(4, in: census)) == false, "one in use and one waiting fill it")
        unsafe receiver.giveBack(first)
        #expect(sender.send(Counted(5, in: census)) == true)
        #expect(census.count == 2)
        var received: [Int] = []
        while let object = unsafe receiver.receive() {
            unsafe received.append(object._withUnsafeGuaranteedRef { $0.number })
            unsafe receiver.giveBack(object)
        }
        #expect(received == [2, 5])
    }

    @Test("an object sent twice is released twice, and one that others hold survives")
    func sameObjectTwice() throws {
        let census = Census()
        let ends = HandoverEnds<Counted>(capacity: 2)
        var sender = ends.sender
        var receiver = ends.receiver
        let object = Counted(1, in: census)
        #expect(sender.send(object) && sender.send(object))
        try unsafe receiver.giveBack(#require(receiver.receive()))
        sender.reclaim()
        #expect(sender.outstandingCount == 1)
        try unsafe receiver.giveBack(#require(receiver.receive()))
        sender.reclaim()
        #expect(sender.outstandingCount == 0)
        #expect(census.count == 1 && object.number == 1)
    }

    @Test("what is still out goes with the end that goes last, whichever that is", arguments: [true, false])
    func leftovers(senderGoesFirst: Bool) {
        let census = Census()
        func run() {
            let ends = HandoverEnds<Counted>(capacity: 3)
            var sender: HandoverSender<Counted>? = ends.sender
            var receiver: HandoverReceiver<Counted>? = ends.receiver
            for number in 0..<3 { #expect(sender?.send(Counted(number, in: census)) == true) }
            // One on the way back, one in use, one waiting.
            if let object = unsafe receiver?.receive() { unsafe receiver?.giveBack(object) }
            _ = unsafe receiver?.receive()
            if senderGoesFirst { sender = nil } else { receiver = nil }
            #expect(census.count == 3, "released while the other end lived")
            if senderGoesFirst { receiver = nil } else { sender = nil }
            #expect(census.count == 0)
        }
        run()
        #expect(census.deaths.load(ordering: .acquiring) == 3)
    }

    @Test("between two threads every object arrives in order and dies once, never on the render side")
    func twoThreads() throws {
        let total = 5000
        let census = Census()
        let ends = HandoverEnds<Counted>(capacity: 4)
        let senderParcel = Parcel(ends.sender)
        let receiverParcel = Parcel(ends.receiver)
        let findings = Findings()
        try onTwoThreads(
            {
                var sender = senderParcel.take()
                for number in 0..<total {
                    while !sender.send(Counted(number, in: census)) { yieldThread() }
                }
                while sender.outstandingCount > 1 {
                    sender.reclaim()
                    yieldThread()
                }
            },
            {
                census.markRenderThread()
                var receiver = receiverParcel.take()
                var current: Unmanaged<Counted>?
                var expected = 0
                while expected < total {
                    guard let next = unsafe receiver.receive() else {
                        yieldThread()
                        continue
                    }
                    let number = unsafe next._withUnsafeGuaranteedRef { $0.number }
                    findings.check(number == expected, "\(number) where \(expected) was due")
                    expected += 1
                    if let last = unsafe current { unsafe receiver.giveBack(last) }
                    unsafe current = next
                }
                findings.check(census.diedOnRenderThread == 0, "an object was released on the render side")
            })
        #expect(findings.all.isEmpty)
        #expect(census.count == 0)
    }
}
