// Pictures read back, and columns of known sounds.
import DSP
internal import Glibc
internal import PictureReading
import Stretching
import Testing

@testable import Drawing

/// The pixels of a PNG file, read by code other than the writer's own.
struct Pixels: Equatable {
    let width: Int
    let height: Int
    private let values: [UInt32]

    init(png: [UInt8]) throws {
        struct Unreadable: Error {}
        let read = unsafe picture_read(png, png.count)
        guard let pixels = unsafe read.pixels else { throw Unreadable() }
        defer { unsafe free(pixels) }
        (width, height) = unsafe (Int(read.width), Int(read.height))
        values = unsafe UnsafeBufferPointer(start: pixels, count: width * height).map { $0 | 0xFF00_0000 }
    }

    subscript(x: Int, y: Int) -> UInt32 { values[y * width + x] }

    /// The pixels of a rectangle in a colour.
    func count(in area: Rectangle, where isWanted: (UInt32) -> Bool) -> Int {
        var count = 0
        for y in Int(area.y)..<Int(area.bottom) {
            for x in Int(area.x)..<Int(area.right) where isWanted(self[x, y]) { count += 1 }
        }
        return count
    }

    /// Whether a pixel is much redder than anything else.
    static func isRed(_ pixel: UInt32) -> Bool {
        let (red, green, blue) = (Int(pixel >> 16 & 255), Int(pixel >> 8 & 255), Int(pixel & 255))
        return red > 180 && red - max(green, blue) > 110
    }
}

extension WaveformPicture {
    func pixels() throws -> Pixels { try Pixels(png: encoded(as: .png)) }
    var layout: Layout { WaveformDrawing(self).layout }
    /// The colours of the wave, strong colours included.
    var inks: Set<UInt32> {
        Set(WaveColours(colouring, sheet.theme).pairs.flatMap { [$0.extremes.pixel, $0.rms.pixel] })
    }
}

func sheet(
    _ width: Int = 800, _ height: Int = 240, title: String = "", frames: Range<Int64> = 0..<441_000,
    sections: [PictureSection] = [], theme: PictureTheme = .light
) throws -> PictureSheet {
    try PictureSheet(
        width: width, height: height, title: title, sampleRate: 44_100, frames: frames, sections: sections, theme: theme
    )
}

/// A column of a square wave.
func square(_ amplitude: Float, isClipped: Bool = false, tone: WaveformTone? = nil) -> WaveformColumn {
    WaveformColumn(minimum: -amplitude, maximum: amplitude, rms: amplitude, isClipped: isClipped, tone: tone)
}

/// Calls `body` with a path in a folder of this test's own.
func withFolder(_ body: (String) throws -> Void) throws {
    var template = Array("/tmp/drawing-XXXXXX".utf8CString)
    let made = unsafe template.withUnsafeMutableBufferPointer { template in
        unsafe template.baseAddress.flatMap { unsafe mkdtemp($0) }.map { unsafe String(cString: $0) }
    }
    let path = try #require(made)
    defer {
        for name in listing(path) { unsafe unlink(path + "/" + name) }
        unsafe rmdir(path)
    }
    try body(path)
}

func listing(_ folder: String) -> [String] {
    guard let stream = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
        let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
}

func contents(_ path: String) -> [UInt8]? {
    guard let file = unsafe fopen(path, "r") else { return nil }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return Array(bytes[..<count])
}
