// AudioDevicesTests
