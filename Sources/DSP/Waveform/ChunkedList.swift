/// A list which grows at its end and is very cheap to copy.
///
/// Copies share the chunks of elements, so a growing waveform of any length can be displayed thirty times a second.
/// Elements are plain memory.
///
/// Real-time safe: no.
struct ChunkedList<Element: BitwiseCopyable & Sendable>: Sendable {
    static var chunkCapacity: Int { 4096 }

    private(set) var count = 0
    private var chunks: [Chunk<Element>] = []
    /// True if another thread may be reading these elements.
    private var isShown = false

    /// An empty list.
    init() {}

    /// Makes a list of `count` elements in `memory`, starting at `offset` bytes.
    ///
    /// Only for element types whose every bit pattern is valid, because the memory is not checked.
    init(count: Int, in memory: LevelMemory, at offset: Int) {
        for place in stride(from: 0, to: count, by: Self.chunkCapacity) {
            chunks.append(
                Chunk(
                    capacity: min(count - place, Self.chunkCapacity), in: memory,
                    at: offset + place * MemoryLayout<Element>.stride))
        }
        self.count = count
    }

    /// Returns the elements so far, for another thread to read while this list continues to grow.
    mutating func shown() -> ChunkedList {
        let copy = self
        isShown = true
        return copy
    }

    mutating func append(_ element: Element) {
        if isShown { leaveShown() }
        let place = count % Self.chunkCapacity
        let last = chunks.count - 1
        if place == 0 {
            // Short lists, such as the lists of the highest levels, are numerous.
            chunks.append(Chunk(capacity: chunks.isEmpty ? 16 : Self.chunkCapacity))
        } else if place == chunks[last].capacity || !isKnownUniquelyReferenced(&chunks[last]) {
            // A copy of this list shares the chunk, and may append to it, too.
            let capacity = min(Self.chunkCapacity, max(chunks[last].capacity, 2 * place))
            chunks[last] = Chunk(copying: chunks[last], count: place, capacity: capacity)
        }
        unsafe chunks[chunks.count - 1].base[place] = element
        count += 1
    }

    mutating func append(contentsOf other: ChunkedList) {
        if isShown { leaveShown() }
        if count % Self.chunkCapacity == 0 {
            chunks.append(contentsOf: other.chunks)
            count += other.count
        } else {
            for index in 0..<other.count { append(other[index]) }
        }
    }

    /// Continues in new memory, because readers may still use the elements shown. Reference counts track the release by
    /// readers, but a thread sanitizer does not see reference counts.
    private mutating func leaveShown() {
        isShown = false
        chunks = chunks.map(\.self)
        let place = count % Self.chunkCapacity
        guard place > 0, let last = chunks.last else { return }
        chunks[chunks.count - 1] = Chunk(copying: last, count: place, capacity: last.capacity)
    }

    @inline(__always)
    subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count)
        return unsafe chunks[index / Self.chunkCapacity].base[index % Self.chunkCapacity]
    }

    /// Calls `body` with the elements in contiguous runs.
    func forEachRun<Failure: Error>(_ body: (UnsafeBufferPointer<Element>) throws(Failure) -> Void) throws(Failure) {
        var left = count
        for chunk in chunks where left > 0 {
            try unsafe body(UnsafeBufferPointer(start: chunk.base, count: min(left, Self.chunkCapacity)))
            left -= Self.chunkCapacity
        }
    }

    /// Appends the address of each chunk, for ``ListViews``; valid as long as the list.
    func appendAddresses(to addresses: inout [UnsafePointer<Element>]) {
        for chunk in chunks { unsafe addresses.append(UnsafePointer(chunk.base)) }
    }
}

extension ChunkedList: Equatable where Element: Equatable {
    static func == (left: ChunkedList, right: ChunkedList) -> Bool {
        left.count == right.count && (0..<left.count).allSatisfy { left[$0] == right[$0] }
    }
}

/// Memory of elements, written once, by the only list which owns the chunk.
@safe
private final class Chunk<Element: BitwiseCopyable>: @unchecked Sendable {
    let base: UnsafeMutablePointer<Element>
    let capacity: Int
    /// The owner of the memory; nil if the chunk itself owns it.
    private let owner: LevelMemory?

    init(capacity: Int) {
        self.capacity = capacity
        unsafe base = .allocate(capacity: capacity)
        owner = nil
    }

    /// Makes a chunk of `capacity` existing elements.
    init(capacity: Int, in memory: LevelMemory, at offset: Int) {
        let byteCount = capacity * MemoryLayout<Element>.stride
        precondition(offset + byteCount <= memory.byteCount, "A list reaches beyond its memory.")
        let bytes = unsafe UnsafeMutableRawBufferPointer(rebasing: memory.bytes[offset..<offset + byteCount])
        unsafe base = bytes.bindMemory(to: Element.self).baseAddress.unsafelyUnwrapped
        self.capacity = capacity
        owner = memory
    }

    convenience init(copying other: Chunk, count: Int, capacity: Int) {
        self.init(capacity: capacity)
        unsafe base.update(from: other.base, count: count)
    }

    deinit { if owner == nil { unsafe base.deallocate() } }
}
