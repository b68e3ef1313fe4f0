internal import Glibc
internal import Synchronization
internal import VirtualCard

/// A virtual card made to order: opened under its ALSA name, made to fail, and asked for the card's own record.
///
/// The card is gone with the last reference; open streams go on, but new openings do not find the card.
@safe
public final class VirtualCardRig: @unchecked Sendable {
    // Unchecked because of the pointer: any thread may call the control functions.
    private let card: OpaquePointer
    /// The card's name among virtual cards, unique on the machine.
    public let cardName: String
    /// The options of the card.
    public let options: VirtualCardOptions

    private static let count = Atomic<Int>(0)

    /// Makes a card; throws the card's refusal of its options.
    public init(_ options: VirtualCardOptions = VirtualCardOptions()) throws(VirtualCardError) {
        _ = ALSAConfiguration.directory
        CardNames.prepare()
        let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        let name = "test-\(getpid())-\(number)"
        var card: OpaquePointer?
        let code = unsafe options.withCOptions { unsafe virtual_card_create(&card, name, $0) }
        guard code == 0, let card = unsafe card else { throw VirtualCardError(code: -code) }
        unsafe self.card = unsafe card
        CardNames.remember(name, options.clock)
        cardName = name
        self.options = options
    }

    deinit {
        unsafe virtual_card_detach(card)
        _ = unsafe virtual_card_remove(cardName)
        CardNames.forget(cardName)
    }

    /// The complete name for opening the card.
    public var name: String { "virtual:\(cardName)" }
    /// The name to open the card by behind ALSA's own conversions.
    public var pluggedName: String { "plugged:\(cardName)" }

    /// Causes a fault now, or as soon as the stream runs; on a direction that is not open, only an unplugging works.
    ///
    /// `argument` is in milliseconds of the card's clock, for `short` the number of transfers; see ``VirtualFault``.
    public func inject(_ fault: VirtualFault, _ direction: VirtualDirection, argument: Int64 = 0) {
        _ = unsafe virtual_card_inject(card, direction.c, fault.c, argument)
    }

    /// Ends an unplugging.
    public func plugIn() { unsafe virtual_card_plug(card) }

    /// Has the next `count` calls of an operation fail with an errno; nil is all calls, 0 none any more.
    public func refuse(_ operation: VirtualOperation, _ direction: VirtualDirection, error: Int32, count: Int32? = 1) {
        _ = unsafe virtual_card_refuse(card, direction.c, operation.c, error, count ?? -1)
    }

    /// Makes every opening and closing of a direction wait, in whichever process, until called with false.
    public func silence(_ direction: VirtualDirection, _ isSilent: Bool) {
        unsafe virtual_card_silence(card, direction.c, isSilent)
    }

    /// The true events of a direction, by the card's own record.
    public func truth(_ direction: VirtualDirection) -> VirtualTruth {
        unsafe VirtualTruth(virtual_card_truth(card, direction.c))
    }

    /// All faults of both directions, in order of occurrence.
    public var records: [VirtualRecord] {
        let capacity = Int(VIRTUAL_CARD_RECORD_LIMIT)
        return unsafe Array<virtual_card_record>(unsafeUninitializedCapacity: capacity) { buffer, count in
            count = unsafe virtual_card_records(card, 0, buffer.baseAddress, capacity)
        }.map(VirtualRecord.init)
    }

    /// The sound played at `count` device frames from `first` on, interleaved, full scale 1; silence where nothing was
    /// played.
    ///
    /// The cable remembers as many frames as the options say.
    public func heard(from first: Int64, count: Int, channelCount: Int) -> [Double] {
        // The library writes the length of an empty array, which all threads share: the thread sanitizer would report
        // the write.
        guard count > 0 else { return [] }
        return unsafe Array(unsafeUninitializedCapacity: count * channelCount) { buffer, used in
            unsafe virtual_card_heard(card, first, count, UInt32(channelCount), buffer.baseAddress)
            used = count * channelCount
        }
    }

    /// Removes the leftovers of rigs of ended processes; the first rig of a process does so by itself.
    ///
    /// Returns the names of the removed cards and clocks.
    @discardableResult
    public static func sweep() -> [String] { CardNames.sweep() }

    /// The card's clock in nanoseconds.
    public var time: Int64 { unsafe virtual_card_time(card) }

    /// Waits until a claim about the card holds, for no longer than 400 seconds of real time, which are patience with a
    /// busy machine; returns whether the claim holds. Benchmarks use this function, so it needs nothing of the tests.
    public func waits(until claim: () -> Bool) -> Bool {
        let limit = SuspendingClock.now + .seconds(400)
        while SuspendingClock.now < limit {
            if claim() { return true }
            usleep(1000)
        }
        return claim()
    }
}

/// Why a card could not be made.
public struct VirtualCardError: Error, Sendable, Hashable {
    /// An errno: EINVAL for contradictory options, EEXIST for a taken name.
    public let code: Int32
}
