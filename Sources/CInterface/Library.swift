internal import CWoodshed

/// See woodshed.h.
@c @implementation
public func woodshed_api_version() -> Int32 { WOODSHED_API_VERSION }

/// See woodshed.h.
@c @implementation
public func woodshed_version() -> UnsafePointer<CChar>? { unsafe ConstantText.version }

/// See woodshed.h.
@c @implementation
public func woodshed_error_message() -> UnsafePointer<CChar>? { unsafe LastFailure.message }

/// See woodshed.h.
@c @implementation
public func woodshed_error_remedy() -> UnsafePointer<CChar>? { unsafe LastFailure.remedy }
