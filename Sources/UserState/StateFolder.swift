// UserState: what outlives a run, in small files of the user's state folder. JSON is its one form, and what the command writes has the
// same form. The module knows nothing of sound, and nothing of what its files hold.
internal import Glibc

/// Where this program's state lies.
package enum StateFolder {
    /// This program's folder under `$XDG_STATE_HOME`, by default `~/.local/state`; nil where there is no home.
    package static var path: String? { UserFolder.path("XDG_STATE_HOME", inHome: ".local/state") }

    /// Makes the folders above `path` that are missing, for the user alone.
    package static func makeFolders(above path: String) throws(StateFile.Fault) {
        var folder = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/").dropLast() {
            folder += "/" + part
            // A folder above ours may refuse to be written with another code than EEXIST although it is there.
            guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST || isFolder(folder)
            else {
                throw StateFile.Fault(code: errno, action: "cannot be written")
            }
        }
    }

}

/// Where this program may leave what can be made again.
package enum CacheFolder {
    /// This program's folder under `$XDG_CACHE_HOME`, by default `~/.cache`; nil where there is no home.
    package static var path: String? { UserFolder.path("XDG_CACHE_HOME", inHome: ".cache") }
}

private enum UserFolder {
    /// This program's folder under the one that a variable names, or else under one of the home folder's.
    static func path(_ name: String, inHome fallback: String) -> String? {
        func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
        // The XDG rules say so: what is not absolute counts as not set.
        if let folder = variable(name), folder.hasPrefix("/") { return folder + "/woodshed" }
        // A home that is not there is that of a user without one, such as a service's; it is not for us to make.
        if let home = variable("HOME"), home.hasPrefix("/"), isFolder(home) {
            return home + "/" + fallback + "/woodshed"
        }
        return nil
    }
}

/// Whether there is a folder of this name; leaves `errno` as it was.
private func isFolder(_ path: String) -> Bool {
    let code = errno
    var status = stat()
    let isThere = unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    errno = code
    return isThere
}
