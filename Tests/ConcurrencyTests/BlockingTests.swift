import Concurrency
import Synchronization
import Testing

struct BlockingTests {
    @Test
    func `A cancelled task does not start its blocking work, and its cleanup still runs`() async {
        let done = Mutex<[String]>([])
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            do {
                try await runBlocking { done.withLock { $0.append("begun") } }
            } catch {
                await runCleanup { done.withLock { $0.append("cleaned") } }
            }
        }
        task.cancel()
        await task.value
        #expect(done.withLock { $0 } == ["cleaned"])
    }
}
