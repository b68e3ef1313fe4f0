/// The remedy for a user outside the group `audio`. Devices in /dev/snd belong to this group, and real-time limits are
/// usually granted to it.
package enum AudioGroup {
    /// The remedy as a part of a sentence.
    package static let joining = "join the group audio (sudo usermod -aG audio $USER) and log in again"
    /// The remedy as a sentence.
    package static var remedy: String { "J\(joining.dropFirst())." }
}
