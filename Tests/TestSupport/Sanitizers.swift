// Which sanitizer watches this build, for the few claims that do not hold under one.
internal import CSanitizerSupport

/// The sanitizers of this build.
public enum Sanitizers {
    /// Whether the thread sanitizer is at work. It makes all locking of memory do nothing, for one.
    ///
    /// Referring to it also links what makes the sanitizer understand Swift's `Mutex`.
    public static var watchThreads: Bool { thread_sanitizer_is_active() }
}
