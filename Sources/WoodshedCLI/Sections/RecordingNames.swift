// Names of recordings in messages and lists, independent of their files' places.
import Files
import Terminal
import WoodshedLibrary

/// Names of recordings: the title in the library, else the title in the file, else the file's name.
struct RecordingNames {
    private let library: RecordingLibrary?

    init(_ store: PracticeStore) { library = try? RecordingLibrary(store) }

    func name(of recording: PracticeRecording) -> String {
        // A file in the library's folder is named after its key.
        let title = ((try? library?.item(recording.key)) ?? nil)?.words.title ?? ""
        if !title.isEmpty { return title }
        return recording.title.isEmpty ? recording.path.map(fileName) ?? "\(recording.key)" : recording.title
    }
}
