// Work on many items that a few threads share. For control and worker threads only.
internal import CRealtime

/// Work on many items, by several threads, with the results in the order of the items.
package enum SharedWork {
    /// The processors that this process may use, at least one.
    package static var processorCount: Int { Int(realtime_processor_count()) }

    /// Carries out `work` for each number below `count`, and gives each result to `take`, in order and on the calling thread.
    ///
    /// Items are begun in order. The calling thread works, too; if the system has no thread left, alone.
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
        while helpers.count + 1 < min(threads, count) {
            guard let thread = PlainThread(name: "woodshed-work", { while share.workOnNext() {} }) else { break }
            helpers.append(thread)
        }
        defer {
            share.end()
            for thread in helpers { thread.join() }
        }
        var number = 0
        // Results wait while this thread works on an item of its own: waking it for each would cost more than small items do.
        while true {
            let isWorking = share.workOnNext()
            while let value = share.result(number, waits: !isWorking) {
                if try !take(number, value) { share.end() }
                number += 1
            }
            if !isWorking { return number }
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
        private var awaited: Int?

        init(count: Int, work: @escaping @Sendable (Int) -> Value) { (self.work, limit) = (work, count) }

        /// Works on the next item; false if there is none.
        func workOnNext() -> Bool {
            let number = lock.withLock { () -> Int? in
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

        /// The result of an item; nil if it is not there yet.
        ///
        /// - Parameter waits: Whether to wait for it; it is nil then only if the item is not begun and never will be.
        func result(_ number: Int, waits: Bool) -> Value? {
            lock.withLock {
                while true {
                    if let value = results.removeValue(forKey: number) { return value }
                    if !waits || number >= next && next >= limit { return nil }
                    awaited = number
                    lock.wait()
                }
            }
        }

        /// Lets no further item begin.
        func end() { lock.withLock { limit = 0 } }
    }
}
