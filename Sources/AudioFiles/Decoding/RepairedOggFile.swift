// Delivers an Opus file with wrong positions to libsndfile, with the positions corrected on the way.
internal import CSndFile
internal import Glibc

/// A file with corrected positions in some pages, and with a separate read position.
@safe
final class RepairedOggFile {
    private let file: OpenedFile
    private let repairs: [OpusPositions.Repair]
    private var place: Int64 = 0

    /// Creates the file with these repairs; nil if there are none.
    init?(_ file: OpenedFile, _ repairs: [OpusPositions.Repair]) {
        if repairs.isEmpty { return nil }
        self.file = file
        self.repairs = repairs
    }

    /// Opens the file with the library. The library must be closed before this object is released. Returns nil if the
    /// library refuses.
    func open(_ properties: inout SF_INFO) -> OpaquePointer? {
        place = 0
        var calls = unsafe SF_VIRTUAL_IO(
            get_filelen: { user in
                guard let user = unsafe user else { return -1 }
                return unsafe sf_count_t(RepairedOggFile.behind(user).file.byteCount)
            },
            seek: { offset, origin, user in
                guard let user = unsafe user else { return -1 }
                return unsafe sf_count_t(RepairedOggFile.behind(user).seek(Int64(offset), from: origin))
            },
            read: { target, count, user in
                guard let user = unsafe user, let target = unsafe target, count > 0 else { return 0 }
                let bytes = unsafe UnsafeMutableRawBufferPointer(start: target, count: Int(count))
                return unsafe sf_count_t(RepairedOggFile.behind(user).read(bytes))
            },
            write: { _, _, _ in 0 },
            tell: { user in
                guard let user = unsafe user else { return -1 }
                return unsafe sf_count_t(RepairedOggFile.behind(user).place)
            })
        return unsafe sf_open_virtual(
            &calls, Int32(SFM_READ), &properties, Unmanaged.passUnretained(self).toOpaque())
    }

    private static func behind(_ user: UnsafeMutableRawPointer) -> RepairedOggFile {
        unsafe Unmanaged<RepairedOggFile>.fromOpaque(user).takeUnretainedValue()
    }

    private func seek(_ offset: Int64, from origin: Int32) -> Int64 {
        let start: Int64
        switch origin {
        case SEEK_SET: start = 0
        case SEEK_CUR: start = place
        case SEEK_END: start = file.byteCount
        default: return -1
        }
        let (target, isTooFar) = start.addingReportingOverflow(offset)
        if isTooFar || target < 0 { return -1 }
        place = target
        return target
    }

    private func read(_ target: UnsafeMutableRawBufferPointer) -> Int {
        let count = unsafe file.read(at: place, into: target)
        let held = place..<place + Int64(count)
        place = held.upperBound
        var index = firstRepair(reaching: held.lowerBound)
        while index < repairs.count, repairs[index].start < held.upperBound {
            let repair = repairs[index]
            unsafe Self.put(
                UInt64(bitPattern: repair.position), 8, at: repair.start + Int64(OggPage.positionOffset), target, held)
            unsafe Self.put(
                UInt64(repair.checksum), 4, at: repair.start + Int64(OggPage.checksumOffset), target, held)
            index += 1
        }
        return count
    }

    /// Returns the index of the first repair of a position or checksum at `place` or after it.
    private func firstRepair(reaching place: Int64) -> Int {
        var (low, high) = (0, repairs.count)
        while low < high {
            let middle = (low + high) / 2
            if repairs[middle].start + Int64(OggPage.checksumOffset) + 4 > place {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }

    /// Writes the bytes of an integer that lie within a block.
    private static func put(
        _ value: UInt64, _ byteCount: Int, at start: Int64, _ target: UnsafeMutableRawBufferPointer,
        _ held: Range<Int64>
    ) {
        for byte in 0..<byteCount where held.contains(start + Int64(byte)) {
            unsafe target[Int(start - held.lowerBound) + byte] = UInt8(truncatingIfNeeded: value >> UInt64(8 * byte))
        }
    }
}
