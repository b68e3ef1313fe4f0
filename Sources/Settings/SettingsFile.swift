package import UserState

/// The user's configuration file.
package struct SettingsFile: Sendable {
    /// The reason why the file is unusable.
    package enum Fault: Error, Equatable {
        /// The system refuses the file.
        case file(LockedFile.Fault)
        /// Not text, or too large to be a configuration file.
        case noText
    }

    private let file: LockedFile

    package var path: String { file.path }

    /// `woodshed.conf` in this program's folder under `$XDG_CONFIG_HOME`, by default `~/.config`; nil if there is no
    /// home.
    package init?() {
        guard let folder = ConfigFolder.path else { return nil }
        self.init(path: folder + "/woodshed.conf")
    }

    package init(path: String) { file = LockedFile(path: path) }

    /// Reads the text; returns nil if there is no file.
    package func read() throws(Fault) -> SettingsText? {
        let bytes: [UInt8]?
        do throws(LockedFile.Fault) { bytes = try file.read() } catch { throw .file(error) }
        return try bytes.map { (bytes) throws(Fault) in try Self.text(bytes) }
    }

    private static func text(_ bytes: [UInt8]) throws(Fault) -> SettingsText {
        guard bytes.count <= LockedFile.largest, !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self)
        else { throw .noText }
        return SettingsText(text)
    }

    /// Changes the file; a simultaneous change by another program is not lost.
    ///
    /// - Parameter body: Changes the text; false leaves the file unchanged.
    package func change(_ body: (inout SettingsText) -> Bool) throws(Fault) {
        try file.change(failure: Fault.file) { (bytes) throws(Fault) in
            var text = try bytes.map { (bytes) throws(Fault) in try Self.text(bytes) } ?? SettingsText("")
            return body(&text) ? text.text : nil
        }
    }
}
