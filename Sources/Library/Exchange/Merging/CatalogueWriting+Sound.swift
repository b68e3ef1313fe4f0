// The rate and the length of a recording, of which the sound here tells and not the catalogue.
internal import AudioFiles
internal import Catalogue
internal import Database
internal import JSON
internal import Store
internal import TextFormats

extension CatalogueWriter {
    /// A catalogue without what cannot be true of the sound that is here: another rate, a length that differs by more than padding, and the sections of such a
    /// recording, because their frames would be other places.
    mutating func fitting(
        _ catalogue: LibraryCatalogue, _ local: LocalEntries
    ) throws(DatabaseError) -> LibraryCatalogue {
        var catalogue = catalogue
        var titles: [String] = []
        for (identity, told) in catalogue.recordings {
            guard !local.isDoubtful(EntryID(.recording, identity)), let key = RecordingKey(identity.text),
                let here = try items.rows.recording(key)?.stored.recording,
                !here.isLost, !told.item.fits(rate: Int64(here.sampleRate), frameCount: here.frameCount)
            else { continue }
            for name in [CatalogueField.sampleRate, CatalogueField.frameCount] {
                catalogue.recordings[identity]?.item.forget(name)
            }
            if told.sections.isEmpty { continue }
            catalogue.recordings[identity]?.sections = [:]
            titles.append(here.title.isEmpty ? "\(key)" : here.title)
        }
        summary.otherSound += titles.sorted()
        return catalogue
    }
}

extension CatalogueItem {
    /// Whether what is said of a recording's sound can be true of a sound; nothing can be.
    fileprivate func fits(rate: Int64, frameCount: Int64) -> Bool {
        func told(_ name: String) -> JSONValue? { fields[ExactText(name)]?.value }
        if let told = told(CatalogueField.sampleRate), told.integer(in: .sampleRates) != rate { return false }
        guard let told = told(CatalogueField.frameCount) else { return true }
        return told.integer(in: .counts).map { PracticeRecording.isOneLength($0, frameCount) } ?? false
    }

    /// Says the rate and the length of the sound that is here if the catalogue says what cannot be true of it: earlier versions took over anything.
    mutating func correctSound(_ entry: LocalEntry) {
        func here(_ name: String, _ limits: ClosedRange<Int64>) -> Int64? {
            entry.fields[ExactText(name)].flatMap { LocalEntry.value($0).integer(in: limits) }
        }
        guard let rate = here(CatalogueField.sampleRate, .sampleRates),
            let frameCount = here(CatalogueField.frameCount, .counts)
        else { return }
        if rate == StoreRows.lostRate && frameCount == 0 || fits(rate: rate, frameCount: frameCount) { return }
        for (name, value) in [(CatalogueField.sampleRate, rate), (CatalogueField.frameCount, frameCount)] {
            set(name, .integer(value), at: (fields[ExactText(name)]?.time ?? -1) + 1)
        }
    }
}
