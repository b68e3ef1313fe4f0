internal import Realtime

/// What a device will say, asked on a thread of its own: behind a device may be a server that never answers.
///
/// A question that nobody waits for any more goes on by itself, and its answer is dropped.
package final class PendingAnswer<Value: Sendable>: Sendable {
    private let name: String
    private let box = Box()

    /// Asks.
    ///
    /// - Parameters:
    ///   - name: the device, for the error.
    ///   - question: is called once, on another thread.
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
            box.put(
                .failure(
                    DeviceError(
                        kind: .io, message: "there is no thread left to ask the device \(name)",
                        remedy: "Close other programs and try again.")))
            return
        }
        thread.detach()
    }

    /// The answer, or why there is none: `unresponsive` when it did not come within so many seconds.
    package func wait(seconds: Double) throws(DeviceError) -> Value {
        guard let answer = box.take(seconds: seconds) else {
            throw DeviceError(
                kind: .unresponsive, message: "the device \(name) does not answer",
                remedy: "Restart the sound server behind it, or choose another device.")
        }
        return try answer.get()
    }

    /// Carries the answer from one thread to the other.
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
            let deadline = MonotonicTime.now() + Int64(seconds * Double(MonotonicTime.nanosecondsPerSecond))
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
