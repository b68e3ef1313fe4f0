// Decides if a server sends a recording. The content decides; the server's statements only save useless transfers.
internal import AudioFiles
internal import Catalogue
internal import Clips
internal import DSP
internal import Explanations
internal import Files
internal import TextFormats
internal import Transfers

enum FetchedContent {
    /// Refuses a web page before the transfer, unless the address looks like the address of a recording. Also refuses a
    /// page that would replace a part of another type: a network that requires a login answers in the place of every
    /// server.
    static func accept(_ answer: TransferAnswer) throws(FetchRefusal) {
        guard isPage(type: answer.contentType) else { return }
        let ending = answer.address.path.split(separator: ".").last.map { $0.lowercased() } ?? ""
        let wouldReplace = answer.replacedType.map { !isPage(type: $0) } ?? false
        if wouldReplace || !endings.contains(ending) { throw .webPage(answer.address.shown) }
    }

    private static func isPage(type: String?) -> Bool {
        let type = type?.split(separator: ";").first?.lowercased() ?? ""
        return type == "text/html" || type == "application/xhtml+xml"
    }

    /// File name endings of recordings.
    private static let endings: Set = [
        "wav", "wave", "aif", "aiff", "aifc", "caf", "au", "snd", "w64", "rf64", "flac", "ogg", "oga", "opus", "mp3",
        "mp2",
        "m4a", "m4b", "mp4", "aac", "mka", "mkv", "webm", "mov", "avi", "wma",
    ]

    /// Findings about a complete file.
    struct Finding {
        /// Nil for silence.
        var loudness: LibraryItem.Loudness?
        /// Remark about an oddity of the file, as a sentence; nil if the file has none.
        var note: String?
    }

    /// Recognises a complete file, and measures its loudness.
    ///
    /// - Throws: `FetchRefusal` if the file is no recording, or if the server has again sent only the beginning of a
    ///   recording; `TransferError` if the connection ended too early; `AudioFileError` if the file cannot be read now,
    ///   which says nothing about the file.
    static func check(_ part: FetchedPart) throws -> Finding {
        var finding = Finding()
        let place = part.answer.address.shown
        let opened = Result { () throws(AudioFileError) in
            try openDecoder(path: part.path, isWanted: part.isWanted)
        }
        let read = opened.map(\.info)
        if !part.isEndStated, part.byteCount == 0, !part.endsAsBefore {
            throw TransferError(
                .truncated, "\(place): the server closed the connection before the first byte",
                remedy: "Fetch the file again.")
        }
        let frameCount = (try? read.get().frameCount) ?? 0
        let decides = !part.isEndStated && isJudged(read)
        let end = decides ? StatedEnd.verdict(onFileAt: part.path, frameCount: frameCount) : .unstated
        if !part.isEndClean, decides, end == .unstated {
            throw TransferError(
                .truncated,
                "\(place): the server broke the connection off, and the file does not state its length",
                remedy: "Fetch the file again, or look for another source of the recording. The received part is kept.")
        }
        if case .cutOff(let fault) = end {
            guard part.endsAsBefore, part.isEndClean else {
                throw TransferError(
                    .truncated, "\(place): the server closed the connection too early: \(fault.words)",
                    remedy: "Fetch the file again.")
            }
            // A server that always stops at the same byte looks the same as a server that has no more bytes.
            guard !fault.isLengthStated else {
                throw refusal(
                    .broken, "\(place): the server sends only the beginning of this recording: \(fault.words)",
                    remedy:
                        "Look for another source of the recording, or add the received beginning with: woodshed add FILE."
                )
            }
            finding.note =
                "\(fault.words), but the server sent the same bytes twice: these bytes are taken as the whole file"
        }
        do throws(AudioFileError) {
            let decoder = try opened.get()
            if decoder.info.frameCount > 0 {
                finding.loudness = try loudness(decoder, part)
                return finding
            }
        } catch {
            throw failure(error, of: part)
        }
        throw refusal(.broken, "\(place): there is no sound in this recording")
    }

    /// Returns the error for a part that cannot be decoded.
    ///
    /// A remedy for a file in the user's hands does not help with the part, which has a hidden name.
    static func failure(_ error: AudioFileError, of part: FetchedPart) -> any ExplainedError {
        let place = part.answer.address.shown
        let message = "\(place): \(error.message.dropPrefix(part.path + ": "))"
        let remedy: String
        switch error.kind {
        case .notAudio, .unsupported, .empty:
            return isPage(part.path) ? FetchRefusal.webPage(place) : refusal(.notAudio, message)
        case .tooManyChannels:
            return refusal(.notAudio, message, remedy: "Give the address of a recording with at most 64 channels.")
        case .broken: return refusal(.broken, message)
        // Memory or time ran out on this computer, or the recording is too long.
        case .limitExceeded:
            return TransferError(
                .disk, message,
                remedy:
                    "Close other programs and fetch the address again, or give the address of a shorter recording.")
        // The remedy is a program to install, room on the disk, or more open files.
        case .helperMissing, .diskFull: remedy = error.remedy
        case .io where error.exitStatus == .tryAgain: remedy = error.remedy
        case .io:
            remedy =
                "Fetch the address again. If the fault remains, close other programs, and check the disk and TMPDIR."
        case .cancelled: remedy = "Fetch the address again."
        default: remedy = "Let no other program change the files of the library, and fetch the address again."
        }
        return AudioFileError(error.kind, path: part.path, message, remedy: remedy, status: error.exitStatus)
    }

    /// True if the result of reading depends on the file, not on this computer.
    private static func isJudged(_ read: Result<AudioFileInfo, AudioFileError>) -> Bool {
        guard case .failure(let error) = read else { return true }
        return [.broken, .empty, .notAudio, .unsupported].contains(error.kind)
    }

    /// Returns a refusal of a received file.
    private static func refusal(_ kind: FetchRefusal.Kind, _ message: String, remedy: String? = nil) -> FetchRefusal {
        let remedy =
            remedy
            ?? (kind == .notAudio
                ? "Give the address of a recording: WAV, FLAC, Ogg, Opus, MP3, M4A or a video with sound."
                : "Look for another source of the recording.")
        return FetchRefusal(kind, message, remedy: remedy)
    }

    /// True if a file begins like a web page.
    private static func isPage(_ path: String) -> Bool {
        guard let file = try? unsafe RegularFile(path),
            let head = try? FileBytes.bytes(of: file.descriptor, count: 1024)
        else { return false }
        let text = String(decoding: head, as: UTF8.self).lowercased()
        return ["<!doctype html", "<html", "<head", "<?xml"].contains { text.contains($0) }
    }

    private static func loudness(
        _ decoder: any FileDecoder, _ part: FetchedPart
    ) throws(AudioFileError) -> LibraryItem.Loudness? {
        let rate = ProgrammeReading.sampleRate(forFileRate: decoder.info.sampleRate)
        let clip = try Clip(decoder, sampleRate: rate, memoryBudget: 64 << 20)
        var meter = ProgrammeMeter(.init(sampleRate: rate, channelCount: clip.channelCount, weights: nil))
        var isWanted = true
        try unsafe clip.forEachBlock { (channels, count) in
            unsafe meter.process(channels, frameCount: count) { _ in }
            isWanted = part.isWanted()
            return isWanted
        }
        guard isWanted else {
            throw AudioFileError(
                .cancelled, path: part.path, "the fetch was cancelled", remedy: "Fetch the address again.")
        }
        let reading = meter.finish()
        // Silence has no loudness.
        guard reading.loudness.integrated.isFinite else { return nil }
        return LibraryItem.Loudness(integrated: reading.loudness.integrated, truePeak: reading.truePeakDecibels)
    }

    /// Returns a file name for an address.
    static func name(of address: String) -> String {
        (try? WebAddress(address))?.fileName ?? "recording"
    }
}

extension String {
    fileprivate func dropPrefix(_ prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}

extension PendingFetch {
    /// Display name during the fetch: the user's title, or else the name of the file.
    package var shownName: String { wishes.title ?? FetchedContent.name(of: address) }

    /// The address without its private keys, for lists.
    package var publicAddress: String { AddressKeys.removed(from: address) }
}
