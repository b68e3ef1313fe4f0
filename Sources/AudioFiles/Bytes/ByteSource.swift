/// Random access to bytes in a file or in memory. Only the requested bytes are read, so a wrong size in a file costs
/// nothing.
///
/// If a part of a file becomes unreadable, the bytes end there.
package struct ByteSource {
    private enum Storage {
        case file(OpenedFile)
        case memory([UInt8])
    }

    private let storage: Storage
    /// Ranges of the storage with the bytes, in order; no range is empty.
    private let pieces: [Range<Int64>]
    /// Offset of the beginning of each piece among the bytes.
    private let starts: [Int64]
    /// Number of bytes.
    package let count: Int64

    package init(_ file: OpenedFile) { self.init(.file(file), [0..<file.byteCount]) }

    package init(_ bytes: [UInt8]) { self.init(.memory(bytes), [0..<Int64(bytes.count)]) }

    private init(_ storage: Storage, _ pieces: [Range<Int64>]) {
        self.storage = storage
        self.pieces = pieces.filter { !$0.isEmpty }
        var (starts, count): ([Int64], Int64) = ([], 0)
        for piece in self.pieces {
            starts.append(count)
            count += piece.upperBound - piece.lowerBound
        }
        (self.starts, self.count) = (starts, count)
    }

    /// Returns the bytes of several ranges, concatenated. Parts outside the source are omitted.
    package func joined(_ ranges: [Range<Int64>]) -> ByteSource { ByteSource(storage, ranges.flatMap(places)) }

    /// Returns the bytes of a range. Parts outside the source are omitted.
    package func slice(_ range: Range<Int64>) -> ByteSource { joined([range]) }

    /// Returns all bytes from `offset` on.
    package func dropFirst(_ offset: Int64) -> ByteSource { slice(min(max(0, offset), count)..<count) }

    /// Returns up to `limit` bytes from `offset` on; fewer at the end.
    package func bytes(at offset: Int64, count limit: Int) -> [UInt8] {
        guard offset >= 0, offset < count, limit > 0 else { return [] }
        let end = offset + min(Int64(limit), count - offset)
        var bytes: [UInt8] = []
        for place in places(of: offset..<end) {
            let length = Int(place.upperBound - place.lowerBound)
            switch storage {
            case .memory(let all): bytes += all[Int(place.lowerBound)..<Int(place.upperBound)]
            case .file(let file):
                let read = file.bytes(at: place.lowerBound, count: length)
                bytes += read
                // Bytes after a gap would be at the wrong offset.
                if read.count < length { return bytes }
            }
        }
        return bytes
    }

    /// Returns the little-endian integer at an offset; nil if bytes are missing.
    package func little<Value: ShortInteger>(_ type: Value.Type = Value.self, at offset: Int64) -> Value? {
        little(at: offset, in: .min ... .max)
    }

    /// Returns the big-endian integer at an offset; nil if bytes are missing.
    package func big<Value: ShortInteger>(_ type: Value.Type = Value.self, at offset: Int64) -> Value? {
        big(at: offset, in: .min ... .max)
    }

    /// Returns the little-endian integer of any size at an offset; nil beyond the limits, or if bytes are missing.
    package func little<Value: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int64, in limits: ClosedRange<Value>
    ) -> Value? {
        let bytes = bytes(at: offset, count: MemoryLayout<Value>.size)
        return bytes.count == MemoryLayout<Value>.size ? bytes.little(at: 0, in: limits) : nil
    }

    /// Returns the big-endian integer of any size at an offset; nil beyond the limits, or if bytes are missing.
    package func big<Value: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int64, in limits: ClosedRange<Value>
    ) -> Value? {
        let bytes = bytes(at: offset, count: MemoryLayout<Value>.size)
        return bytes.count == MemoryLayout<Value>.size ? bytes.big(at: 0, in: limits) : nil
    }

    /// Returns true if the bytes at `offset` begin with a text.
    package func starts(with text: String, at offset: Int64 = 0) -> Bool {
        bytes(at: offset, count: text.utf8.count).elementsEqual(text.utf8)
    }

    /// Returns the ranges of the storage for a range of the bytes.
    private func places(of range: Range<Int64>) -> [Range<Int64>] {
        let range = range.clamped(to: 0..<count)
        if range.isEmpty { return [] }
        // Find the last piece beginning at or before the range, by binary search.
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= range.lowerBound { low = middle } else { high = middle }
        }
        var places: [Range<Int64>] = []
        while low < pieces.count, starts[low] < range.upperBound {
            let shift = pieces[low].lowerBound - starts[low]
            places.append((range.lowerBound + shift..<range.upperBound + shift).clamped(to: pieces[low]))
            low += 1
        }
        return places
    }
}
