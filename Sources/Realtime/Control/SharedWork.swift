// Work on many items, shared by a few threads. For control and worker threads only.
internal import CRealtime

/// Work on many items, by several threads, with the results in the order of the items.
package enum SharedWork {
    /// Number of processors available to this process, at least one.
    package static var processorCount: Int { Int(realtime_processor_count()) }

    /// Carries out `work` for each number below `count`, and gives each result to `take`, in order and on the calling
    /// thread.
    ///
    /// Items begin in order. Beside several threads the calling thread only waits: `take` gets a result as soon as this
    /// and all earlier results are ready, however long later items take. While a longer item runs, at most a thousand
    /// later results wait; then no further item begins. If the system has no thread left, the calling thread works.
    ///
    /// - Parameters:
    ///   - count: The number of items.
    ///   - threads: Most items worked on at the same time. A value below 1 counts as 1.
    ///   - work: The work on one item, on any thread. The threads' stacks are small, see `PlainThread.stackBytes`.
    ///   - take: Gets the number of an item and its result. Once `take` returns false, no further item begins; `take`
    ///     still gets the results of all begun items. If `take` throws, the remaining results are dropped.
    /// - Returns: Number of begun items.
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

    /// State shared by the threads.
    private final class Share<Value: Sendable>: @unchecked Sendable {
        private let work: @Sendable (Int) -> Value
        private let lock = ConditionLock()
        // Guarded by `lock`.
        private var next = 0
        private var limit: Int
        private var results: [Int: Value] = [:]
        /// The item whose result the calling thread awaits.
        private var awaited: Int?
        /// Number of results given to the caller.
        private var given = 0
        /// Number of threads that wait because too many results wait.
        private var idle = 0

        /// Most results that may wait.
        private static var mostResults: Int { 1000 }

        init(count: Int, work: @escaping @Sendable (Int) -> Value) { (self.work, limit) = (work, count) }

        /// Works on the next item; returns false if no item is left.
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

        /// Waits for the result of an item; returns nil if the item will never begin.
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
