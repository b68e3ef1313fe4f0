internal import AudioFiles
public import CWoodshed
internal import Practice
internal import Sections
internal import Store

/// A store opened by a C program.
final class StoreBox: Handled {
    static var kind: HandleKind { .store }

    let store: PracticeStore

    init(_ store: PracticeStore) { self.store = store }

    /// Returns the recording in a file.
    func recording(_ path: UnsafePointer<CChar>?) throws -> PracticeRecording {
        try store.recording(of: AudioFileInfo(path: unsafe Argument.path(path, "the recording")))
    }
}

extension woodshed_kept_section: ListedStruct {
    static var listKind: HandleKind { .sectionList }
}

/// See woodshed.h.
@c @implementation
public func woodshed_store_open(
    _ path: UnsafePointer<CChar>?, _ store: UnsafeMutablePointer<OpaquePointer?>?
) -> woodshed_status {
    answer {
        try unsafe Argument.give(store, "the place for the store") {
            let place: PracticeStore.Place =
                if unsafe path == nil { .user } else { .file(try unsafe Argument.path(path, "the path")) }
            return try unsafe Handles.open(StoreBox(try PracticeStore(place)))
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_section_list_open(
    _ store: OpaquePointer?, _ recording: UnsafePointer<CChar>?, _ list: UnsafeMutablePointer<OpaquePointer?>?
) -> woodshed_status {
    answer {
        try unsafe Argument.give(list, "the place for the list") {
            let box: StoreBox = try unsafe Handles.object(store)
            let kept = try unsafe box.store.sections(of: box.recording(recording)).sections
            let sections = unsafe ListBox<woodshed_kept_section>(kept) { (known, place, section, texts) in
                unsafe section.size = UInt32(MemoryLayout<woodshed_kept_section>.stride)
                unsafe section.number = Int32(clamping: place + 1)
                unsafe section.id = Int32(clamping: known.id)
                unsafe section.is_hard = known.isHard ? 1 : 0
                unsafe (section.start, section.end) = (known.frames.lowerBound, known.frames.upperBound)
                unsafe section.name = texts.copy(known.name)
                unsafe section.text = texts.copy(known.text)
            }
            return try unsafe Handles.open(sections)
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_section_list_count(_ list: OpaquePointer?) -> Int {
    unsafe ListBox<woodshed_kept_section>.count(list)
}

/// See woodshed.h.
@c @implementation
public func woodshed_section_list_at(_ list: OpaquePointer?, _ place: Int) -> UnsafePointer<woodshed_kept_section>? {
    unsafe ListBox<woodshed_kept_section>.value(list, place)
}

/// See woodshed.h.
@c @implementation
public func woodshed_section_list_close(_ list: OpaquePointer?) -> woodshed_status {
    unsafe ListBox<woodshed_kept_section>.close(list)
}

/// Changes the sections of a recording.
private func change(
    _ store: OpaquePointer?, _ recording: UnsafePointer<CChar>?, _ edit: () throws -> SectionEdit,
    done: (SectionChange) -> Void = { _ in }
) -> woodshed_status {
    answer {
        let box: StoreBox = try unsafe Handles.object(store)
        let edit = try edit()
        done(try box.store.apply(edit, to: unsafe box.recording(recording)))
    }
}

/// Returns a range of frames. If the end precedes the start, the range is empty, and the store refuses an empty range.
private func range(_ start: Int64, _ end: Int64) -> Range<Int64> { start..<max(start, end) }

/// See woodshed.h.
@c @implementation
public func woodshed_store_add_section(
    _ store: OpaquePointer?, _ recording: UnsafePointer<CChar>?, _ start: Int64, _ end: Int64,
    _ name: UnsafePointer<CChar>?, _ text: UnsafePointer<CChar>?, _ id: UnsafeMutablePointer<Int32>?
) -> woodshed_status {
    unsafe change(store, recording) {
        let name = unsafe name == nil ? "" : try Argument.text(name, "the name")
        let text = unsafe text == nil ? "" : try Argument.text(text, "the text")
        return .add([SectionDraft(range(start, end), name: name, text: text)])
    } done: { change in
        if let id = unsafe id, let added = change.added.first { unsafe id.pointee = Int32(clamping: added.id) }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_store_mark(
    _ store: OpaquePointer?, _ recording: UnsafePointer<CChar>?, _ frame: Int64, _ name: UnsafePointer<CChar>?
) -> woodshed_status {
    unsafe change(store, recording) {
        .mark(frame: frame, name: unsafe name == nil ? "" : try Argument.text(name, "the name"))
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_store_move_section(
    _ store: OpaquePointer?, _ recording: UnsafePointer<CChar>?, _ id: Int32, _ start: Int64, _ end: Int64
) -> woodshed_status {
    unsafe change(store, recording) { .move(id: Int(id), frames: range(start, end)) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_store_rename_section(
    _ store: OpaquePointer?, _ recording: UnsafePointer<CChar>?, _ id: Int32, _ name: UnsafePointer<CChar>?
) -> woodshed_status {
    unsafe change(store, recording) { .rename(id: Int(id), name: try unsafe Argument.text(name, "the name")) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_store_remove_section(
    _ store: OpaquePointer?, _ recording: UnsafePointer<CChar>?, _ id: Int32
) -> woodshed_status {
    unsafe change(store, recording) { .remove(ids: [Int(id)]) }
}

/// See woodshed.h.
@c @implementation
public func woodshed_store_undo(_ store: OpaquePointer?, _ recording: UnsafePointer<CChar>?) -> woodshed_status {
    answer {
        let box: StoreBox = try unsafe Handles.object(store)
        try box.store.undo(unsafe box.recording(recording).key)
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_store_redo(_ store: OpaquePointer?, _ recording: UnsafePointer<CChar>?) -> woodshed_status {
    answer {
        let box: StoreBox = try unsafe Handles.object(store)
        try box.store.redo(unsafe box.recording(recording).key)
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_store_close(_ store: OpaquePointer?) -> woodshed_status {
    answer { _ = try unsafe Handles.close(store) as StoreBox? }
}
