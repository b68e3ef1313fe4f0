package import AudioDevices
internal import Explanations
internal import Glibc
internal import JSON
internal import UserState

/// Round trips measured on this computer: the latest for each pair of devices, rate and block length.
///
/// A small JSON file of the user's state. Each write replaces the whole file, under a lock: readers never see half a
/// file, and two programs that write at once lose nothing.
public struct CalibrationStore: Sendable {
    /// The path of the file, which may not exist yet.
    package var path: String { file.path }

    private let file: StateFile

    /// Version of the file as written here. Files of a later version stay unchanged.
    ///
    /// 2: drivers now report the frames in their transfers too, so the added part differs from the number in version 1.
    private static let version: Int64 = 2

    /// The store of this user: `woodshed/calibrations.json` under `$XDG_STATE_HOME`, by default `~/.local/state`.
    ///
    /// Nothing is created before a result is stored. Throws `store` without a home. Real-time safe: no.
    public init() throws(CalibrationError) {
        guard let file = StateFile(named: "calibrations.json") else {
            throw CalibrationError(
                .store, "there is no place to keep round trips: HOME is not set",
                remedy: "Set HOME, or XDG_STATE_HOME, to an absolute path.")
        }
        self.file = file
    }

    /// A store at another path. Real-time safe: no.
    package init(path: String) { file = StateFile(path: path) }

    /// The contents of the file.
    package struct Contents: Sendable, Equatable {
        /// All round trips, the latest first.
        package let roundTrips: [RoundTrip]
        /// True if some of the file cannot be understood; the next write sets the damaged file aside.
        package let isDamaged: Bool
    }

    /// Reads the file. A missing file is empty. A file of version 0.2.0 counts as empty, because its results no longer
    /// hold. The contents report a damaged file.
    ///
    /// Throws `store` or `storePermission` if the file cannot be read, `storeIsNewer` if a later version wrote the
    /// file. Real-time safe: no.
    package func contents() throws(CalibrationError) -> Contents {
        let content: StateFile.Content
        do { content = try file.read() } catch { throw failure(error) }
        return try contents(of: content)
    }

    /// Returns the result for this set-up; nil without a result.
    ///
    /// A missing file has no results. Throws `store` or `storePermission` if the file cannot be read, `storeIsNewer` if
    /// a later version wrote the file. Real-time safe: no.
    public func roundTrip(for setup: RoundTrip.Setup) throws(CalibrationError) -> RoundTrip? {
        try contents().roundTrips.first { $0.setup == setup }
    }

    /// Stores a round trip; replaces an earlier result of the same set-up.
    ///
    /// Returns the path of the moved damaged file, or nil. Throws like ``roundTrip(for:)``, and `store` or
    /// `storePermission` if the file cannot be written; `store` also if another program holds its lock for seconds.
    /// Real-time safe: no.
    @discardableResult
    public func keep(_ roundTrip: RoundTrip) throws(CalibrationError) -> String? {
        var aside: String?
        try change { (old) throws(CalibrationError) in
            if old.isDamaged { aside = try setAside() }
            return [roundTrip] + old.roundTrips.filter { $0.setup != roundTrip.setup }
        }
        return aside
    }

    /// Removes all round trips of a pair of devices, at any rate and block length, and returns their number.
    ///
    /// The devices may have their names from the time of the measurement. Throws like ``keep(_:)``. Real-time safe: no.
    package func forget(output: OutputDevice, input: InputDevice) throws(CalibrationError) -> Int {
        let pair = RoundTrip.Setup(output: output, input: input, sampleRate: 1, periodFrames: 1)
        func isOfPair(_ trip: RoundTrip) -> Bool { trip.setup.output == pair.output && trip.setup.input == pair.input }
        // Without a round trip to remove, nothing is created, not even a folder.
        guard try contents().roundTrips.contains(where: isOfPair) else { return 0 }
        var count = 0
        try change { (old) throws(CalibrationError) in
            let left = old.roundTrips.filter { !isOfPair($0) }
            count = old.roundTrips.count - left.count
            if count > 0, old.isDamaged { _ = try setAside() }
            return count > 0 ? left : nil
        }
        return count
    }

    private func change(
        _ roundTrips: (Contents) throws(CalibrationError) -> [RoundTrip]?
    ) throws(CalibrationError) {
        try file.change(failure: failure) { (content) throws(CalibrationError) in
            try roundTrips(contents(of: content)).map(Self.text)
        }
    }

    private func setAside() throws(CalibrationError) -> String {
        do { return try file.setAside() } catch { throw failure(error) }
    }

    private func contents(of content: StateFile.Content) throws(CalibrationError) -> Contents {
        guard case .value(let value) = content, let version = value["v"]?.integer(in: .counts), version > 0 else {
            return Contents(roundTrips: [], isDamaged: content != .nothing)
        }
        guard version <= Self.version else {
            throw CalibrationError(
                .storeIsNewer, "\(path) was written by a later version of woodshed",
                remedy: "Use the later version, or move the file away.")
        }
        guard version == Self.version else { return Contents(roundTrips: [], isDamaged: false) }
        guard let entries = value["calibrations"]?.elements else { return Contents(roundTrips: [], isDamaged: true) }
        let roundTrips = entries.compactMap(RoundTrip.init)
        return Contents(
            roundTrips: roundTrips.sorted { $0.time > $1.time }, isDamaged: roundTrips.count < entries.count)
    }

    /// Returns the file's text, one entry per line, for people who read the file.
    private static func text(_ roundTrips: [RoundTrip]) -> String {
        let entries = roundTrips.map { "\n" + JSONValue.object($0.fields).text }.joined(separator: ",")
        return "{\"v\":\(version),\"calibrations\":[\(entries)\n]}\n"
    }

    private func failure(_ fault: StateFile.Fault) -> CalibrationError {
        if let limit = SystemLimit(errno: fault.code) {
            return CalibrationError(
                .store, "\(path): \(limit.cause)", remedy: limit.remedy, status: limit.exitStatus)
        }
        return CalibrationError(
            fault.code == EACCES || fault.code == EPERM || fault.code == EROFS ? .storePermission : .store,
            "\(path) \(fault.text)",
            remedy: "Check the folder and its permissions, or set XDG_STATE_HOME to another folder.")
    }
}
