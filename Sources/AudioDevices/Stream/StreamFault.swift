/// Fault that ended a device thread: a code. The thread that waits for the end of the stream turns the code into words.
enum StreamFault: Error {
    /// The device is lost, noticed on a side.
    case lost(LossCause, StreamIncident.Side)
    /// A call failed with an error not handled here.
    case call(DeviceCall, code: Int32, StreamIncident.Side)
    /// A file failed. The error already has its words, because no card waits for them.
    case file(DeviceError)

    /// The operation during which a device failed.
    enum DeviceCall {
        case setUp, run, restart
    }

    /// The loss to report as an incident; nil for files, which are not devices.
    var loss: (cause: LossCause, side: StreamIncident.Side)? {
        switch self {
        case .lost(let cause, let side): (cause, side)
        case .call(_, _, let side): (.cannotRestart, side)
        case .file: nil
        }
    }

    /// True if the device no longer answers.
    var isSilence: Bool {
        switch self {
        case .lost(.stoppedTaking, _), .lost(.stoppedDelivering, _): true
        default: false
        }
    }

    /// Returns the fault in words, with the name of the device.
    func error(outputName: String, inputName: String) -> DeviceError {
        switch self {
        case .file(let error): return error
        case .lost(let cause, let side): return .lost(side == .output ? outputName : inputName, cause)
        case .call(let call, let code, let side):
            let action =
                switch call {
                case .setUp: "be set up"
                case .run: side == .output ? "play" : "record"
                case .restart: "restart"
                }
            return .failed(side == .output ? outputName : inputName, doing: action, code: code)
        }
    }
}
