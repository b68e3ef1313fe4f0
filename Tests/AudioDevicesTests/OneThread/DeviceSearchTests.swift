import Files
import Testing

@testable import AudioDevices

@Suite("The search for a lost device")
struct DeviceSearchTests {
    private let lost = OutputDevice.system("hw:CARD=Lost")
    private let absent = DeviceError(kind: .unknownDevice, message: "", remedy: "")
    private let busy = DeviceError(kind: .busy, message: "", remedy: "")
    private let second = MonotonicTime.nanosecondsPerSecond

    /// The times of a search's attempts during some seconds of failure.
    private func attempts(seconds: Int64, delay: Int64 = 0) -> [Int64] {
        var search = DeviceSearch(.wait, lost: lost, delay: delay, now: 0)
        var attempts: [Int64] = []
        for now in stride(from: 0, through: seconds * second, by: 10_000_000)
        where !search.due(now: now).isEmpty {
            attempts.append(now)
            _ = search.fail(with: absent, now: now)
        }
        return attempts
    }

    @Test("the search for a device begins at once, then waits longer each time, up to two seconds")
    func backsOff() {
        let moments = attempts(seconds: 120)
        #expect(moments.prefix(5) == [0, 50_000_000, 150_000_000, 350_000_000, 600_000_000])
        let rests = zip(moments.dropFirst(), moments).map { $0 - $1 }
        #expect(rests.max() == 2 * second)
        #expect(zip(moments, rests).allSatisfy { $0 > 30 * second || $1 <= second / 4 })
        #expect(attempts(seconds: 1, delay: second / 2).first == second / 2)
    }

    @Test("the search for a device starts again when the system reports a device, and at once on request")
    func hurries() {
        var search = DeviceSearch(.wait, lost: lost, delay: 0, now: 0)
        _ = search.fail(with: absent, now: 60 * second)
        #expect(search.due(now: 60 * second).isEmpty)
        search.hearOfDevice(now: 60 * second)
        #expect(search.due(now: 60 * second) == [lost])
        _ = search.fail(with: absent, now: 60 * second)
        search.ask(now: 60 * second)
        #expect(search.due(now: 60 * second) == [lost])
    }

    @Test("the search for a device reports a missing device only on request, and other problems once")
    func tells() {
        var search = DeviceSearch(.wait, lost: lost, delay: 0, now: 0)
        var told: [Bool] = []
        for error in [absent, busy, busy] { told.append(search.fail(with: error, now: 0)) }
        #expect(told == [false, true, false])
        search.ask(now: 3)
        told = []
        for error in [absent, absent] { told.append(search.fail(with: error, now: 3)) }
        #expect(told == [true, false])
    }

    @Test("the search under the policy pause looks for the device only on request")
    func pauses() {
        var search = DeviceSearch(.pause, lost: lost, delay: 0, now: 0)
        #expect(search.due(now: 100 * second).isEmpty)
        search.hearOfDevice(now: 100 * second)
        #expect(search.due(now: 100 * second).isEmpty)
        search.ask(now: 100 * second)
        #expect(search.due(now: 100 * second) == [lost])
        let isTold = search.fail(with: absent, now: 100 * second)
        #expect(isTold)
        #expect(search.due(now: 200 * second).isEmpty)
    }

    @Test("the search under the policy fallback tries the fallback first, the lost device on request")
    func fallsBack() {
        let other = OutputDevice.system("default")
        var search = DeviceSearch(.fallback(), lost: lost, delay: 0, now: 0)
        #expect(search.due(now: 0) == [other])
        let isTold = search.fail(with: busy, now: 0)
        #expect(isTold)
        #expect(search.due(now: second).isEmpty)
        search.ask(now: second)
        #expect(search.due(now: second) == [lost, other])
    }

    @Test(
        "the search recognises a card by its id, whatever number the card had",
        arguments: [
            ("hw:1", "hw:CARD=Headset"), ("plughw:1,0", "plughw:CARD=Headset,DEV=0"),
            ("hw:1,2,3", "hw:CARD=Headset,DEV=2,SUBDEV=3"), ("hw:CARD=1,DEV=2", "hw:CARD=Headset,DEV=2"),
            ("hw:7", "hw:7"), ("hw:CARD=Headset", "hw:CARD=Headset"), ("default", "default"),
            ("virtual:1", "virtual:1"),
        ])
    func stableNames(given: String, stable: String) {
        let device = OutputDevice.system(given).stable { $0 == 1 ? "Headset" : nil }
        #expect(device == .system(stable))
        #expect(OutputDevice.null.stable { _ in "Headset" } == .null)
    }
}
