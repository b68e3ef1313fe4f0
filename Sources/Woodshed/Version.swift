/// Version of the library and of the command.
///
/// The only definition: packages, manual pages and the C interface read the version here.
public let woodshedVersion = "0.2.0"
