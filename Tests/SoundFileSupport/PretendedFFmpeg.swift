package import AudioFiles
internal import Files

/// A program that decodes as ffmpeg does and passes on the first half second of stereo, then does something else.
///
/// - Parameters:
///   - end: What it does then, as lines of a shell.
///   - scratch: Where the program is put; each one replaces the one before.
package func pretendedFFmpeg(then end: String, in scratch: Scratch) throws -> FFmpegTools {
    let program = scratch.file("ffmpeg")
    // By another program: what this one has open for writing, a program that it is just starting for another test has, too, and
    // then it cannot be run.
    let text = "#!/bin/sh\nffmpeg \"$@\" 2>/dev/null | head -c 176400\n\(end)\n"
    try run("/bin/sh", "-c", "rm -f \"$2\"; printf %s \"$1\" > \"$2\"; chmod 755 \"$2\"", "sh", text, program)
    // No limit of ours ends it within any test: what does not end by itself is ended by what is tested.
    return FFmpegTools(ffmpeg: program, limits: ChildLimits(totalSeconds: 3600, silentSeconds: 3600))
}
