// What has been unpublished and may still be held by readers. For the worker of a published table alone.

/// Where every reader of a store was when something was hidden from them.
struct ReadersMark {
    private let marks: [(epoch: ReadEpoch, mark: ReadEpoch.Mark)]

    init(_ marks: [(ReadEpoch, ReadEpoch.Mark)]) { self.marks = marks }

    /// Whether every reader has been outside its epoch since. Once true it stays true.
    var hasPassed: Bool { marks.allSatisfy { $0.epoch.hasPassed($0.mark) } }
}

/// Objects out of a published table, until no reader can hold them any more.
package struct RetiredList<Object> {
    private var entries: [(object: Object, mark: ReadersMark)] = []

    /// An empty list.
    package init() {}

    /// Objects that a reader may still hold, or that were not taken back yet.
    package var count: Int { entries.count }

    /// Hides what is published at an index and keeps it until nobody can hold it.
    ///
    /// - Parameter object: what is there, or its owner.
    package mutating func retire(_ index: Int, _ object: Object, from store: PublishedStore) {
        entries.append((object, store.unpublish(index)))
    }

    /// Takes out an object that no reader can hold any more, if there is one; the longest hidden first.
    package mutating func takeFree() -> Object? {
        guard let index = entries.firstIndex(where: \.mark.hasPassed) else { return nil }
        return entries.remove(at: index).object
    }

    /// Takes out everything, for a store that has no readers any more.
    package mutating func takeAll() -> [Object] {
        defer { entries = [] }
        return entries.map(\.object)
    }
}
