/// A list that grows at its end and of which a copy costs next to nothing.
///
/// Elements lie in chunks that a copy shares, so that a growing waveform can be looked at thirty times a second however long it
/// is. Elements are plain memory.
///
/// Real-time safe: no.
struct ChunkedList<Element: BitwiseCopyable & Sendable>: Sendable {
    static var chunkCapacity: Int { 4096 }

    private(set) var count = 0
    private var chunks: [Chunk<Element>] = []

    /// An empty list.
    init() {}

    /// A list of `count` elements, whose memory `fill` is given run by run, in their order, and writes whole.
    ///
    /// Only for elements for which every pattern of bits is a value, as what `fill` does is not looked at.
    init<Failure: Error>(
        count: Int, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        var left = count
        while left > 0 {
            let chunk = Chunk<Element>(capacity: min(left, Self.chunkCapacity))
            try unsafe fill(
                UnsafeMutableRawBufferPointer(
                    start: chunk.base, count: chunk.capacity * MemoryLayout<Element>.stride))
            chunks.append(chunk)
            left -= chunk.capacity
        }
        self.count = count
    }

    mutating func append(_ element: Element) {
        let place = count % Self.chunkCapacity
        let last = chunks.count - 1
        if place == 0 {
            // Short lists, such as those of the highest levels, are many.
            chunks.append(Chunk(capacity: chunks.isEmpty ? 16 : Self.chunkCapacity))
        } else if place == chunks[last].capacity || !isKnownUniquelyReferenced(&chunks[last]) {
            // A copy of this list sees the chunk, and may append to it, too.
            let capacity = min(Self.chunkCapacity, max(chunks[last].capacity, 2 * place))
            chunks[last] = Chunk(copying: chunks[last], count: place, capacity: capacity)
        }
        unsafe chunks[chunks.count - 1].base[place] = element
        count += 1
    }

    mutating func append(contentsOf other: ChunkedList) {
        if count % Self.chunkCapacity == 0 {
            chunks.append(contentsOf: other.chunks)
            count += other.count
        } else {
            for index in 0..<other.count { append(other[index]) }
        }
    }

    @inline(__always)
    subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count)
        return unsafe chunks[index / Self.chunkCapacity].base[index % Self.chunkCapacity]
    }

    /// Calls `body` with the elements in runs that lie side by side in memory.
    func forEachRun<Failure: Error>(_ body: (UnsafeBufferPointer<Element>) throws(Failure) -> Void) throws(Failure) {
        var left = count
        for chunk in chunks where left > 0 {
            try unsafe body(UnsafeBufferPointer(start: chunk.base, count: min(left, Self.chunkCapacity)))
            left -= Self.chunkCapacity
        }
    }

    /// The list for many look-ups, none of which counts references; valid as long as the list.
    var view: ListView<Element> { unsafe ListView(bases: chunks.map { unsafe UnsafePointer($0.base) }, count: count) }
}

/// Where a list's elements lie.
@safe
struct ListView<Element: BitwiseCopyable & Sendable> {
    fileprivate let bases: [UnsafePointer<Element>]
    let count: Int

    @inline(__always)
    subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count)
        let capacity = ChunkedList<Element>.chunkCapacity
        return unsafe bases[index / capacity][index % capacity]
    }
}

extension ChunkedList: Equatable where Element: Equatable {
    static func == (left: ChunkedList, right: ChunkedList) -> Bool {
        left.count == right.count && (0..<left.count).allSatisfy { left[$0] == right[$0] }
    }
}

/// Memory of elements that are written once, by the only list that has the chunk.
@safe
private final class Chunk<Element: BitwiseCopyable>: @unchecked Sendable {
    let base: UnsafeMutablePointer<Element>
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        unsafe base = .allocate(capacity: capacity)
    }

    convenience init(copying other: Chunk, count: Int, capacity: Int) {
        self.init(capacity: capacity)
        unsafe base.update(from: other.base, count: count)
    }

    deinit { unsafe base.deallocate() }
}
