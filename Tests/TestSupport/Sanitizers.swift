// Which sanitizer watches this build, for the few claims that do not hold under one.
internal import CSanitizerSupport
internal import Glibc

/// The sanitizers of the build that is tested.
public enum Sanitizers {
    /// Whether the thread sanitizer is at work, in this process or in the programs that it starts. It makes all locking of memory do nothing, for one.
    ///
    /// Referring to it also links what makes the sanitizer understand Swift's `Mutex`.
    public static let watchThreads = unsafe thread_sanitizer_is_active() || getenv("WOODSHED_SANITIZES_THREADS") != nil
}
