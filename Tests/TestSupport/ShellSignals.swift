// The signals of programs started by tests.
package import Glibc

extension posix_spawnattr_t {
    /// Gives the program the signals that a user's shell gives: none blocked, and none ignored. A test runs on a pool's
    /// thread, which blocks the signals for ending programs, and other tests of the process may ignore signals.
    ///
    /// - Returns: The flags to set for these attributes.
    package mutating func setShellSignals() -> Int16 {
        var (blocked, defaults) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&blocked)
        unsafe sigfillset(&defaults)
        unsafe posix_spawnattr_setsigmask(&self, &blocked)
        unsafe posix_spawnattr_setsigdefault(&self, &defaults)
        return Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
    }
}
