// A processor's speed control, according to the kernel's cpufreq.
import Woodshed

/// Speed settings of a processor.
struct ProcessorPace: Hashable, CustomStringConvertible {
    let driver: String
    let governor: String
    /// Energy preference of a processor that chooses its own speed; nil if the kernel chooses.
    let preference: String?

    /// Drivers under which the processor itself chooses. Their usual governor is `powersave`, which only means that the
    /// preference applies (kernel documentation, "intel_pstate" and "amd-pstate", active mode).
    private static let active: Set<String> = ["intel_pstate", "amd-pstate-epp", "amd_pstate_epp"]

    /// Reads the settings from a processor's folder; nil without a governor.
    init?(_ files: SystemFiles, _ folder: String) {
        guard let governor = files.line(folder + "/scaling_governor") else { return nil }
        self.governor = governor
        driver = files.line(folder + "/scaling_driver") ?? ""
        preference = Self.active.contains(driver) ? files.line(folder + "/energy_performance_preference") : nil
    }

    private var isActive: Bool { Self.active.contains(driver) }

    /// Command for a fix; nil without a problem.
    var remedy: String? {
        guard isActive else {
            // Among the kernel's own governors, `powersave` stays at the lowest speed, and `conservative` leaves it
            // slowly.
            return ["powersave", "conservative"].contains(governor)
                ? "sudo cpupower frequency-set -g performance" : nil
        }
        // The scale runs from 0, for speed, to 255, for saving. Its named values are 0, 128, 192 and 255.
        let savesAll = preference == "power" || preference.flatMap { Int($0) }.map { $0 > 192 } ?? false
        return savesAll
            ? "echo balance_performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/energy_performance_preference"
            : nil
    }

    /// Driver and governor, such as `governor schedutil`, or `governor powersave of intel_pstate, preference
    /// balance_performance`.
    var description: String {
        guard isActive else { return "governor \(governor)" }
        return "governor \(governor) of \(driver)" + (preference.map { ", preference \($0)" } ?? "")
    }
}
