// Objects removed from a published table and possibly still held by readers. For the worker of the table only.

/// State of every reader of a store at the removal of an entry.
struct ReadersMark {
    private let marks: [(epoch: ReadEpoch, mark: ReadEpoch.Mark)]

    init(_ marks: [(ReadEpoch, ReadEpoch.Mark)]) { self.marks = marks }

    /// True if every reader has been outside its epoch since. Once true, the answer stays true.
    var hasPassed: Bool { marks.allSatisfy { $0.epoch.hasPassed($0.mark) } }
}

/// Objects removed from a published table, until no reader can hold them any more.
package struct RetiredList<Object> {
    private var entries: [(object: Object, mark: ReadersMark)] = []

    /// Makes an empty list.
    package init() {}

    /// Number of objects that a reader may still hold, or that have not been taken out yet.
    package var count: Int { entries.count }

    /// Removes the entry at an index and keeps its object until no reader can hold it.
    ///
    /// - Parameter object: the entry's object, or its owner.
    package mutating func retire(_ index: Int, _ object: Object, from store: PublishedStore) {
        entries.append((object, store.unpublish(index)))
    }

    /// Takes out the oldest object that no reader can hold any more; nil without such an object.
    package mutating func takeFree() -> Object? {
        guard let index = entries.firstIndex(where: \.mark.hasPassed) else { return nil }
        return entries.remove(at: index).object
    }

    /// Takes out all objects, for a store that has no readers any more.
    package mutating func takeAll() -> [Object] {
        defer { entries = [] }
        return entries.map(\.object)
    }
}
