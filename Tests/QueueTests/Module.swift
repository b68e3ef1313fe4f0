// QueueTests
