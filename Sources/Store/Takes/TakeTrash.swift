// The trash: a deleted take stays in its folder under a hidden name, until the trash is emptied. Deleting and restoring
// are one rename each, on any disk.
package import AudioFiles
internal import Explanations
internal import Files
internal import Glibc

package enum TakeTrash {
    /// Returns the hidden name of a take's file.
    package static func path(of path: String, number: Int) -> String {
        let folder = FilePlace.folder(of: path)
        return (folder == "/" ? "" : folder) + "/\(prefix)\(number)"
    }

    private static let prefix = FilePlace.ownPrefix + "deleted-take-"

    /// True for a hidden name of a take's file.
    package static func isHiddenName(_ name: String) -> Bool { name.hasPrefix(prefix) }

    /// Gives the hidden file of no take a free visible name, and returns the new path.
    package static func show(_ hidden: String) throws(AudioFileError) -> String {
        let container = try AudioFileInfo(path: hidden).container
        let stem = FilePlace.folder(of: hidden) + "/" + fileName(hidden).dropFirst(FilePlace.ownPrefix.count)
        let ending = FileFormat.isOfRecording(container) ? container : "wav"
        var count = 1
        while true {
            let path = "\(stem)\(count == 1 ? "" : " (\(count))").\(ending)"
            do throws(FileFault) {
                try move(hidden, to: path)
                return path
            } catch {
                guard error.code == EEXIST else { throw .writing(path, errno: error.code, creating: true) }
            }
            count += 1
        }
    }

    /// True if the file with a take's name is another recording put there since, with another length, rate or number of
    /// channels. Only formats that keep each frame can prove a difference. A take whose name lacks the ending of a
    /// recording is a WAV file, so any other format under such a name is another file, too.
    ///
    /// - Parameter place: The path of the file; nil for the take's path.
    package static func isOther(_ take: StoredTake, at place: String? = nil) -> Bool {
        let place = place ?? take.path
        let ending = FileFormat.ending(of: take.path)
        let isPlain = ["wav", "caf", "flac"].contains(ending)
        guard isPlain ? take.sound.frameCount > 0 : !FileFormat.isOfRecording(ending),
            FileIdentity(path: place) != nil
        else { return false }
        let info: AudioFileInfo
        do throws(AudioFileError) { info = try AudioFileInfo(path: place) } catch {
            return !isPlain && error.kind != .empty
        }
        if take.sound.frameCount == 0 { return false }
        return (info.frameCount, info.sampleRate, info.channelCount)
            != (take.sound.frameCount, take.sound.sampleRate, take.sound.channelCount)
    }

    /// True if a file is proven to be a take's, and so may be removed with the take. The proof is the hash, or else the
    /// key stored by an earlier version. A take with neither needs a file of no contradicting length, last written when
    /// the take was recorded.
    package static func isOwn(_ take: StoredTake, at place: String) -> Bool { isOwn(take, nil, at: place) }

    static func isOwn(_ take: StoredTake, _ mark: TakeFileMark?, at place: String) -> Bool {
        if let hash = mark?.hash {
            if TakeFileMark.hash(ofFileAt: place) == hash { return true }
            if hash == TakeFileMark.unknown || mark?.key == nil { return false }
        }
        // Edited tags leave the key unchanged.
        if let key = mark?.key { return (try? RecordingKey(ofFileAt: place)) == key }
        guard !isOther(take, at: place), let state = unsafe FileState(FileName.systemName(place)) else { return false }
        let written = Double(state.modified.seconds) - Double(take.sound.time)
        let seconds =
            take.sound.frameCount > 0 ? take.sound.seconds : (try? AudioFileInfo(path: place))?.seconds ?? 0
        // A later conversion takes time, too.
        return (-slackSeconds...2 * seconds + slackSeconds).contains(written)
    }

    private static let slackSeconds = 600.0

    /// Returns the take that owns the file, among all takes in the list with one path, the newest first. The owner is
    /// the newest take whose length the file does not contradict, or else the newest.
    static func owner(of takes: [StoredTake]) -> StoredTake? {
        takes.count > 1 ? takes.first { !isOther($0) } ?? takes.first : takes.first
    }

    /// Returns a listed take that would be confused with a restored take: one would be taken for the owner of the
    /// other's file. Nil for none.
    ///
    /// - Parameters:
    ///   - listed: The takes in the list with the same path, the newest first.
    ///   - isHidden: True if the restored take's file is hidden, or was hidden until the restoring.
    static func rival(of take: StoredTake, among listed: [StoredTake], isHidden: Bool) -> StoredTake? {
        let later = listed.first { ($0.sound.time, $0.number) > (take.sound.time, take.number) }
        if isHidden { return later }
        return later == nil && FileIdentity(path: take.path) != nil ? listed.first : nil
    }

    /// True if a file has the hidden name of a take.
    static func isHidden(_ take: StoredTake) -> Bool {
        FileIdentity(path: path(of: take.path, number: take.number)) != nil
    }

    /// True if the file of a take is hidden, and another file has the take's name.
    static func isNameTaken(_ take: StoredTake) -> Bool {
        let hidden = path(of: take.path, number: take.number)
        return isHidden(take) && FileIdentity(path: take.path) != nil && !areNames(hidden, take.path)
    }

    /// Hides the file of a deleted take. A missing file needs no hiding. The new name is on the disk after
    /// `synchronise`.
    ///
    /// - Parameter isNew: False to complete an earlier deletion.
    static func hide(_ take: StoredTake, isNew: Bool) throws(AudioFileError) {
        let hidden = path(of: take.path, number: take.number)
        do throws(FileFault) { try move(take.path, to: hidden) } catch {
            if !isMissing(error.code) { throw failure(take, isNew ? .deletion : .completion, errno: error.code) }
        }
    }

    /// True if a program ended between two steps of a deletion or a restoring: the file of a take in the trash has its
    /// name, alone or beside the hidden name.
    static func isUnhidden(_ take: StoredTake, _ mark: TakeFileMark?) -> Bool {
        let hidden = path(of: take.path, number: take.number)
        return (FileIdentity(path: hidden) == nil || areNames(hidden, take.path))
            && isOwn(take, mark, at: take.path)
    }

    /// Restores the file of a take under its name. A file never hidden, because the program ended between two steps, is
    /// already there. The name is on the disk after `synchronise`.
    static func bringBack(_ take: StoredTake) throws(AudioFileError) {
        let hidden = path(of: take.path, number: take.number)
        do throws(FileFault) { try move(hidden, to: take.path) } catch {
            if !isMissing(error.code) { throw failure(take, .restoring, errno: error.code) }
        }
    }

    /// Waits until the names of the takes' files are on the disk, as far as the file system can wait. Takes seconds on
    /// a busy disk, so no transaction may be open: other programs would wait, too.
    ///
    /// - Returns: The errno of a disk that failed; nil for none.
    @discardableResult
    static func synchronise(_ takes: [StoredTake]) -> Int32? {
        var failure: Int32?
        for folder in Set(takes.map { FilePlace.folder(of: $0.path) }) {
            let code = Int32(-min(0, SystemFileCalls().synchroniseFolder(folder)))
            // Without a descriptor for the folder, waits for all disks.
            if [EMFILE, ENFILE, ENOMEM].contains(code) { sync() }
            if [EIO, ENOSPC, EDQUOT].contains(code) { failure = code }
        }
        return failure
    }

    /// True if the hidden file of a take is proven to be the take's, or missing.
    static func mayEmpty(_ take: StoredTake, _ mark: TakeFileMark?) -> Bool {
        let hidden = path(of: take.path, number: take.number)
        return FileIdentity(path: hidden) == nil || isOwn(take, mark, at: hidden)
    }

    /// Removes the hidden file of a take, if there is one.
    static func empty(_ take: StoredTake) throws(AudioFileError) {
        let hidden = path(of: take.path, number: take.number)
        let code = SystemFileCalls().remove(hidden)
        if code < 0, !isMissing(Int32(-code)) { throw failure(take, .removal, errno: Int32(-code)) }
    }

    /// Returns the size of a file; nil if there is no regular file.
    static func byteCount(_ path: String) -> Int64? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    /// True for two names of one file, neither of them a symbolic link.
    private static func areNames(_ path: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard unsafe lstat(path, &first) == 0, unsafe lstat(other, &second) == 0 else { return false }
        return (first.st_dev, first.st_ino) == (second.st_dev, second.st_ino) && first.st_mode & S_IFMT == S_IFREG
    }

    private static func isMissing(_ code: Int32) -> Bool { code == ENOENT || code == ENOTDIR }

    /// Renames a file, or completes a renaming that ended between the new name and the removal of the old name. Never
    /// replaces another file.
    ///
    /// A renaming in one step leaves either name after a loss of power, so nothing has to be on the disk before the
    /// step. A renaming in two steps waits for the disk between the steps.
    ///
    /// - Parameter isOneStep: False to rename in two steps, as on file systems that cannot do otherwise.
    static func move(_ path: String, to other: String, isOneStep: Bool = true) throws(FileFault) {
        let calls = SystemFileCalls()
        if !areNames(path, other) {
            let code = isOneStep ? Int32(-calls.rename(path, toNew: other)) : EINVAL
            if code <= 0 { return }
            if code == EEXIST || isMissing(code) { throw FileFault(code: code) }
            // Two steps report any other fault, too.
            try FilePlace(other).put(path, replaces: false)
            if !areNames(path, other) { return }
        }
        // Of two changes of names, a power loss may keep only the second, and the file would have no name.
        _ = calls.synchroniseFolder(FilePlace.folder(of: other))
        let removed = calls.remove(path)
        if removed < 0, !isMissing(Int32(-removed)) { throw FileFault(code: Int32(-removed)) }
    }

    // MARK: Errors

    /// A change that renames or removes the file of a take.
    enum Change: Sendable {
        case deletion
        /// Another deletion, which hides the file that an interrupted deletion left in place.
        case completion
        case restoring
        case removal
    }

    /// Returns the error for a file that keeps its name.
    static func failure(_ take: StoredTake, _ change: Change, errno code: Int32) -> AudioFileError {
        let hidden = path(of: take.path, number: take.number)
        let (before, after) = [.deletion, .completion].contains(change) ? (take.path, hidden) : (hidden, take.path)
        let kind: AudioFileError.Kind
        let (cause, remedy): (String, String)
        switch code {
        case EEXIST:
            kind = .alreadyExists
            (cause, remedy) = ("there is another file \(after)", "Move that file away first.")
        case EACCES, EPERM, EROFS:
            kind = .permissionDenied
            (cause, remedy) = (
                "you may not change the directory of \(before) (\(systemText(code)))",
                "Change the permissions of the directory."
            )
        case ENOSPC, EDQUOT:
            kind = .diskFull
            (cause, remedy) = ("the disk of \(before) has no room left", "Free some room.")
        default:
            kind = .io
            let verb = change == .removal ? "removed" : "renamed"
            (cause, remedy) = ("\(before) cannot be \(verb) (\(systemText(code)))", "Check the disk.")
        }
        let result =
            switch change {
            case .deletion: "cannot be moved to the trash"
            case .completion: "is in the trash, but its file cannot be hidden"
            case .restoring: "cannot be restored"
            case .removal: "cannot be removed from the trash"
            }
        return AudioFileError(kind, path: before, "take \(take.number) \(result): \(cause)", remedy: remedy)
    }
}
