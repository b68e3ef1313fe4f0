// Programs on the virtual card while the card fails: Woodshed, a program that uses PortAudio, aplay and arecord, each
// in a process of its own, on the same schedules of faults, with periods of 1024 frames and a buffer of four, by the
// real clock.
//
// The columns: whether sound moves again, and after how long a standstill (the longest); the number of frames silent,
// missing or discarded; whether the program reports the fault; its processor time from the fault to two seconds later
// (four, for mixtures); and whether it had to be killed because it did not end when asked. A fault is reported if a
// program that uses the library, or a reader of its messages, could notice the fault. Real cards are not measured:
// docs/virtual-card.md lists the limits of a plug-in.
//
//   CardFaultBenchmark WOODSHED SONG [SEED]...      SONG: a recording of ten seconds or more
import Foundation
import PortAudioPeer
import VirtualCardSupport

let arguments = Array(CommandLine.arguments.dropFirst())
let period = Int32(Trial.periodFrames)
switch arguments.first {
case "portaudio-play": exit(port_audio_peer_run(false, Int32(Trial.sampleRate), period, Int32(Trial.bufferFrames)))
case "portaudio-record": exit(port_audio_peer_run(true, Int32(Trial.sampleRate), period, Int32(Trial.bufferFrames)))
case "open-input": try OpenInputPeer.run()
default:
    guard arguments.count >= 2 else {
        print("usage: CardFaultBenchmark WOODSHED SONG [SEED]...")
        exit(64)
    }
    let seeds = arguments.count > 2 ? arguments.dropFirst(2).compactMap { UInt64($0) } : [1, 2, 3, 4]
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let tools = Tools(woodshed: arguments[0], song: arguments[1], benchmark: program)
    say("what became of it, longest standstill, frames lost, anything told, time of the processor; seeds \(seeds)")
    try Table(direction: .playback, tools: tools, seeds: Array(seeds)).run()
    try Table(direction: .capture, tools: tools, seeds: Array(seeds)).run()
}

/// Writes a line at once, as the run takes minutes.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
