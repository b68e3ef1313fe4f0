// The text of each refusal, in one place. Times are given in seconds with the frame, because a user types either.
internal import Explanations

extension SectionError {
    static func empty(_ frame: Int64, _ list: SectionList) -> SectionError {
        SectionError(
            .empty, "the section starts and ends at \(place(frame, list))",
            remedy: "Give a start that lies before the end.")
    }

    static func outside(_ frames: Range<Int64>, _ list: SectionList) -> SectionError {
        let isBefore = frames.lowerBound < 0
        return SectionError(
            .outsideRecording,
            isBefore
                ? "the section starts before the recording does"
                : "the section reaches to \(place(frames.upperBound, list)), "
                    + "the recording ends at \(place(list.frameCount, list))",
            remedy: isBefore ? "Give a start of 0 or later." : "Choose a place inside the recording.")
    }

    static func splitOutside(_ frame: Int64, _ section: SavedSection, _ list: SectionList) -> SectionError {
        SectionError(
            .splitOutside,
            "\(place(frame, list)) is not inside section \(list.number(ofID: section.id) ?? section.id), "
                + "which lasts from \(place(section.frames.lowerBound, list)) to \(place(section.frames.upperBound, list))",
            remedy: "Choose a place between its start and its end.")
    }

    static func cannotJoin(_ message: String) -> SectionError {
        SectionError(.cannotJoin, message, remedy: "Choose two sections or more that touch or overlap.")
    }

    static func overlapping(_ number: Int) -> SectionError {
        SectionError(
            .overlapping, "the part would overlap section \(number)",
            remedy: "Move the part by less; only sections with ends of their own may overlap.")
    }

    static func ambiguous(_ name: String, numbers: [Int]) -> SectionError {
        let shown = numbers.prefix(10).map(String.init).joined(separator: ", ") + (numbers.count > 10 ? ", …" : "")
        return SectionError(
            .ambiguous, "\(numbers.count) sections are named '\(name)': \(shown)",
            remedy: "Give the number of one section.")
    }

    static func unknown(_ text: String, in list: SectionList) -> SectionError {
        let remedy =
            if list.sections.isEmpty {
                "Add a section first; this recording has no sections yet."
            } else {
                "Choose a number from 1 to \(list.sections.count), or a name from the list."
            }
        return SectionError(.unknown, "there is no section '\(text)'", remedy: remedy)
    }

    static var tooMany: SectionError {
        SectionError(
            .tooMany, "a recording can have at most \(SectionLimits.sectionCount) sections",
            remedy: "Remove sections, or join short sections.")
    }

    static func check(name: String) throws(SectionError) {
        guard name.utf8.count <= SectionLimits.nameBytes else {
            throw SectionError(
                .textRefused, "the name is longer than \(SectionLimits.nameBytes) bytes", remedy: "Give a shorter name."
            )
        }
        guard !name.unicodeScalars.contains(where: SectionLimits.isRefused) else {
            throw SectionError(
                .textRefused, "the name has a line break or a control character", remedy: "Give a name of one line.")
        }
    }

    static func check(text: String) throws(SectionError) {
        guard text.utf8.count <= SectionLimits.textBytes, !text.utf8.contains(0) else {
            throw SectionError(
                .textRefused, "the text is longer than \(SectionLimits.textBytes) bytes, or has a zero in it",
                remedy: "Give a shorter text.")
        }
    }

    private static func place(_ frame: Int64, _ list: SectionList) -> String {
        let milliseconds = (Double(frame) * 1000 / Double(list.sampleRate)).rounded()
        return "\(milliseconds / 1000) s (frame \(frame))"
    }
}
