// Tables shared by threads: in these tests, only these tables can give the thread sanitizer a finding.
import Samples
import Testing

@testable import Stretching
@_spi(Benchmarks) @testable import Transforms

@Suite("Tables shared by threads")
struct SharedTableTests {
    @Test("FFT plans made on many threads at once do not disturb each other")
    func plansConcurrently() async {
        let sums = await withTaskGroup(of: Float.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    var transform = RealFourierTransform(size: 512)
                    for index in 0..<512 { unsafe transform.frames[index] = Float(index % 7) }
                    transform.forward()
                    return unsafe transform.spectrum.reduce(0, +)
                }
            }
            return await group.reduce(into: [Float]()) { $0.append($1) }
        }
        #expect(sums.count == 16 && Set(sums).count == 1)
    }

    @Test("stretcher windows are made once for many threads, and share their memory")
    func windowsConcurrently() async {
        let places = await withTaskGroup(of: UInt.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    let windows = WindowShapes.windows(of: StretchShape(sampleRate: 8000))
                    return unsafe UInt(bitPattern: BandWindows(windows.steadyHigh).analysis.base)
                }
            }
            return await group.reduce(into: Set<UInt>()) { $0.insert($1) }
        }
        #expect(places.count == 1)
    }
}
