internal import CSampleSums

/// Addresses of the elements of several lists, for many look-ups without reference counting.
@safe
struct ListViews<Element: BitwiseCopyable & Sendable> {
    private let addresses: UnsafeBufferPointer<UnsafePointer<Element>>
    private let places: UnsafeBufferPointer<(firstChunk: Int, count: Int)>

    /// Calls `body` with views of `lists`, valid until `body` returns.
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

    /// Returns the number of elements of a list.
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

    /// Prefetches `length` elements from `index` on; `length` is a power of two, and `index` a multiple of `length`.
    @inline(__always)
    func fetchAhead(_ list: Int, _ index: Int, length: Int) {
        let count = count(list)
        guard index >= 0 && index < count && length <= ChunkedList<Element>.chunkCapacity else { return }
        let first = unsafe address(list, index)
        unsafe fetch_ahead(first)
        // The elements may span two cache lines.
        unsafe fetch_ahead(first + (min(length, count - index) - 1))
    }

    /// Returns the address of an existing element.
    @inline(__always)
    private func address(_ list: Int, _ index: Int) -> UnsafePointer<Element> {
        let capacity = ChunkedList<Element>.chunkCapacity
        // Every list has a chunk for each `capacity` elements of its count.
        return unsafe addresses[places[list].firstChunk &+ index / capacity] + index % capacity
    }
}
