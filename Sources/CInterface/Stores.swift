internal import AudioFiles
public import CWoodshed
internal import Glibc
internal import Practice
internal import Sections

/// A store that a C program has open.
final class StoreBox: Handled {
    static var kind: HandleKind { .store }

    let store: PracticeStore

    init(_ store: PracticeStore) { self.store = store }

    /// The recording in a file.
    func recording(_ path: UnsafePointer<CChar>?) throws -> PracticeRecording {
        try store.recording(of: AudioFileInfo(path: unsafe Argument.path(path, "the recording")))
    }
}

/// The sections of a recording, in the form of the header.
@safe
final class SectionListBox: Handled, @unchecked Sendable {
    // Unchecked because of the memory, which does not change.
    static var kind: HandleKind { .sectionList }

    let count: Int
    private let sections: UnsafeMutablePointer<woodshed_kept_section>

    init(_ list: SectionList) {
        let known = list.sections
        count = known.count
        unsafe sections = .allocate(capacity: max(1, known.count))
        for (index, section) in known.enumerated() {
            var kept = unsafe woodshed_kept_section()
            unsafe kept.size = UInt32(MemoryLayout<woodshed_kept_section>.stride)
            unsafe kept.number = Int32(clamping: index + 1)
            unsafe kept.id = Int32(clamping: section.id)
            unsafe kept.is_hard = section.isHard ? 1 : 0
            unsafe (kept.start, kept.end) = (section.frames.lowerBound, section.frames.upperBound)
            unsafe kept.name = UnsafePointer(strdup(section.name))
            unsafe kept.text = UnsafePointer(strdup(section.text))
            unsafe (sections + index).initialize(to: kept)
        }
    }

    deinit {
        for index in 0..<count {
            unsafe free(UnsafeMutablePointer(mutating: sections[index].name))
            unsafe free(UnsafeMutablePointer(mutating: sections[index].text))
        }
        unsafe sections.deallocate()
    }

    /// Valid as long as the list.
    func section(at place: Int) -> UnsafePointer<woodshed_kept_section>? {
        unsafe (0..<count).contains(place) ? UnsafePointer(sections + place) : nil
    }
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
public func woodshed_store_sections(
    _ store: OpaquePointer?, _ recording: UnsafePointer<CChar>?, _ list: UnsafeMutablePointer<OpaquePointer?>?
) -> woodshed_status {
    answer {
        try unsafe Argument.give(list, "the place for the list") {
            let box: StoreBox = try unsafe Handles.object(store)
            return try unsafe Handles.open(SectionListBox(box.store.sections(of: box.recording(recording))))
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_section_list_count(_ list: OpaquePointer?) -> Int {
    var count = 0
    _ = answer { count = try (unsafe Handles.object(list) as SectionListBox).count }
    return count
}

/// See woodshed.h.
@c @implementation
public func woodshed_section_list_at(_ list: OpaquePointer?, _ place: Int) -> UnsafePointer<woodshed_kept_section>? {
    var section: UnsafePointer<woodshed_kept_section>?
    _ = answer { unsafe section = try (Handles.object(list) as SectionListBox).section(at: place) }
    return unsafe section
}

/// See woodshed.h.
@c @implementation
public func woodshed_section_list_close(_ list: OpaquePointer?) -> woodshed_status {
    answer { _ = try unsafe Handles.close(list) as SectionListBox? }
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

/// A range of frames; one that ends before it starts is refused as an empty one.
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
