package import AudioFiles
internal import Files
internal import TestSupport

/// A program that decodes as ffmpeg does and passes on the first half second of stereo, then does something else.
///
/// - Parameters:
///   - end: The program's last action, as lines of a shell.
///   - scratch: The folder of the program; each program replaces the previous one.
package func pretendedFFmpeg(then end: String, in scratch: Scratch) throws -> FFmpegTools {
    let program = scratch.file("ffmpeg")
    // Written by another program: a program being started for another test inherits this process's open files for
    // writing, and then the script cannot be run.
    let text = "#!/bin/sh\nffmpeg \"$@\" 2>/dev/null | head -c 176400\n\(end)\n"
    try run("/bin/sh", "-c", "rm -f \"$2\"; printf %s \"$1\" > \"$2\"; chmod 755 \"$2\"", "sh", text, program)
    // No limit of the test suite ends the program within any test: if the program does not end by itself, the tested
    // code ends it.
    return FFmpegTools(ffmpeg: program, limits: .patient)
}
