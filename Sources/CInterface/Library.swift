internal import CWoodshed

@c @implementation
public func woodshed_api_version() -> Int32 { WOODSHED_API_VERSION }

@c @implementation
public func woodshed_version() -> UnsafePointer<CChar>? { unsafe ConstantText.version }

@c @implementation
public func woodshed_error_message() -> UnsafePointer<CChar>? { unsafe LastFailure.message }

@c @implementation
public func woodshed_error_remedy() -> UnsafePointer<CChar>? { unsafe LastFailure.remedy }
