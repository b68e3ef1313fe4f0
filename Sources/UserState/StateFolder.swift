// UserState: data that outlives a run, in small JSON files of the user's state folder. The module knows neither sound
// nor the contents of its files.
package import Files
internal import Glibc

/// The location of this program's state.
package enum StateFolder {
    /// This program's folder under `$XDG_STATE_HOME`, by default `~/.local/state`; nil if there is no home.
    package static var path: String? { UserFolder.path("XDG_STATE_HOME", inHome: ".local/state") }

    /// Creates the missing folders above `path`, with access for the user only, and waits until their names are on the
    /// disk. Otherwise a loss of power could remove the folders together with synchronised files.
    package static func makeFolders(
        above path: String, calls: any FileCalls = SystemFileCalls()
    ) throws(LockedFile.Fault) {
        var folder = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/").dropLast() {
            folder += "/" + part
            if unsafe mkdir(folder, 0o700) == 0 {
                _ = calls.synchroniseFolder(FilePlace.folder(of: folder))
                continue
            }
            // For a folder above ours that exists, mkdir may fail with a code other than EEXIST.
            guard errno == EEXIST || isFolder(folder) else {
                throw LockedFile.Fault(code: errno, action: "cannot be written")
            }
        }
    }

}

/// The location of reproducible files.
package enum CacheFolder {
    /// This program's folder under `$XDG_CACHE_HOME`, by default `~/.cache`; nil if there is no home.
    package static var path: String? { UserFolder.path("XDG_CACHE_HOME", inHome: ".cache") }
}

/// The location of the user's settings.
package enum ConfigFolder {
    /// This program's folder under `$XDG_CONFIG_HOME`, by default `~/.config`; nil if there is no home.
    package static var path: String? { UserFolder.path("XDG_CONFIG_HOME", inHome: ".config") }
}

/// The location of the user's own work, which cannot be recreated.
package enum DataFolder {
    /// This program's folder under `$XDG_DATA_HOME`, by default `~/.local/share`; nil if there is no home.
    package static var path: String? { UserFolder.path("XDG_DATA_HOME", inHome: ".local/share") }
}

private enum UserFolder {
    /// Returns this program's folder below the folder in a variable, or else below a folder in the home folder.
    static func path(_ name: String, inHome fallback: String) -> String? {
        func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
        // By the XDG rules, a relative path counts as not set.
        if let folder = variable(name), folder.hasPrefix("/") { return folder + "/woodshed" }
        // A missing home belongs to a user without a home, for example a service; do not create the folder.
        if let home = variable("HOME"), home.hasPrefix("/"), isFolder(home) {
            return home + "/" + fallback + "/woodshed"
        }
        return nil
    }
}

/// True if a folder of this name exists; preserves `errno`.
private func isFolder(_ path: String) -> Bool {
    let code = errno
    var status = stat()
    let isThere = unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    errno = code
    return isThere
}
