// The rate and the length of a recording. The sound here decides, not the catalogue.
internal import AudioFiles
internal import Catalogue
internal import Database
internal import JSON
internal import Store
internal import TextFormats

extension CatalogueWriter {
    /// Returns a catalogue without values that contradict the sound here: another rate, or a length that differs by
    /// more than padding. The sections of such a recording are left out too, because their frames would mean other
    /// places.
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
        summary.skipSections(of: titles.sorted())
        return catalogue
    }
}

extension CatalogueItem {
    /// True if the catalogue's rate and length fit a sound. A missing value always fits.
    fileprivate func fits(rate: Int64, frameCount: Int64) -> Bool {
        func told(_ name: String) -> JSONValue? { fields[ExactText(name)]?.value }
        if let told = told(CatalogueField.sampleRate), told.integer(in: .sampleRates) != rate { return false }
        guard let told = told(CatalogueField.frameCount) else { return true }
        return told.integer(in: .counts).map { PracticeRecording.isOneLength($0, frameCount) } ?? false
    }

    /// Replaces a rate and length that contradict the sound here by the values of the sound. Earlier versions accepted
    /// any values.
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
