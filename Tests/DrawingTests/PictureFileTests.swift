internal import Glibc
import TestSupport
import Testing

@testable import Drawing

@Suite struct PictureFileTests {
    private func picture() throws -> WaveformPicture { try WaveformPicture(on: sheet(200, 100), rows: [[square(0.5)]]) }

    @Test(
        "A picture's file has the encoded picture in both formats, and no other file is left",
        arguments: PictureFormat.allCases
    )
    func written(_ format: PictureFormat) throws {
        let picture = try picture()
        try withFolder { folder in
            let path = folder + "/wave." + format.rawValue
            try picture.write(to: path, as: format)
            #expect(contents(path) == (try picture.encoded(as: format)))
            try picture.write(to: path, as: format)
            #expect(listing(folder) == ["wave." + format.rawValue])
        }
        let start = try Array(picture.encoded(as: format).prefix(4))
        #expect(start == (format == .png ? [0x89, 0x50, 0x4E, 0x47] : Array("<?xm".utf8)))
    }

    @Test("A picture replaces an existing file and keeps its permissions, and a link stays a link")
    func replaced() throws {
        let picture = try picture()
        try withFolder { folder in
            let (path, link) = (folder + "/wave.png", folder + "/link.png")
            let file = unsafe open(path, O_CREAT | O_WRONLY, 0o600)
            close(file)
            #expect(unsafe symlink("wave.png", link) == 0)
            try picture.write(to: link, as: .png)
            var status = stat()
            #expect(unsafe lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
            #expect(unsafe lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
            #expect(contents(path) == (try picture.encoded(as: .png)))
        }
    }

    @Test(
        "A picture's path that cannot be written is refused with cause and remedy, and named as given",
        arguments: [
            ("/dev/full", PictureError.Kind.diskFull), ("/tmp/no such folder/x.png", .cannotCreate),
            ("/tmp", .isDirectory),
            ("", .cannotCreate), ("a\0b", .cannotCreate), ("/dev/null/x.png", .cannotCreate),
        ])
    func refused(_ path: String, _ kind: PictureError.Kind) throws {
        let picture = try picture()
        let error = #expect(throws: PictureError.self) { try picture.write(to: path, as: .svg) }
        #expect(error?.kind == kind)
        #expect(error?.message.hasPrefix(path) == true && error?.remedy.isEmpty == false)
    }

    @Test("A folder without permission is reported as such, and keeps no part of a picture")
    func forbidden() async {
        // In a process of its own: root is forbidden nothing, and gives up its privileges for good.
        await #expect(processExitsWith: .success) {
            #expect(Privileges.giveUp())
            let picture = try PictureFileTests().picture()
            try withFolder { folder in
                unsafe chmod(folder, 0o500)
                let path = folder + "/woodshed.png"
                let error = #expect(throws: PictureError.self) { try picture.write(to: path, as: .png) }
                #expect(error?.kind == .permissionDenied && error?.message.hasPrefix("\(path): ") == true)
                #expect(listing(folder).isEmpty)
            }
        }
    }

    @Test("A picture is written under the longest permitted name; a longer name is refused")
    func longNames() throws {
        let picture = try picture()
        try withFolder { folder in
            let longest = String(repeating: "n", count: 255)
            try picture.write(to: folder + "/" + longest, as: .png)
            #expect(listing(folder) == [longest])
            let error = #expect(throws: PictureError.self) { try picture.write(to: folder + "/x" + longest, as: .png) }
            #expect(error?.kind == .cannotCreate)
            #expect(listing(folder) == [longest])
        }
    }
}
