import Testing

@testable import Engine

@Suite("A player without a device")
struct PlayerInterruptionTests {
    @Test("a player resumes once after an interruption, if it should", arguments: [true, false])
    func resumption(resumes: Bool) {
        var interruption = PlayerInterruption(reason: 3, resumes: resumes)
        #expect(interruption.isUnderWay)
        let early = interruption.takeResumption()
        interruption.end()
        #expect(!interruption.isUnderWay)
        let (first, second) = (interruption.takeResumption(), interruption.takeResumption())
        #expect(!early && first == resumes && !second)
    }

    @Test("a request for sound is reported once, and resumes the player unless forgotten", arguments: [true, false])
    func wish(isForgotten: Bool) {
        var interruption = PlayerInterruption(reason: 3, resumes: false)
        interruption.wish()
        let (first, second) = (interruption.takeWish(), interruption.takeWish())
        #expect(first && !second)
        if isForgotten { interruption.forgetWish() }
        interruption.end()
        let resumes = interruption.takeResumption()
        #expect(resumes != isForgotten)
    }

    @Test("the cause changes only while there is no device")
    func cause() {
        var interruption = PlayerInterruption()
        let none = interruption.change(to: 5)
        #expect(none == nil && !interruption.isUnderWay && interruption.reason == 0)
        interruption = PlayerInterruption(reason: 3, resumes: true)
        let old = interruption.change(to: 5)
        #expect(old == 3 && interruption.reason == 5)
        interruption.end()
        let over = interruption.change(to: 6)
        #expect(over == nil && interruption.reason == 5)
    }
}
