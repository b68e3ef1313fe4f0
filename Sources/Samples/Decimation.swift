extension Array where Element: BinaryFloatingPoint & SIMDScalar {
    /// Returns every `factor`-th of the filtered samples: value `m` is the sum of
    /// `filter[tap] * self[start + m * factor + tap]`.
    ///
    /// Each sum adds its taps in order, like a plain loop. Samples that lie `factor` apart are put side by side first,
    /// so that eight values are computed at once. Samples before the first and after the last are zeros. Real-time
    /// safe: no.
    @inlinable
    package func decimated(from start: Int, by factor: Int, filter: [Element], count: Int) -> [Element] {
        typealias Elements = SIMD8<Element>
        guard count > 0 else { return [] }
        precondition(factor >= 1)
        let (stride, width) = (MemoryLayout<Element>.stride, Elements.scalarCount)
        let columns = (count + width - 1) / width * width
        let rowCount = columns + (filter.count - 1) / factor
        let rows = interleaved(from: start, by: factor, columns: rowCount)
        let places = filter.indices.map { ($0 % factor * rowCount + $0 / factor) * stride }
        return unsafe [Element](unsafeUninitializedCapacity: columns) { sums, made in
            let target = UnsafeMutableRawBufferPointer(sums)
            unsafe rows.withUnsafeBytes { rows in
                for begin in Swift.stride(from: 0, to: columns * stride, by: width * stride) {
                    var sum = Elements()
                    for tap in filter.indices {
                        sum +=
                            unsafe filter[tap]
                            * rows.loadUnaligned(fromByteOffset: places[tap] &+ begin, as: Elements.self)
                    }
                    unsafe target.storeBytes(of: sum, toByteOffset: begin, as: Elements.self)
                }
            }
            made = count
        }
    }

    /// Returns the samples from `start` on in `factor` rows, sample `n` in row `n % factor` at column `n / factor`;
    /// zeros outside.
    @inlinable
    package func interleaved(from start: Int, by factor: Int, columns: Int) -> [Element] {
        var rows = [Element](repeating: 0, count: factor * columns)
        unsafe withUnsafeBufferPointer { samples in
            unsafe rows.withUnsafeMutableBufferPointer { rows in
                for row in 0..<factor {
                    let begin = start + row
                    let first = Swift.min(columns, begin < 0 ? (factor - 1 - begin) / factor : 0)
                    let end = Swift.max(first, Swift.min(columns, (samples.count - begin + factor - 1) / factor))
                    var place = begin + first * factor
                    for column in row &* columns &+ first..<row &* columns &+ end {
                        unsafe rows[column] = samples[place]
                        place &+= factor
                    }
                }
            }
        }
        return rows
    }
}
