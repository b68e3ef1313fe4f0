import Testing

@testable import Catalogue
@testable import Library
@testable import Store
