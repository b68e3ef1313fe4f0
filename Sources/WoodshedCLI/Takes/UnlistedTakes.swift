// Takes of `record` refused by the store: remembered in the user's state folder, and listed at the next start.
import JSON
import UserState
import WoodshedPractice

/// A take complete on the disk, and missing only in the list.
struct UnlistedTake: Equatable {
    /// Absolute path of the take.
    let path: String
    let sound: StoredTake.Sound

    /// Remembers the take. A failure has no further effect: the user already knows the command to add the take.
    func remember() {
        UnlistedTakes.change { takes in takes.filter { $0.path != path } + [self] }
    }

    fileprivate init(path: String, _ sound: StoredTake.Sound) { (self.path, self.sound) = (path, sound) }

    init?(inFileAt path: String, _ sound: StoredTake.Sound) {
        guard let whole = FileName.absolute(path) else { return nil }
        self.init(path: whole, sound)
    }

    fileprivate init?(_ value: JSONValue) {
        guard let path = value["path"]?.stringValue, let time = value["time"]?.integer(in: .seconds),
            let rate = value["sample_rate"]?.integer(in: .sampleRates),
            let channels = value["channels"]?.integer(in: .counts),
            let frames = value["frames"]?.integer(in: .counts), let device = value["device"]?.stringValue,
            (1...64).contains(channels)
        else { return nil }
        self.init(
            path: path,
            StoredTake.Sound(
                time: time, sampleRate: Int(rate), channelCount: Int(channels), frameCount: frames, device: device))
    }

    fileprivate var json: JSONValue {
        .object([
            .init("path", .string(path)), .init("time", .integer(sound.time)),
            .init("sample_rate", .integer(sound.sampleRate)), .init("channels", .integer(sound.channelCount)),
            .init("frames", .integer(sound.frameCount)), .init("device", .string(sound.device)),
        ])
    }
}

enum UnlistedTakes {
    static let fileName = "unlisted.json"

    /// Lists the remembered takes. Takes on a disconnected disk, and takes still refused by the store, stay remembered.
    static func list(in store: PracticeStore) -> [StoredTake] {
        // Usually there are none, and nothing is written.
        guard let file = StateFile(named: fileName), let content = try? file.read(), !takes(in: content).isEmpty else {
            return []
        }
        var listed: [StoredTake] = []
        change { takes in
            takes.filter { take in
                guard isFile(take.path), let added = try? store.addTake(inFileAt: take.path, take.sound) else {
                    return true
                }
                listed.append(added)
                return false
            }
        }
        return listed
    }

    fileprivate static func change(_ body: ([UnlistedTake]) -> [UnlistedTake]) {
        try? StateFile(named: fileName)?.change(failure: { $0 }) { (content) throws(StateFile.Fault) in
            JSONValue.object([
                .init("v", .integer(1)), .init("takes", .array(body(takes(in: content)).map(\.json))),
            ]).text + "\n"
        }
    }

    private static func takes(in content: StateFile.Content) -> [UnlistedTake] {
        guard case .value(let value) = content, case .array(let takes)? = value["takes"] else { return [] }
        return takes.compactMap { UnlistedTake($0) }
    }
}
