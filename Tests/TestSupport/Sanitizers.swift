// The sanitizer that watches this build, for the few claims that do not hold under a sanitizer.
internal import CSanitizerSupport
internal import Glibc

/// The sanitizers of the tested build.
public enum Sanitizers {
    /// Whether the thread sanitizer is at work, in this process or in programs started by this process. For example,
    /// the sanitizer makes all locking of memory do nothing.
    ///
    /// A reference to this property also links the sanitizer's support for Swift's `Mutex`.
    public static let watchThreads = unsafe thread_sanitizer_is_active() || getenv("WOODSHED_SANITIZES_THREADS") != nil
}
