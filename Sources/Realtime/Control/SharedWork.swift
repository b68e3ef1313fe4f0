// Work on many items that a few threads share. For control and worker threads only.
internal import CRealtime

/// Work on many items, by several threads, with the results in the order of the items.
package enum SharedWork {
    /// The processors that this process may use, at least one.
    package static var processorCount: Int { Int(realtime_processor_count()) }

    /// Carries out `work` for each number below `count`, and gives each result to `take`, in order and on the calling thread.
    ///
    /// Items are begun in order. Beside several threads the calling one only waits, so a result is given as soon as it is there and those before it
    /// were given, however long other items take. A thousand results wait at most, for the result of a longer item; then no further item is begun.
    /// If the system has no thread left, the calling thread works.
    ///
    /// - Parameters:
    ///   - count: The number of items.
    ///   - threads: Items that are worked on at the same time, at most; at least one is.
    ///   - work: The work on one item, on any thread. Their stacks are small, see `PlainThread.stackBytes`.
    ///   - take: Gets the number of an item and its result. Once it returns false, no further item is begun; it still gets the results of
    ///     those that were. If it throws, these are dropped.
    /// - Returns: The number of items that were begun.
    @discardableResult
    package static func inOrder<Value: Sendable, Failure: Error>(
        _ count: Int, threads: Int, _ work: @escaping @Sendable (Int) -> Value,
        take: (Int, Value) throws(Failure) -> Bool
    ) throws(Failure) -> Int {
        let share = Share(count: count, work: work)
        var helpers: [PlainThread] = []
        let wanted = min(threads, count)
        while wanted > 1, helpers.count < wanted {
            guard let thread = PlainThread(name: "woodshed-work", { while share.workOnNext() {} }) else { break }
            helpers.append(thread)
        }
        defer {
            share.end()
            for thread in helpers { thread.join() }
        }
        var number = 0
        while true {
            if helpers.isEmpty { _ = share.workOnNext() }
            guard let value = share.result(number) else { return number }
            number += 1
            if try !take(number - 1, value) { share.end() }
        }
    }

    /// What the threads share.
    private final class Share<Value: Sendable>: @unchecked Sendable {
        private let work: @Sendable (Int) -> Value
        private let lock = ConditionLock()
        // Guarded by `lock`.
        private var next = 0
        private var limit: Int
        private var results: [Int: Value] = [:]
        /// The item whose result is waited for.
        private var awaited: Int?
        /// Results that were given.
        private var given = 0
        /// Threads that wait because too many results do.
        private var idle = 0

        /// Results that may wait.
        private static var mostResults: Int { 1000 }

        init(count: Int, work: @escaping @Sendable (Int) -> Value) { (self.work, limit) = (work, count) }

        /// Works on the next item; false if there is none.
        func workOnNext() -> Bool {
            let number = lock.withLock { () -> Int? in
                while next < limit, next - given >= Self.mostResults {
                    idle += 1
                    lock.wait()
                    idle -= 1
                }
                guard next < limit else { return nil }
                defer { next += 1 }
                return next
            }
            guard let number else { return false }
            let value = work(number)
            lock.withLock {
                results[number] = value
                if number == awaited { lock.wakeAll() }
            }
            return true
        }

        /// Waits for the result of an item; nil if it is not begun and never will be.
        func result(_ number: Int) -> Value? {
            lock.withLock {
                while true {
                    if let value = results.removeValue(forKey: number) {
                        (given, awaited) = (number + 1, nil)
                        if idle > 0 { lock.wakeAll() }
                        return value
                    }
                    if number >= next && next >= limit { return nil }
                    awaited = number
                    lock.wait()
                }
            }
        }

        /// Lets no further item begin.
        func end() {
            lock.withLock {
                limit = 0
                if idle > 0 { lock.wakeAll() }
            }
        }
    }
}
