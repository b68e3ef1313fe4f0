package import Files

extension ChildLimits {
    /// Limits that no test reaches, also if a busy machine starts the program late.
    package static var patient: ChildLimits { ChildLimits(totalSeconds: 3600, silentSeconds: 3600) }
}
