internal import CWoodshed

/// A struct with lists for C programs.
protocol ListedStruct {
    static var listKind: HandleKind { get }

    /// Creates a struct with all fields 0.
    init()
}

/// Structs of a list with their texts, readable by a C program until the program closes the list.
@safe
final class ListBox<Value: ListedStruct>: Handled, @unchecked Sendable {
    // Unchecked because of the memory, which does not change.
    static var kind: HandleKind { Value.listKind }

    let count: Int
    private let values: UnsafeMutablePointer<Value>
    private let texts = StructTexts()

    /// - Parameter fill: Sets the fields of an item's struct. Its second argument is the index of the item in the list,
    ///   from 0.
    init<Item>(_ items: [Item], _ fill: (Item, Int, inout Value, StructTexts) -> Void) {
        count = items.count
        unsafe values = .allocate(capacity: max(1, count))
        for (place, item) in items.enumerated() {
            var value = Value()
            fill(item, place, &value, texts)
            unsafe (values + place).initialize(to: value)
        }
    }

    deinit {
        unsafe values.deinitialize(count: count)
        unsafe values.deallocate()
    }

    /// Returns a pointer that is valid as long as the list; nil for an index outside the list.
    subscript(place: Int) -> UnsafePointer<Value>? {
        unsafe (0..<count).contains(place) ? UnsafePointer(values + place) : nil
    }

    /// Returns the number of structs in a list; 0 if `list` is no list.
    static func count(_ list: OpaquePointer?) -> Int {
        var count = 0
        _ = answer { count = try (unsafe Handles.object(list) as ListBox).count }
        return count
    }

    /// Returns a struct of a list; nil if there is none.
    static func value(_ list: OpaquePointer?, _ place: Int) -> UnsafePointer<Value>? {
        var value: UnsafePointer<Value>?
        _ = answer { unsafe value = try (Handles.object(list) as ListBox)[place] }
        return unsafe value
    }

    static func close(_ list: OpaquePointer?) -> woodshed_status {
        answer { _ = try unsafe Handles.close(list) as ListBox? }
    }
}
