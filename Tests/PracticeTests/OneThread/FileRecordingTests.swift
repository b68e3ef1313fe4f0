// The recording in a file, identified by the store's records.
import AudioFiles
import Files
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Practice
@testable import Store

@Suite("Recordings of files")
struct FileRecordingTests {
    /// A time at which a change to any file of the tests would show.
    private static let later = FileState.Moment(seconds: FileState.Moment.now.seconds + 3600, nanoseconds: 0)

    private func wave(_ name: String, in scratch: Scratch, seed: UInt64) throws -> String {
        let path = scratch.file(name)
        try writeWave(path, music(frameCount: 3000, seed: seed))
        return path
    }

    @Test("an unchanged file is not read again for its recording, and a changed file is")
    func unchanged() throws {
        let scratch = try Scratch()
        let path = try wave("a.wav", in: scratch, seed: 1)
        let store = try PracticeStore(.memory)
        let truth = try PracticeRecording(of: AudioFileInfo(path: path))
        let first = try store.recording(of: AudioFileInfo(path: path), at: Self.later)
        #expect(first.key == truth.key && first.fileState != nil)

        // A record that is wrong on purpose proves that the store reads the record and not the file.
        var wrong = PracticeRecording(
            key: RecordingKey(high: 1, low: 2), sampleRate: truth.sampleRate, frameCount: truth.frameCount)
        wrong.fileState = first.fileState
        try store.remember(wrong, position: nil, settings: [:])
        #expect(try store.recording(of: AudioFileInfo(path: path), at: Self.later).key == wrong.key)

        // The next state of the same file replaces the record, even with an unchanged length and time of writing.
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let again = try store.recording(of: AudioFileInfo(path: path), at: Self.later)
        #expect(again.key == truth.key && again.fileState != first.fileState)
        try store.remember(again, position: nil, settings: [:])
        #expect(try store.recording(of: AudioFileInfo(path: path), at: Self.later).key == truth.key)
        let state = try #require(first.fileState)
        #expect(try store.key(ofFileIn: state) == nil)
    }

    @Test("a file changed moments ago is read each time, because a further change might not show")
    func fresh() throws {
        let scratch = try Scratch()
        let path = try wave("a.wav", in: scratch, seed: 1)
        let store = try PracticeStore(.memory)
        let changed = try #require(unsafe FileState(path)).changed
        let recording = try store.recording(of: AudioFileInfo(path: path), at: changed)
        #expect(recording.fileState == nil)
        #expect(try recording.key == RecordingKey(ofFileAt: path))
    }

    @Test(
        "the recording of a file is found without making a store, and despite an unreadable store")
    func reading() throws {
        let scratch = try Scratch()
        let path = try wave("a.wav", in: scratch, seed: 1)
        let key = try RecordingKey(ofFileAt: path)
        let store = try PracticeStore(.file(scratch.file("data/practice.db")))
        #expect(try store.recording(of: AudioFileInfo(path: path), at: Self.later).key == key)
        #expect(!FileManager.default.fileExists(atPath: scratch.file("data")))
        // A folder in the place of the file.
        let folder = try PracticeStore(.file(scratch.path))
        #expect(try folder.recording(of: AudioFileInfo(path: path), at: Self.later).key == key)
    }
}
