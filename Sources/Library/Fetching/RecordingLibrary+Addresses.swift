// Recordings by the addresses from which they come, whether or not an export has removed private keys from them.
package import Catalogue
package import Store
internal import TextFormats

extension RecordingLibrary {
    /// The recording that came from an address, also from the trash; nil if there is none. A recording that was imported may have the address
    /// without its private keys.
    package func item(fromAddress address: String) throws(StoreError) -> LibraryItem? {
        if let item = try item(from: address) { return item }
        let short = AddressKeys.removed(from: address)
        guard short != address else { return nil }
        return try item(from: short)
    }

    /// Gives a recording an address with private keys, if it has the same one without them.
    ///
    /// - Returns: The recording as it is now.
    func completeSource(of item: LibraryItem, with address: String) -> LibraryItem {
        let source = item.words.source
        guard !source.isEmpty, source != address, source == AddressKeys.removed(from: address) else { return item }
        return (try? edit(item.number) { $0.source = address }) ?? item
    }
}
