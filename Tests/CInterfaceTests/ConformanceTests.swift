import AudioFiles
import CConformance
import CWoodshed
import Foundation
import Practice
import Sections
import SoundFileSupport
import Store
import TestSupport
import Testing

@testable import CInterface

@Suite("The interface for C", .serialized)
struct ConformanceTests {
    @Test("the C interface follows its header for right and hostile arguments, and keeps the log")
    func conformance() throws {
        let scratch = try Scratch()
        let recording = scratch.file("song.wav")
        try writeWave(recording, music(frameCount: 4 * 44_100, channelCount: 2, seed: 5))
        let other = try scratch.write("words.txt", Array("no sound".utf8))
        let folder = scratch.file("takes")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // A child of a process with the threads of other tests could wait for them; scripts/tests/test-c.sh forks.
        let failures = unsafe String(cString: conformance_failures(recording, other, folder, 0))
        #expect(failures == "")

        let log = try PracticeStore(.file(folder + "/practised.db")).practiceLog()
        #expect(log.map(\.frames) == [1000..<9000, 10_000..<18_000])
        #expect(log.map(\.passes) == [2, 2])
        #expect(log.map(\.sectionID) == [1, 2])
    }

    @Test("a program may try again when the system has no thread left")
    func noThread() {
        #expect(Refusal(AudioFileError.noThread("song.wav")).status == WOODSHED_TRY_AGAIN)
        #expect(Refusal(ArgumentError.noThread).status == WOODSHED_TRY_AGAIN)
        // Other limits need another file.
        #expect(Refusal(AudioFileError.tooLong("song.wav")).status == WOODSHED_BAD_DATA)
    }

    @Test("a listener that another thread has closed meanwhile gets no callback")
    func closedMeanwhile() throws {
        let listener = try unsafe ListenerBox.open(on: nil, 16)
        let found: ListenerBox = try unsafe Handles.object(listener)
        #expect(unsafe woodshed_listener_close(listener) == WOODSHED_OK)
        #expect(throws: ArgumentError.self) { try unsafe found.call({ _, _ in }, nil) }
        #expect(!found.hasCallback)
    }

    @Test("a listener of an engine that another thread has closed meanwhile refuses requests")
    func closedEngine() throws {
        let hub = EventHub()
        hub.close()
        let listener = try unsafe ListenerBox.open(on: hub, 16)
        var (number, event): (Int64, UnsafePointer<woodshed_event>?) = (0, nil)
        // An answer would come after the end of the queue, and be lost.
        #expect(unsafe woodshed_measure_request(listener, "song.wav", &number) == WOODSHED_INVALID)
        #expect(unsafe woodshed_listener_next(listener, -1, &event) == WOODSHED_OK)
        #expect(unsafe event?.pointee.kind == Int32(WOODSHED_EVENT_CLOSED.rawValue))
        #expect(unsafe woodshed_listener_close(listener) == WOODSHED_OK)
    }

    @Test("samples in memory are copied once, into the pages of the clip", .enabled(if: HeapTraffic.isCounted))
    func samplesInMemory() throws {
        var engine: OpaquePointer?
        var clip: OpaquePointer?
        #expect(unsafe woodshed_engine_open("null", nil, &engine) == WOODSHED_OK)
        let samples = [Float](repeating: 0.5, count: 1 << 20)
        let traffic = unsafe samples.withUnsafeBufferPointer { samples in
            let channels = unsafe [samples.baseAddress, samples.baseAddress]
            return HeapTraffic.measure {
                let status = unsafe woodshed_clip_open_memory(engine, channels, 2, Int64(samples.count), &clip)
                #expect(status == WOODSHED_OK)
            }
        }
        // 8 MiB of samples. Pages do not come from the heap.
        #expect(traffic.bytes < 1 << 20)
        #expect(unsafe woodshed_clip_close(clip) == WOODSHED_OK)
        #expect(unsafe woodshed_engine_close(engine) == WOODSHED_OK)
    }

    @Test("a section rated long ago is due in the C interface, with its place and its name")
    func due() throws {
        let scratch = try Scratch()
        let path = scratch.file("song.wav")
        try writeWave(path, music(frameCount: 2 * 44_100, channelCount: 1, seed: 5))
        let store = try PracticeStore(.file(scratch.file("store.db")))
        let recording = try store.recording(of: AudioFileInfo(path: path))
        let added = try store.apply(.add([SectionDraft(1000..<5000, name: "Strophe")]), to: recording).added
        let id = try #require(added.first?.id)
        try store.review(section: id, of: recording, .good, at: 1_700_000_000)

        var opened: OpaquePointer?
        var list: OpaquePointer?
        #expect(unsafe woodshed_store_open(scratch.file("store.db"), &opened) == WOODSHED_OK)
        for name in [path, nil] {
            #expect(unsafe woodshed_due_list_open(opened, name, &list) == WOODSHED_OK)
            #expect(unsafe woodshed_due_list_count(list) == 1)
            guard let due = unsafe woodshed_due_list_at(list, 0)?.pointee else {
                Issue.record("nothing is due")
                continue
            }
            #expect(unsafe due.id == Int32(id) && due.number == 1 && due.start == 1000 && due.end == 5000)
            #expect(unsafe due.overdue_days > 100 && due.retrievability < 0.9 && due.last_speed == 0)
            #expect(unsafe String(cString: due.name) == "Strophe" && String(cString: due.recording) == path)
            #expect(unsafe woodshed_due_list_close(list) == WOODSHED_OK)
        }
        #expect(unsafe woodshed_store_close(opened) == WOODSHED_OK)
    }
}
