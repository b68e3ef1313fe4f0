// How a processor chooses its speed, according to the kernel's cpufreq.
import Woodshed

/// The setting of one processor.
struct ProcessorPace: Hashable, CustomStringConvertible {
    let driver: String
    let governor: String
    /// The processor's energy preference, if it chooses its speed itself; nil if the kernel does.
    let preference: String?

    /// Drivers under which the processor itself chooses, and `powersave` is the usual governor: it only means that the preference
    /// applies (kernel documentation, "intel_pstate" and "amd-pstate", active mode).
    private static let active: Set<String> = ["intel_pstate", "amd-pstate-epp", "amd_pstate_epp"]

    /// Reads it from a processor's folder; nil if there is no governor.
    init?(_ files: SystemFiles, _ folder: String) {
        guard let governor = files.line(folder + "/scaling_governor") else { return nil }
        self.governor = governor
        driver = files.line(folder + "/scaling_driver") ?? ""
        preference = Self.active.contains(driver) ? files.line(folder + "/energy_performance_preference") : nil
    }

    private var isActive: Bool { Self.active.contains(driver) }

    /// What fixes it; nil if nothing is wrong.
    var remedy: String? {
        guard isActive else {
            // Of the kernel's own governors, one stays at the lowest speed and one is slow to leave it.
            return ["powersave", "conservative"].contains(governor)
                ? "sudo cpupower frequency-set -g performance" : nil
        }
        // The scale is from 0, all for speed, to 255, all for saving; its names are 0, 128, 192 and 255.
        let savesAll = preference == "power" || preference.flatMap { Int($0) }.map { $0 > 192 } ?? false
        return savesAll
            ? "echo balance_performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/energy_performance_preference"
            : nil
    }

    /// Such as `governor schedutil`, or `governor powersave of intel_pstate, preference balance_performance`.
    var description: String {
        guard isActive else { return "governor \(governor)" }
        return "governor \(governor) of \(driver)" + (preference.map { ", preference \($0)" } ?? "")
    }
}
