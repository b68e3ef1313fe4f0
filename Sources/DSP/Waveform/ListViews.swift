internal import CSampleSums

/// Lists for many look-ups, none of which counts references: where their elements lie.
@safe
struct ListViews<Element: BitwiseCopyable & Sendable> {
    private let addresses: UnsafeBufferPointer<UnsafePointer<Element>>
    private let places: UnsafeBufferPointer<(firstChunk: Int, count: Int)>

    /// Calls `body` with views of `lists`, which are valid until it returns.
    static func with<Result>(_ lists: [ChunkedList<Element>], _ body: (ListViews) -> Result) -> Result {
        var addresses = unsafe [UnsafePointer<Element>]()
        var places: [(firstChunk: Int, count: Int)] = []
        for list in lists {
            unsafe places.append((addresses.count, list.count))
            unsafe list.appendAddresses(to: &addresses)
        }
        return withExtendedLifetime(lists) {
            unsafe addresses.withUnsafeBufferPointer { addresses in
                unsafe places.withUnsafeBufferPointer { places in
                    unsafe body(ListViews(addresses: addresses, places: places))
                }
            }
        }
    }

    /// How many elements a list has.
    @inline(__always)
    func count(_ list: Int) -> Int {
        unsafe precondition(list >= 0 && list < places.count)
        return unsafe places[list].count
    }

    @inline(__always)
    subscript(list: Int, index: Int) -> Element {
        precondition(index >= 0 && index < count(list))
        return unsafe address(list, index).pointee
    }

    /// Has `length` elements from `index` on brought near that are soon to be looked at: a power of two of them, at a multiple of it.
    @inline(__always)
    func fetchAhead(_ list: Int, _ index: Int, length: Int) {
        let count = count(list)
        guard index >= 0 && index < count && length <= ChunkedList<Element>.chunkCapacity else { return }
        let first = unsafe address(list, index)
        unsafe fetch_ahead(first)
        // They may lie across two of the lines in which memory comes.
        unsafe fetch_ahead(first + (min(length, count - index) - 1))
    }

    /// Of an element that is there.
    @inline(__always)
    private func address(_ list: Int, _ index: Int) -> UnsafePointer<Element> {
        let capacity = ChunkedList<Element>.chunkCapacity
        // Every list has a chunk for each `capacity` elements of its count.
        return unsafe addresses[places[list].firstChunk &+ index / capacity] + index % capacity
    }
}
