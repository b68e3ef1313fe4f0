import AudioFiles
import Explanations
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Library
@testable import Transfers

@Suite("Fetched content")
struct FetchedContentTests {
    private let scratch: Scratch
    init() throws { scratch = try Scratch() }

    private func file(_ name: String) throws -> [UInt8] {
        let format = try #require(Format.all.first { $0.name == name })
        // Some encoders do not overwrite a file.
        let folder = try Scratch()
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: format.file(in: folder, frameCount: 100_000))))
    }

    /// The fault in the beginning of a file; nil for an accepted file.
    private func fault(
        _ whole: [UInt8], share: Double = 1, isEndClean: Bool, endsAsBefore: Bool = false
    ) throws -> TransferError.Kind? {
        let bytes = Array(whole.prefix(Int(share * Double(whole.count))))
        let answer = TransferAnswer(
            address: try WebAddress("https://example.org/a"), contentType: nil, byteCount: nil, suggestedName: nil)
        let part = FetchedPart(
            path: try scratch.write("part", bytes), answer: answer, byteCount: Int64(bytes.count), isEndStated: false,
            isEndClean: isEndClean, endsAsBefore: endsAsBefore, isWanted: { true })
        do { _ = try FetchedContent.check(part) } catch let error as TransferError { return error.kind }
        return nil
    }

    @Test(
        "no remedy of a fetch is about the received part, which has a hidden name",
        arguments: AudioFileError.Kind.allCases)
    func hiddenPart(kind: AudioFileError.Kind) throws {
        let path = try scratch.write("part", [])
        let answer = TransferAnswer(
            address: try WebAddress("https://example.org/a"), contentType: nil, byteCount: nil, suggestedName: nil)
        let part = FetchedPart(
            path: path, answer: answer, byteCount: 0, isEndStated: true, isEndClean: true, endsAsBefore: false,
            isWanted: { true })
        let error = AudioFileError(kind, path: path, "\(path): a fault", remedy: "Convert the file: \(path)")
        let failure = FetchedContent.failure(error, of: part)
        #expect(failure.message == "https://example.org/a: a fault")
        // The remedies of these kinds name a program to install, or the place of temporary files.
        let isPassedOn = [.helperMissing, .diskFull].contains(kind)
        #expect(failure.remedy.contains(path) == isPassedOn && !failure.remedy.isEmpty, "\(failure.remedy)")
    }

    @Test("content from a broken connection is accepted only if it states its own end")
    func brokenOff() throws {
        for name in ["WAV 16", "FLAC", "MP3 VBR", "M4A", "Ogg Vorbis", "Matroska"] {
            let file = try file(name)
            #expect(try fault(file, isEndClean: false) == nil, "\(name)")
            #expect(try fault(file, share: 0.5, isEndClean: false) == .truncated, "\(name)")
            // The same bytes twice from a connection prove nothing if each connection breaks off.
            #expect(try fault(file, share: 0.5, isEndClean: false, endsAsBefore: true) == .truncated, "\(name)")
        }
        for name in ["ADTS", "MP3 without Xing header"] {
            let file = try file(name)
            #expect(try fault(file, isEndClean: true) == nil, "\(name)")
            #expect(try fault(file, isEndClean: false) == .truncated, "\(name)")
        }
    }
}
