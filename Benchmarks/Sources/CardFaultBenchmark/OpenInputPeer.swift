import Foundation
import Woodshed

/// Woodshed as a program would use it to record: until interrupted, or until the stream ends.
enum OpenInputPeer {
    static func run() throws {
        let stream = try openInput(
            try InputDevice(parsing: "default"),
            StreamRequest(
                sampleRate: Trial.sampleRate, channelCount: 2, periodFrames: Trial.periodFrames, periodCount: 4))
        // The source below takes the signal instead.
        signal(SIGINT, SIG_IGN)
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        interrupt.setEventHandler { stream.stop() }
        interrupt.resume()
        try stream.start(CaptureCallbacks(capture: { _ in true }))
        let ending = Result { try stream.waitUntilFinished() }
        for incident in stream.takeIncidents() { print("told: \(incident.kind), \(incident.lostFrames) frames lost") }
        guard case .failure(let error) = ending else { return }
        print("told: \(error)")
        exit(69)
    }
}
