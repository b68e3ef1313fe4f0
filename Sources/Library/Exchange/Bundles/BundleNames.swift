// Names of the members of a bundle. A bundle is an archive: first the catalogue, then recordings and takes, each named
// by its key, and documents, each named by the hash of its content.
internal import AudioFiles
internal import Catalogue
internal import Files

enum BundleMember: Equatable {
    case catalogue
    case recording(RecordingKey, ending: String)
    case take(RecordingKey, ending: String)
    case document(hash: String, ending: String)

    static let catalogueName = "catalogue.json"

    /// Nil for a name that no bundle member has.
    init?(_ name: [UInt8]) {
        let text = String(decoding: name, as: UTF8.self)
        guard text.utf8.elementsEqual(name) else { return nil }
        if text == Self.catalogueName {
            self = .catalogue
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let words = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        guard words.count == 2, let key = RecordingKey(String(words[0])), Self.isOrdinary(words[1]) else { return nil }
        switch parts[0] {
        case "recordings": self = .recording(key, ending: String(words[1]))
        case "takes": self = .take(key, ending: String(words[1]))
        case "documents": self = .document(hash: String(words[0]), ending: String(words[1]))
        default: return nil
        }
    }

    var name: String {
        switch self {
        case .catalogue: Self.catalogueName
        case .recording(let key, let ending): "recordings/\(key).\(ending)"
        case .take(let key, let ending): "takes/\(key).\(ending)"
        case .document(let hash, let ending): "documents/\(hash).\(ending)"
        }
    }

    /// Returns the ending of the member for a file.
    static func ending(_ path: String, container: String) -> String {
        let known = LibraryFolder.name(RecordingKey(high: 0, low: 0), original: fileName(path), container: container)
        let ending = known.split(separator: ".").last.map(String.init) ?? "wav"
        return isOrdinary(ending) ? ending : "wav"
    }

    private static func isOrdinary(_ ending: some StringProtocol) -> Bool {
        LibraryFolder.isOrdinary(ending, longest: 8)
    }
}
