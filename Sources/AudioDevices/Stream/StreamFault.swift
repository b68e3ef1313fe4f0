/// Why a device thread gave up: a code, which the thread that waits for the end of the stream turns into words.
enum StreamFault: Error {
    /// The device is lost, noticed on a side.
    case lost(LossCause, StreamIncident.Side)
    /// A call failed with an error that is not handled here.
    case call(DeviceCall, code: Int32, StreamIncident.Side)
    /// A file failed; its words are already made, because no card waits meanwhile.
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

    /// Whether the device has stopped to answer.
    var isSilence: Bool {
        switch self {
        case .lost(.stoppedTaking, _), .lost(.stoppedDelivering, _): true
        default: false
        }
    }

    /// The fault in words, with the name of the device.
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
