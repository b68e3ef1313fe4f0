// An ordinary thread for work that may take time: decoding, analysis.
internal import CRealtime
internal import Glibc

/// An ordinary thread that runs one function and can be joined.
@safe
package final class PlainThread: @unchecked Sendable {
    private var thread = pthread_t()

    /// Stack size of these threads, in bytes. A device thread locks the memory of the whole process, including stacks,
    /// so all of the system's usual 8 MiB would become resident. The largest measured use is 36 KiB for decoding (Opus)
    /// and 24 KiB for analysis; unoptimised code takes several times as much.
    package static var stackBytes: Int { 512 << 10 }

    /// Starts the thread; nil if the system has no thread left.
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

    /// Lets the thread end by itself without a join; once only, and instead of `join()`.
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
