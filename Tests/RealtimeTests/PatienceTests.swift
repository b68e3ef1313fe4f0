// The waits of the tests themselves.
import Glibc
import TestSupport
import Testing

@Suite("Waits of tests")
struct PatienceTests {
    @Test("a wait for an event that never comes ends, and names its line")
    func noEvent() async {
        let (events, source) = AsyncStream<Int>.makeStream()
        let error = await #expect(throws: PatienceEnded.self) {
            try await withPatience(seconds: 0.01) { for await _ in events {} }
        }
        #expect(error?.description.contains("PatienceTests.swift:") == true)
        // Swift Testing would take the cancelled task of a test for a skipped test.
        #expect(!Task.isCancelled)
        source.finish()
    }

    @Test("a wait ends although its body ignores that its task was cancelled")
    func deafBody() async throws {
        let (released, release) = AsyncStream<Void>.makeStream()
        await #expect(throws: PatienceEnded.self) {
            try await withPatience(seconds: 0.01) {
                // The second task is not cancelled with the body's own.
                await Task.detached { for await _ in released {} }.value
            }
        }
        release.finish()
    }

    @Test("a wait returns the result or the error of its body, and keeps nothing that the body held")
    func results() async throws {
        weak var held: Held?
        do {
            let object = Held()
            held = object
            let number = try await withPatience { object.number }
            #expect(number == 7)
        }
        #expect(held == nil)
        await #expect(throws: Refusal.self) { try await withPatience { throw Refusal() } }
    }

    @Test("a wait for a claim ends by time, however long a try lasts, and looks once more at its end")
    func slowClaim() {
        var tries = 0
        let isTrue = eventually(seconds: 0.01) {
            tries += 1
            usleep(50_000)
            return false
        }
        #expect(!isTrue && (1...2).contains(tries))
        #expect(eventually(seconds: 0) { true })
    }

    private final class Held: Sendable { let number = 7 }
    private struct Refusal: Error {}
}
