// What recordings are called where they are told of, wherever their files are.
import Files
import Terminal
import Woodshed

/// The names of recordings: their titles in the library, else those in their files, else the names of the files.
struct RecordingNames {
    private let library: RecordingLibrary?

    init(_ store: PracticeStore) { library = try? RecordingLibrary(store) }

    func name(of recording: PracticeRecording) -> String {
        // A file of the library's own has its key as its name.
        let title = ((try? library?.item(recording.key)) ?? nil)?.words.title ?? ""
        if !title.isEmpty { return title }
        return recording.title.isEmpty ? recording.path.map(fileName) ?? "\(recording.key)" : recording.title
    }
}
