import Testing

@testable import Transfers
