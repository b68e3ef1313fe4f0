import Testing

@testable import DesktopBus
