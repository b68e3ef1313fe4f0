// Adds recordings to a collection in a folder, and lists the recordings that match the words:
// Shelf FOLDER WORDS [FILE ...]
import Glibc
import WoodshedLibrary

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 2 else {
    print("usage: Shelf FOLDER WORDS [FILE ...]")
    exit(64)
}
let (folder, words) = (arguments[0], arguments[1])
let store = try PracticeStore(.file("\(folder)/shelf.db"))
let library = try RecordingLibrary(store, folder: "\(folder)/recordings")

// The sound decides whether a recording is known, not the file's name. The file is copied, and the original stays.
for path in arguments.dropFirst(2) {
    let added = try library.add(fileAt: path)
    print("\(added.isNew ? "added" : "known"): \(added.item.words.title)")
}

// Every word must occur in the title, the artist, the tags or a section's name, without regard to accents and case.
for item in try library.items({ $0.text = words }) {
    print("\(item.number): \(item.words.title), \(item.seconds) s, \(item.sectionCount) sections")
}
