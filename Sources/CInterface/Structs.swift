internal import AudioFiles
internal import CWoodshed
internal import Glibc

/// Structs that begin with their size, from this or another version of the header.
enum Struct {
    /// Maximum size of a struct, in bytes.
    private static let mostBytes = 4096

    /// Reads a struct. Fields beyond the size of the struct are 0. Fields known only to a later version must be 0.
    static func read<Value: BitwiseCopyable>(
        _ pointer: UnsafePointer<Value>?, default value: Value, _ name: String
    ) throws(ArgumentError) -> Value {
        guard let pointer = unsafe pointer else { return value }
        return try unsafe read(UnsafeRawPointer(pointer), size: size(of: pointer, name), default: value, name)
    }

    /// Reads a struct of a given size.
    static func read<Value: BitwiseCopyable>(
        _ raw: UnsafeRawPointer, size: Int, default value: Value, _ name: String
    ) throws(ArgumentError) -> Value {
        let known = MemoryLayout<Value>.stride
        for offset in min(known, size)..<size where unsafe raw.load(fromByteOffset: offset, as: UInt8.self) != 0 {
            throw ArgumentError(
                "\(name) sets a field that this version of the library does not know",
                remedy: "Use a later version of the library.")
        }
        var value = value
        unsafe withUnsafeMutableBytes(of: &value) { bytes in
            for index in 0..<bytes.count { unsafe bytes[index] = 0 }
            unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(start: raw, count: min(bytes.count, size)))
        }
        return value
    }

    /// Writes a struct to the place for it, up to the size of the place. The first field keeps the size of the place.
    static func write<Value: BitwiseCopyable>(
        _ value: Value, to pointer: UnsafeMutablePointer<Value>?, _ name: String
    ) throws(ArgumentError) {
        guard let pointer = unsafe pointer else { throw .missing(name) }
        let size = try unsafe size(of: UnsafePointer(pointer), name)
        let raw = UnsafeMutableRawPointer(pointer)
        unsafe withUnsafeBytes(of: value) { bytes in
            let head = MemoryLayout<UInt32>.size
            let count = min(bytes.count, size)
            guard count > head, let start = bytes.baseAddress else { return }
            unsafe (raw + head).copyMemory(from: start + head, byteCount: count - head)
        }
        // Clears the fields of a later version.
        let known = MemoryLayout<Value>.size
        if size > known { unsafe memset(raw + known, 0, size - known) }
    }

    /// Returns the size in the first field of a struct.
    static func size<Value>(of pointer: UnsafePointer<Value>, _ name: String) throws(ArgumentError) -> Int {
        let size = Int(unsafe UnsafeRawPointer(pointer).loadUnaligned(as: UInt32.self))
        guard (8...mostBytes).contains(size) else {
            throw ArgumentError(
                "\(name) has the size \(size)", remedy: "Initialise it with the macro of the header that ends in _INIT."
            )
        }
        return size
    }
}

/// Copies of the texts in structs for a C program; valid as long as this object.
@safe
final class StructTexts {
    private var copies: [UnsafeMutablePointer<CChar>] = unsafe []

    deinit {
        while let copy = unsafe copies.popLast() { unsafe free(copy) }
    }

    func copy(_ text: String) -> UnsafePointer<CChar>? {
        guard let copy = unsafe strdup(text) else { return nil }
        unsafe copies.append(copy)
        return unsafe UnsafePointer(copy)
    }
}

/// Checks and conversions of arguments from C.
enum Argument {
    /// Returns a text in UTF-8.
    static func text(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(ArgumentError) -> String {
        guard let pointer = unsafe pointer else { throw .missing(name) }
        guard let text = unsafe String(validatingCString: pointer) else {
            throw ArgumentError("\(name) is not UTF-8", remedy: "Pass a text in UTF-8.")
        }
        return text
    }

    /// Returns a file name, in any encoding.
    static func path(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(ArgumentError) -> String {
        guard let pointer = unsafe pointer else { throw .missing(name) }
        let bytes = unsafe UnsafeBufferPointer(start: pointer, count: strlen(pointer))
        return FileName.text(of: unsafe bytes.map(UInt8.init(bitPattern:)))
    }

    /// Returns an output frame; nil for now.
    static func frame(_ frame: Int64) throws(ArgumentError) -> Int64? {
        guard frame >= -1 else {
            throw ArgumentError("the output frame is \(frame)", remedy: "Pass 0 or more, or WOODSHED_NOW.")
        }
        return frame < 0 ? nil : frame
    }

    /// Returns the value for a number of an enumeration, and refuses other numbers.
    static func choice<Value>(_ number: Int32, _ values: [Int32: Value], _ name: String) throws(ArgumentError) -> Value
    {
        guard let value = values[number] else {
            let permitted = values.keys.sorted().map { "\($0)" }.joined(separator: ", ")
            throw ArgumentError("\(name) is \(number), which has no meaning", remedy: "Pass one of: \(permitted).")
        }
        return value
    }

    /// Stores a new handle at `place`. Refuses a NULL place before it makes the handle.
    static func give(
        _ place: UnsafeMutablePointer<OpaquePointer?>?, _ name: String, _ make: () throws -> OpaquePointer
    ) throws {
        guard let place = unsafe place else { throw ArgumentError.missing(name) }
        unsafe place.pointee = nil
        unsafe place.pointee = try unsafe make()
    }
}
