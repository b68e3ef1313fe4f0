internal import Explanations
internal import Files
internal import Realtime

/// A query of a device, on a thread of its own, because the device may depend on a server that never answers.
///
/// An abandoned query runs to its end, and its answer is dropped.
package final class PendingAnswer<Value: Sendable>: Sendable {
    private let name: String
    private let box = Box()

    /// Starts the query.
    ///
    /// - Parameters:
    ///   - name: the device, for the error.
    ///   - question: called once, on another thread.
    package init(_ name: String, _ question: @escaping @Sendable () throws(DeviceError) -> Value) {
        self.name = name
        let thread = PlainThread(name: "woodshed-ask") { [box] in
            do throws(DeviceError) {
                box.put(.success(try question()))
            } catch {
                box.put(.failure(error))
            }
        }
        guard let thread else {
            box.put(.failure(DeviceError(.threads, "for a call of the device \(name)")))
            return
        }
        thread.detach()
    }

    /// Returns the answer; throws `unresponsive` if the answer did not come in time.
    package func wait(seconds: Double) throws(DeviceError) -> Value {
        guard let answer = box.take(seconds: seconds) else {
            throw DeviceError(
                kind: .unresponsive, message: "the device \(name) does not answer",
                remedy: "Restart the sound server behind the device, or choose another device.")
        }
        return try answer.get()
    }

    /// Passes the answer from one thread to the other.
    private final class Box: @unchecked Sendable {
        // Unchecked because of the answer, which the lock guards.
        private let lock = ConditionLock()
        private var answer: Result<Value, DeviceError>?

        func put(_ answer: Result<Value, DeviceError>) {
            lock.withLock {
                self.answer = answer
                lock.wakeAll()
            }
        }

        func take(seconds: Double) -> Result<Value, DeviceError>? {
            // Limited to thirty years: the nanoseconds of a longer wait may not fit into an integer. NaN is no wait.
            let patience = seconds > 0 ? min(seconds, 1e9) : 0
            let deadline = MonotonicTime.now() + Int64(patience * Double(MonotonicTime.nanosecondsPerSecond))
            return lock.withLock {
                while answer == nil {
                    let rest = deadline - MonotonicTime.now()
                    if rest <= 0 { break }
                    lock.wait(milliseconds: Int(rest / 1_000_000) + 1)
                }
                return answer
            }
        }
    }
}
