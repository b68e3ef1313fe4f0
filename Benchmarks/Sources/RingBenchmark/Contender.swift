// The tested rings behind one interface: each ring runs whole producer and consumer loops, so that the interface costs
// nothing.
import Glibc
import Realtime
import RingPeers
import Synchronization

/// One stereo frame.
struct Frame: BitwiseCopyable {
    var left: Float
    var right: Float
}

/// The last whole number a Float counts up to without gaps.
private let last: Float = 16_777_215

/// A flag every loop polls.
@safe
final class StopFlag: @unchecked Sendable {
    let word = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: 1)

    init() { unsafe word.initialize(to: Atomic(0)) }

    deinit { unsafe word.deallocate() }

    @inline(__always)
    var isSet: Bool { unsafe word.pointee.load(ordering: .relaxed) != 0 }

    func set() { unsafe word.pointee.store(1, ordering: .relaxed) }
}

/// A ring with its two loops.
enum Contender: String, CaseIterable {
    case ours = "woodshed"
    case jack = "jack_ringbuffer"
    case boost = "boost spsc_queue"

    /// Makes the loops over a new ring, each for a thread of its own. The consumer's loop returns the number of frames
    /// and whether all were correct.
    func makeLoops(block: Int, stop: StopFlag) -> (
        produce: @Sendable () -> Void, consume: @Sendable () -> (frames: UInt64, intact: Bool)
    ) {
        switch self {
        case .ours:
            let ends = RingEnds<Frame>(capacity: Int(RING_PEER_CAPACITY))
            let producer = Mutex<RingProducer<Frame>?>(ends.producer)
            let consumer = Mutex<RingConsumer<Frame>?>(ends.consumer)
            let box = Box(producer, consumer)
            return (
                {
                    guard let producer = box.producer.withLock({ $0.take() }) else { return }
                    runProducer(producer, block: block, stop: stop)
                },
                {
                    guard let consumer = box.consumer.withLock({ $0.take() }) else { return (0, false) }
                    return runConsumer(consumer, block: block, stop: stop)
                }
            )
        case .jack, .boost:
            let peer = Peer(self == .jack ? RING_PEER_JACK : RING_PEER_BOOST)
            return (
                {
                    unsafe ring_peer_produce(
                        peer.ring, block, UnsafeRawPointer(stop.word).assumingMemoryBound(to: UInt32.self))
                },
                {
                    var intact = false
                    let frames = unsafe ring_peer_consume(
                        peer.ring, block, UnsafeRawPointer(stop.word).assumingMemoryBound(to: UInt32.self), &intact)
                    return (frames, intact)
                }
            )
        }
    }
}

private final class Box: Sendable {
    let producer: Mutex<RingProducer<Frame>?>
    let consumer: Mutex<RingConsumer<Frame>?>

    init(_ producer: consuming Mutex<RingProducer<Frame>?>, _ consumer: consuming Mutex<RingConsumer<Frame>?>) {
        self.producer = producer
        self.consumer = consumer
    }
}

@safe
private final class Peer: @unchecked Sendable {
    let ring: OpaquePointer

    init(_ kind: ring_peer_kind) { unsafe ring = ring_peer_create(kind) }

    deinit { unsafe ring_peer_destroy(ring) }
}

/// Like the peers' loop: fills a block with the ramp, then writes as much as fits until the whole block is in.
private func runProducer(_ producer: consuming RingProducer<Frame>, block: Int, stop: StopFlag) {
    let frames = UnsafeMutableBufferPointer<Frame>.allocate(capacity: block)
    defer { unsafe frames.deallocate() }
    var next: Float = 0
    while !stop.isSet {
        for index in 0..<block {
            unsafe frames[index] = Frame(left: next, right: -next)
            next = next >= last ? 0 : next + 1
        }
        var rest = UnsafeBufferPointer(frames)
        while true {
            let written = unsafe producer.write(from: rest)
            if written == rest.count { break }
            unsafe rest = UnsafeBufferPointer(rebasing: rest[written...])
            if stop.isSet { return }
            ring_pause()
        }
    }
}

/// Like the peers' loop: reads the available frames until the block is full, then checks the ramp.
private func runConsumer(
    _ consumer: consuming RingConsumer<Frame>, block: Int, stop: StopFlag
) -> (frames: UInt64, intact: Bool) {
    let frames = UnsafeMutableBufferPointer<Frame>.allocate(capacity: block)
    defer { unsafe frames.deallocate() }
    var next: Float = 0
    var count: UInt64 = 0
    var intact = true
    while !stop.isSet {
        var rest = unsafe frames
        while true {
            let read = unsafe consumer.read(into: rest)
            if read == rest.count { break }
            unsafe rest = UnsafeMutableBufferPointer(rebasing: rest[read...])
            if stop.isSet { return (count, intact) }
            ring_pause()
        }
        for index in 0..<block {
            let frame = unsafe frames[index]
            if frame.left != next || frame.right != -next { intact = false }
            next = next >= last ? 0 : next + 1
        }
        count += UInt64(block)
    }
    return (count, intact)
}
