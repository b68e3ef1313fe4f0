public import CWoodshed
internal import Glibc
internal import Practice
internal import Sections
internal import Store

extension woodshed_due_section: ListedStruct {
    static var listKind: HandleKind { .dueList }
}

/// See woodshed.h.
@c @implementation
public func woodshed_store_rate_section(
    _ store: OpaquePointer?, _ recording: UnsafePointer<CChar>?, _ id: Int32, _ rating: Int32
) -> woodshed_status {
    answer {
        let box: StoreBox = try unsafe Handles.object(store)
        guard let rating = ReviewRating(rawValue: Int(rating)) else {
            throw ArgumentError("the rating is \(rating)", remedy: "Pass a woodshed_rating, 1 to 4.")
        }
        try box.store.review(
            section: Int(id), of: unsafe box.recording(recording), rating, at: Int64(time(nil)))
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_due_list_open(
    _ store: OpaquePointer?, _ recording: UnsafePointer<CChar>?, _ list: UnsafeMutablePointer<OpaquePointer?>?
) -> woodshed_status {
    answer {
        try unsafe Argument.give(list, "the place for the list") {
            let box: StoreBox = try unsafe Handles.object(store)
            let key = try unsafe recording == nil ? nil : box.recording(recording).key
            let known = try box.store.due(at: Int64(time(nil)), of: key).filter { key != nil || !$0.isReplaced }
            let due = unsafe ListBox<woodshed_due_section>(known) { (known, _, due, texts) in
                unsafe due.size = UInt32(MemoryLayout<woodshed_due_section>.stride)
                unsafe (due.number, due.id) = (Int32(clamping: known.number), Int32(clamping: known.section.id))
                unsafe due.overdue_days = Int32(clamping: known.overdueDays)
                let frames = known.section.frames
                unsafe (due.start, due.end) = (frames.lowerBound, frames.upperBound)
                unsafe (due.retrievability, due.last_speed) = (known.retrievability, known.lastSpeed ?? 0)
                unsafe due.name = texts.copy(known.section.name)
                unsafe due.recording = texts.copy(known.recording.path ?? "")
            }
            return try unsafe Handles.open(due)
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_due_list_count(_ list: OpaquePointer?) -> Int {
    unsafe ListBox<woodshed_due_section>.count(list)
}

/// See woodshed.h.
@c @implementation
public func woodshed_due_list_at(_ list: OpaquePointer?, _ place: Int) -> UnsafePointer<woodshed_due_section>? {
    unsafe ListBox<woodshed_due_section>.value(list, place)
}

/// See woodshed.h.
@c @implementation
public func woodshed_due_list_close(_ list: OpaquePointer?) -> woodshed_status {
    unsafe ListBox<woodshed_due_section>.close(list)
}
