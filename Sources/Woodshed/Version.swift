/// The version of the library and of the command.
///
/// The only place that says it: packages, manual pages and the interface for C take it from here.
public let woodshedVersion = "0.2.0"
