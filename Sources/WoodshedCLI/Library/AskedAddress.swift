import Terminal
import TextFormats
import WoodshedLibrary

/// An address as typed by the user.
struct AskedAddress {
    let text: String
    /// Line number in the list on standard input, from 1; nil for an argument.
    private let line: Int?

    init(_ text: String, line: Int? = nil) { (self.text, self.line) = (text, line) }

    /// Throws the reason why the address cannot be fetched: a fault of the command line, or of the list, with its line.
    func check() throws(CommandFailure) {
        if VideoLink(text) != nil { return }
        do throws(TransferError) { _ = try WebAddress(text) } catch {
            guard let line else { throw CommandFailure(.usage, error.message, remedy: error.remedy) }
            throw CommandFailure(.badData, "line \(line): \(error.message)", remedy: error.remedy)
        }
    }
}
