// An ordinary thread for work that may take its time: decoding, analysis.
internal import CRealtime
internal import Glibc

/// A plain thread that runs one function and can be waited for.
@safe
package final class PlainThread: @unchecked Sendable {
    private var thread = pthread_t()

    /// The stack of every such thread, in bytes. A device's thread locks the memory of the whole process, stacks included, and
    /// of the system's usual 8 MiB all would become resident. Decoding takes 36 KiB at the most that was measured (Opus) and
    /// analysis 24; code that was not optimised takes some times as much.
    package static var stackBytes: Int { 512 << 10 }

    /// Starts the thread; nil when the system has none left.
    package init?(name: String, _ body: @escaping @Sendable () -> Void) {
        let box = unsafe Unmanaged.passRetained(ThreadBody(name: name, run: body))
        do throws(ThreadFailure) {
            thread = try unsafe startThread(stackBytes: PlainThread.stackBytes, box.toOpaque()) { context in
                guard let context = unsafe context else { return nil }
                let body = unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue()
                _ = unsafe realtime_name_thread(body.name)
                body.run()
                return nil
            }
        } catch {
            unsafe box.release()
            return nil
        }
    }

    /// Lets the thread end by itself, waited for by nobody; once only, and instead of `join()`.
    package func detach() { _ = pthread_detach(thread) }

    /// Waits for the thread's end; once only.
    package func join() { _ = pthread_join(thread, nil) }

    private final class ThreadBody: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }
}
