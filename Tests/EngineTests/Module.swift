// EngineTests
