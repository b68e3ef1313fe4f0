// A disk with a loss of power, for tests of the remaining files.
//
// Ending a process proves nothing about a loss of power: the kernel keeps the written data. So the calls of the code
// under test run on a real folder, and the disk records each change, with the synchronised state. Afterwards the disk
// is rebuilt in a possible state after a loss of power at any of the recorded moments, and the real recovery runs on
// the rebuilt disk.
//
// The disk compares the folder before and after each call. So the disk sees changes made in other ways, for example by
// a library with a descriptor, only later: at the next call. The disk does not see synchronisation done in other ways.
internal import Files
internal import Glibc
internal import Synchronization

/// A folder with recorded changes.
package final class CrashDisk: FileCalls {
    /// Operations for a disk to claim without doing.
    package enum Lie: Sendable { case synchronise, synchroniseFolder }

    /// The folder, by a path without links.
    package let root: String
    private let lie: Lie?
    private let system = SystemFileCalls()
    private let record: Mutex<Record>

    private struct Place: Hashable { let device, inode: UInt64 }

    private struct Record: ~Copyable {
        var steps: [CrashStep] = []
        /// The first steps were done before the power could fail.
        var earlySteps = 0
        /// A descriptor of each file, which keeps the system from reusing the file's number.
        var descriptors: [Int32] = []
        var contents: [[UInt8]] = []
        var files: [Place: Int] = [:]
        var names: [String: Int] = [:]
        var folders: Set<String> = [""]

        deinit { for descriptor in descriptors { Glibc.close(descriptor) } }
    }

    /// A disk in an existing folder, with all content certainly on the disk.
    ///
    /// - Parameter lie: the operation only pretended by the disk, to show that a test notices the lie.
    package init(_ root: String, lie: Lie? = nil) {
        self.root = FilePlace.resolved(root) ?? root
        self.lie = lie
        record = Mutex(Record())
        record.withLock { record in
            observe(&record)
            for file in record.contents.indices { record.steps.append(.synchronised(file: file)) }
            for folder in record.folders.sorted() { record.steps.append(.folderSynchronised(folder)) }
            record.earlySteps = record.steps.count
        }
    }

    /// The steps so far, and the number of steps done before the power could fail.
    var history: (steps: [CrashStep], earlySteps: Int) { record.withLock { ($0.steps, $0.earlySteps) } }

    /// Records a confirmation to the program.
    package func tell(_ number: Int) {
        record.withLock { record in
            observe(&record)
            record.steps.append(.told(number))
        }
    }

    /// Records changes made in other ways than by the calls of this type.
    package func look() { record.withLock { observe(&$0) } }

    /// Records a change of a file made in another way, and whether the file and the folder's names are on the disk.
    package func look(atFile path: String, isSynchronised: Bool, isFolderSynchronised: Bool = false) {
        record.withLock { record in
            if let name = inside(path), let file = record.names[name], unsafe access(path, F_OK) == 0 {
                compare(file, &record)
            } else {
                observe(&record)
            }
            guard let name = inside(path) else { return }
            if isSynchronised, lie != .synchronise, let file = record.names[name] {
                record.steps.append(.synchronised(file: file))
            }
            if isFolderSynchronised, lie != .synchroniseFolder {
                observe(&record)
                record.steps.append(.folderSynchronised(crashFolder(of: name)))
            }
        }
    }

    // MARK: Calls

    package func createUnnamed(in folder: String) -> Int {
        call { system.createUnnamed(in: folder) }
    }
    package func create(_ path: String) -> Int { call { system.create(path) } }
    package func name(_ descriptor: Int32, _ path: String) -> Int { call { system.name(descriptor, path) } }
    package func remove(_ path: String) -> Int { call { system.remove(path) } }
    package func rename(_ path: String, to other: String) -> Int { call { system.rename(path, to: other) } }
    package func close(_ descriptor: Int32) -> Int { call { system.close(descriptor) } }
    package func freeBytes(_ descriptor: Int32) -> Int { system.freeBytes(descriptor) }

    package func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int {
        let result = unsafe system.write(descriptor, bytes, at: offset)
        record.withLock { record in
            if let file = file(descriptor, &record) { compare(file, &record) }
        }
        return result
    }

    package func setLength(_ descriptor: Int32, _ byteCount: Int64) -> Int {
        let result = system.setLength(descriptor, byteCount)
        record.withLock { record in
            if let file = file(descriptor, &record) { compare(file, &record) }
        }
        return result
    }

    package func synchroniseData(_ descriptor: Int32) -> Int { synchronised(descriptor) }
    package func synchronise(_ descriptor: Int32) -> Int { synchronised(descriptor) }

    // The real disk need not be waited for.
    private func synchronised(_ descriptor: Int32) -> Int {
        record.withLock { record in
            observe(&record)
            guard let file = file(descriptor, &record) else { return }
            compare(file, &record)
            if lie != .synchronise { record.steps.append(.synchronised(file: file)) }
        }
        return 0
    }

    package func synchroniseFolder(_ folder: String) -> Int {
        record.withLock { record in
            observe(&record)
            if lie != .synchroniseFolder, let name = inside(FilePlace.resolved(folder) ?? folder) {
                record.steps.append(.folderSynchronised(name))
            }
        }
        return 0
    }

    private func call(_ body: () -> Int) -> Int {
        record.withLock { observe(&$0) }
        let result = body()
        record.withLock { observe(&$0) }
        return result
    }

    // MARK: Comparing

    /// The path within the disk; nil if outside.
    private func inside(_ path: String) -> String? {
        if path == root { return "" }
        return path.hasPrefix(root + "/") ? String(path.dropFirst(root.count + 1)) : nil
    }

    private func file(_ descriptor: Int32, _ record: inout Record) -> Int? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return file(
            Place(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)), "/proc/self/fd/\(descriptor)", &record)
    }

    /// The number of a file, assigned at the first appearance.
    private func file(_ place: Place, _ path: String, _ record: inout Record) -> Int? {
        if let known = record.files[place] { return known }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        record.descriptors.append(descriptor)
        record.contents.append([])
        record.files[place] = record.contents.count - 1
        return record.contents.count - 1
    }

    /// Notes all changes in the folder.
    private func observe(_ record: inout Record) {
        var (names, folders) = ([String: Int](), Set([""]))
        list("", &names, &folders, &record)
        for folder in folders.subtracting(record.folders).sorted() {
            record.steps.append(.named(NameChange(folder: folder)))
        }
        record.folders.formUnion(folders)
        var gone = record.names.filter { names[$0.key] == nil }
        for (path, file) in names.sorted(by: { $0.key < $1.key }) where record.names[path] != file {
            var change = NameChange(names: [(path, file)])
            if let old = gone.first(where: { $0.value == file })?.key {
                gone[old] = nil
                change.names.append((old, nil))
            }
            record.steps.append(.named(change))
        }
        for path in gone.keys.sorted() { record.steps.append(.named(NameChange(names: [(path, nil)]))) }
        record.names = names
        for file in Set(names.values).sorted() { compare(file, &record) }
    }

    private func list(
        _ folder: String, _ names: inout [String: Int], _ folders: inout Set<String>, _ record: inout Record
    ) {
        for name in (try? Folder.names(in: folder.isEmpty ? root : "\(root)/\(folder)")) ?? [] {
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            var status = stat()
            guard unsafe lstat("\(root)/\(path)", &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR {
                folders.insert(path)
                list(path, &names, &folders, &record)
            } else if status.st_mode & S_IFMT == S_IFREG {
                let place = Place(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
                names[path] = file(place, "\(root)/\(path)", &record)
            }
        }
    }

    /// Records the changes in a file, from the first byte to the last.
    private func compare(_ file: Int, _ record: inout Record) {
        let old = record.contents[file]
        var status = stat()
        guard unsafe fstat(record.descriptors[file], &status) == 0,
            let new = try? FileBytes.bytes(of: record.descriptors[file], at: 0, count: Int(status.st_size)), new != old
        else { return }
        let changed = Self.difference(old, new)
        record.contents[file] = new
        record.steps.append(
            .changed(file: file, byteCount: new.count, offset: changed.lowerBound, bytes: Array(new[changed])))
    }

    /// The part of `new` different from `old`, from the first differing byte to the last.
    private static func difference(_ old: [UInt8], _ new: [UInt8]) -> Range<Int> {
        unsafe old.withUnsafeBytes { old in
            unsafe new.withUnsafeBytes { new in
                let (count, piece) = (min(old.count, new.count), 1024)
                func isSame(_ start: Int, _ length: Int) -> Bool {
                    guard let old = old.baseAddress, let new = new.baseAddress else { return true }
                    return unsafe memcmp(old + start, new + start, length) == 0
                }
                var first = 0
                // Byte by byte would take seconds without optimisation.
                while first + piece <= count, isSame(first, piece) { first += piece }
                while first < count, isSame(first, 1) { first += 1 }
                var last = new.count
                if old.count == new.count {
                    while last - piece >= first, isSame(last - piece, piece) { last -= piece }
                    while last > first, isSame(last - 1, 1) { last -= 1 }
                }
                return first..<last
            }
        }
    }
}
