import TestSupport
import Testing

@testable import Engine

/// The keeper's calls between the blocks of a mix, in an order that threads reach only by chance.
@Suite("Wishes for a device")
struct DeviceWishTests {
    /// A mix whose player plays for a block, and has no device from the next block on.
    private func lost(
        resumes: Bool
    ) throws -> (desk: MixerTests.Desk, player: Player, events: AsyncStream<PlayerEvent>) {
        let desk = MixerTests.Desk()
        let player = try desk.add([[Float](repeating: 0.5, count: 4000)], try MixerTests().score(0..<4000))
        let events = player.events
        player.start(at: 0)
        _ = desk.render(64)
        desk.mixer.interrupt(Mixer.Loss(reason: Int64(PauseReason.deviceLost.rawValue), resumes: resumes))
        return (desk, player, events)
    }

    @Test("a resume while the search for a device fails is a wish of its own, and a refused wish is forgotten")
    func newWish() throws {
        for isAgain in [true, false] {
            let (desk, player, _) = try lost(resumes: false)
            player.resume()
            _ = desk.render(64)
            #expect(desk.mixer.takeWish() && !desk.mixer.takeWish())
            if isAgain { player.resume() }
            _ = desk.render(64)
            desk.mixer.refuseWish()
            _ = desk.render(64)
            #expect(desk.mixer.takeWish() == isAgain)
            desk.mixer.endInterruption(at: 4 * 64)
            _ = desk.render(64)
            #expect(player.status.state == (isAgain ? .playing : .paused))
        }
    }

    @Test("a wish made as a device is found is fulfilled, and no wish for a device at the next loss")
    func fulfilledWish() throws {
        let (desk, player, _) = try lost(resumes: false)
        player.resume()
        _ = desk.render(64)
        #expect(desk.mixer.takeWish())
        // The keeper opens the device now.
        player.resume()
        _ = desk.render(64)
        desk.mixer.endInterruption(at: 3 * 64)
        _ = desk.render(64)
        #expect(player.status.state == .playing)
        desk.mixer.interrupt(Mixer.Loss(reason: Int64(PauseReason.deviceLost.rawValue), resumes: false))
        _ = desk.render(64)
        #expect(player.status.state == .paused && !desk.mixer.takeWish())
        player.resume()
        _ = desk.render(64)
        #expect(desk.mixer.takeWish())
    }

    @Test("a player resumes with its device although the device was lost again before its first block")
    func lostAgain() throws {
        let (desk, player, _) = try lost(resumes: true)
        _ = desk.render(64)
        desk.mixer.endInterruption(at: 2 * 64)
        desk.mixer.interrupt(Mixer.Loss(reason: Int64(PauseReason.serverGone.rawValue), resumes: true))
        _ = desk.render(64)
        #expect(player.status.state == .paused)
        desk.mixer.endInterruption(at: 3 * 64)
        _ = desk.render(64)
        #expect(player.status.state == .playing)
    }

    @Test("a device taken by another program is reported although no block comes before the device is free")
    func takenBetweenBlocks() async throws {
        let (desk, player, events) = try lost(resumes: true)
        _ = desk.render(64)
        desk.mixer.changeLoss(reason: .deviceTaken)
        desk.mixer.endInterruption(at: 2 * 64)
        _ = desk.render(64)
        player.endEvents()
        var told: [PlayerEvent.Kind] = []
        try await withPatience { for await event in events { told.append(event.kind) } }
        #expect(told.suffix(3) == [.paused(.deviceLost), .paused(.deviceTaken), .resumed(.deviceTaken)], "\(told)")
        #expect(player.status.state == .playing)
    }
}
