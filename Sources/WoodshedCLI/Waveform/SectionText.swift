// A recording's sections, as JSON and for pictures.
import Drawing
import JSON
import Woodshed

extension [FileSection] {
    /// Returns a list of objects, each with its number among all sections. Only sections with a frame in the range are
    /// listed.
    func json(within frames: Range<Int64>) -> JSONValue {
        .array(
            numbered(within: frames).map { number, section in
                .object([
                    .init("section", .integer(number)), .init("name", .string(section.name)),
                    .init("from_frame", .integer(section.frames.lowerBound)),
                    .init("to_frame", .integer(section.frames.upperBound)),
                ])
            })
    }

    /// Returns the same sections for a picture. An unnamed section gets its number as name.
    func inPicture(of frames: Range<Int64>) -> [PictureSection] {
        numbered(within: frames).map { number, section in
            PictureSection(name: section.name.isEmpty ? String(number) : section.name, frames: section.frames)
        }
    }

    private func numbered(within frames: Range<Int64>) -> [(number: Int, section: FileSection)] {
        enumerated().filter { $0.element.frames.overlaps(frames) }.map { ($0.offset + 1, $0.element) }
    }
}
