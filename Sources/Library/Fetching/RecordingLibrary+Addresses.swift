// Recordings by their source addresses, with or without the private keys that an export removes.
package import Catalogue
package import Store
internal import TextFormats

extension RecordingLibrary {
    /// Returns the recordings that an address means and whose files exist, with their indexes, newest first. A
    /// recording from the same address with private keys is the only result. An imported recording may have the address
    /// without keys, like other recordings from the same server.
    package func items(fromAddress address: String) throws(StoreError) -> [LibraryItem] {
        let short = AddressKeys.removed(from: address)
        let found = try items(from: address).filter { !$0.isMissing }
        if short == address { return found }
        return found.isEmpty ? try items(from: short).filter { !$0.isMissing } : [found[0]]
    }

    /// Replaces the address of a recording by the same address with private keys. Leaves any other address unchanged.
    ///
    /// - Returns: The recording after the change.
    func completeSource(of item: LibraryItem, with address: String) -> LibraryItem {
        let source = item.words.source
        guard !source.isEmpty, source != address, source == AddressKeys.removed(from: address) else { return item }
        return (try? edit(item.number) { $0.source = address }) ?? item
    }
}
