// Takes interrupted by a crash: reported at each start, repaired on request.
import Explanations
import Files
import JSON
import Terminal
import Woodshed
import WoodshedLibrary

enum Recovery {
    /// Reports the interrupted takes. If reading them fails, recording continues without a report.
    static func mention() {
        guard let takes = try? UnfinishedTakes().find(), let latest = takes.first else { return }
        let others = takes.count > 1 ? " and \(takes.count - 1) more" : ""
        StandardStream.error.note(
            printable(
                "A take was not finished: \(latest.path) (\(time(latest.frameCount, latest.sampleRate)))\(others). "
                    + "Finish the take with: woodshed record --recover"))
    }

    /// Repairs all interrupted takes, and lists unreachable takes.
    static func run(_ messages: MessageOptions) throws {
        let takes = try UnfinishedTakes().find()
        let unreachable = try UnfinishedTakes().findUnreachable()
        if takes.isEmpty, unreachable.isEmpty, !messages.quiet { StandardStream.error.note("No take is unfinished.") }
        var failure: AudioFileError?
        for take in takes {
            let frames: Int64
            do throws(AudioFileError) { frames = try take.recover() } catch {
                // The error of a take does not stop the recovery of other takes.
                if let failure { StandardStream.error.note(failure.text) }
                failure = error
                continue
            }
            list(take, frames)
            if messages.json { try StandardStream.output.line(json(take, frames)) }
            if !messages.quiet {
                StandardStream.error.note(
                    printable(
                        "recovered \(take.path): \(time(frames, take.sampleRate)), \(counted(take.marks.count, "mark"))"
                    ))
            }
        }
        for take in unreachable {
            if messages.json { try StandardStream.output.line(json(take)) }
            if !messages.quiet {
                StandardStream.error.note(
                    printable(
                        "not recovered: \(take.reason.message); \(counted(take.marks.count, "mark")) kept. Connect the disk of the take and try "
                            + "again, or forget the take with: woodshed record --forget \(shellPath(take.path))"))
            }
        }
        if let failure { throw failure }
    }

    /// Adds a recovered take to the list of takes, or updates its entry. An unwritable store does not undo the
    /// recovery.
    private static func list(_ take: UnfinishedTake, _ frames: Int64) {
        do {
            let store = try PracticeStore(.user)
            if let known = try store.take(inFileAt: take.path, begunAt: take.startTime, frameCount: frames) {
                try store.finish(take: known.number, frameCount: frames)
            } else if frames > 0 {
                try store.addTake(
                    inFileAt: take.path,
                    StoredTake.Sound(
                        time: take.startTime, sampleRate: take.sampleRate, channelCount: take.channelCount,
                        frameCount: frames))
            }
        } catch let error as any ExplainedError {
            StandardStream.error.note(printable("not in the list of takes: \(error.message)"))
        } catch {
            StandardStream.error.note("not in the list of takes")
        }
    }

    /// Forgets the take recorded to `path`, without changing its file.
    static func forget(_ path: String, _ messages: MessageOptions) throws {
        let names = [path, wholePath(path)]
        var count = 0
        for take in try UnfinishedTakes().find() where names.contains(take.path) {
            try take.forget()
            count += 1
        }
        for take in try UnfinishedTakes().findUnreachable() where names.contains(take.path) {
            try take.forget()
            count += 1
        }
        if count == 0 {
            throw CommandFailure(
                .notFound, "\(path): no unfinished take of this name is known",
                remedy: "List the unfinished takes with: woodshed record --recover")
        }
        if !messages.quiet { StandardStream.error.note(printable("forgotten: \(path)")) }
    }

    /// Returns the absolute path for a user's name, with links resolved as for a take's path. Folders of a disk that is
    /// not connected are missing; their names are taken as they are.
    private static func wholePath(_ given: String) -> String {
        var path = given.hasPrefix("/") ? "/" : FilePlace.resolved(".") ?? "/"
        for part in given.split(separator: "/") where part != "." {
            guard part != ".." else {
                path = FilePlace.folder(of: path)
                continue
            }
            let next = path == "/" ? "/\(part)" : "\(path)/\(part)"
            path = FilePlace.resolved(next) ?? next
        }
        return path
    }

    private static func time(_ frames: Int64, _ rate: Int) -> String { clockText(Double(frames) / Double(rate)) }

    private static func json(_ take: UnreachableTake) -> String {
        let fields: [JSONValue.Field] = [
            .init("path", .string(take.path)), .init("reason", .string(take.reason.message)),
            .init("marks", .integer(take.marks.count)),
        ]
        return JSONValue.event("recording.unreachable", fields).text
    }

    private static func json(_ take: UnfinishedTake, _ frames: Int64) -> String {
        let seconds = Double(frames) / Double(take.sampleRate)
        let fields: [JSONValue.Field] = [
            .init("path", .string(take.path)), .init("frames", .integer(frames)), .init("seconds", .number(seconds)),
            .init("marks", .integer(take.marks.count)),
        ]
        return JSONValue.event("recording.recovered", fields).text
    }
}
