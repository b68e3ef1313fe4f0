// Recordings by the addresses from which they come, whether or not an export has removed private keys from them.
package import Catalogue
package import Store
internal import TextFormats

extension RecordingLibrary {
    /// The recordings that an address means and whose files are there, with their indexes, the newest first. One that came from an address with
    /// private keys is meant alone. A recording that was imported may have the address without them, as others of the same server may.
    package func items(fromAddress address: String) throws(StoreError) -> [LibraryItem] {
        let short = AddressKeys.removed(from: address)
        let found = try items(from: address).filter { !$0.isMissing }
        if short == address { return found }
        return found.isEmpty ? try items(from: short).filter { !$0.isMissing } : [found[0]]
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
