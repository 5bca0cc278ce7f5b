import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Concurrency

@Suite("Queues of work")
struct QueueTests {
    @Test
    func `Waiting elements with the same key are handled in order, in batches up to the limit`() async throws {
        let (opened, gate) = AsyncStream.makeStream(of: Void.self)
        let batches = Mutex<[[Int]]>([])
        let queue = SerialBatches<String, Int>(limit: 4) { _, batch in
            batches.withLock { $0.append(batch) }
            for await _ in opened {}
        }
        for number in 0..<10 { queue.addElement("a", number) }
        try await waitUntil("the next step") { batches.withLock { !$0.isEmpty } }
        gate.finish()
        try await waitUntil("the next step") { batches.withLock { $0.joined().count == 10 } }
        await queue.closeAndWait()
        #expect(batches.withLock { $0 } == [[0], [1, 2, 3, 4], [5, 6, 7, 8], [9]])
    }

    @Test
    func `A slow batch of elements with one key does not delay elements with other keys`() async throws {
        let (opened, gate) = AsyncStream.makeStream(of: Void.self)
        let seen = Mutex<Set<String>>([])
        let queue = SerialBatches<String, Int>(limit: 1) { key, _ in
            seen.withLock { _ = $0.insert(key) }
            if key == "slow" { for await _ in opened {} }
        }
        queue.addElement("slow", 1)
        queue.addElement("quick", 1)
        try await waitUntil("the next step") { seen.withLock { $0 == ["slow", "quick"] } }
        gate.finish()
        await queue.closeAndWait()
    }

    @Test(arguments: [true, false])
    func `Closing a queue of batches handles or drops its waiting elements, as the caller requests`(
        finishing: Bool
    ) async throws {
        let (opened, gate) = AsyncStream.makeStream(of: Void.self)
        let seen = Mutex<[Int]>([])
        let queue = SerialBatches<Int, Int>(limit: 1) { _, batch in
            seen.withLock { $0 += batch }
            for await _ in opened {}
        }
        queue.addElement(0, 1)
        queue.addElement(0, 2)
        try await waitUntil("the next step") { seen.withLock { $0 == [1] } }
        let closing = Task { await queue.closeAndWait(finishing: finishing) }
        try await waitUntil("the next step") { queue.isClosed }
        queue.addElement(0, 3)
        gate.finish()
        await closing.value
        #expect(seen.withLock { $0 } == (finishing ? [1, 2] : [1]))
    }

    @Test
    func `Jobs of a work queue start in order, in batches up to the limit`() async throws {
        let queue = WorkQueue<Int>(batch: 3)
        for number in 0..<10_000 { #expect(queue.submitJob(number) == .jobAdded) }
        let seen = Mutex<[[Int]]>([]), ended = Mutex(0)
        queue.addLane { jobs in
            seen.withLock { $0.append(jobs) }
            return nil
        } end: {
            ended.withLock { $0 += 1 }
        }
        await queue.closeAndWait()
        #expect(queue.submitJob(1) == .queueClosed && queue.refusesJobs)
        #expect(seen.withLock { $0.flatMap { $0 } } == Array(0..<10_000))
        #expect(seen.withLock { $0.allSatisfy { $0.count <= 3 } })
        #expect(ended.withLock { $0 } == 1)
    }

    @Test
    func `A lane of a work queue with a deadline is called with later jobs, or without jobs at the deadline`()
        async throws
    {
        let queue = WorkQueue<Int>(batch: 3)
        let (batches, batch) = AsyncStream.makeStream(of: [Int].self)
        queue.addLane { jobs in
            batch.yield(jobs)
            return .now + (jobs == [0] ? .milliseconds(5) : .seconds(3600))
        } end: {
            batch.finish()
        }
        var iterator = batches.makeAsyncIterator()
        #expect(queue.submitJob(0) == .jobAdded)
        #expect(await iterator.next() == [0])
        #expect(await iterator.next() == [])
        #expect(queue.submitJob(1) == .jobAdded)
        #expect(await iterator.next() == [1])
        await queue.closeAndWait()
        #expect(await iterator.next() == nil)
    }

    @Test
    func `Two lanes of a work queue run two jobs at the same time, and a queue without jobs has no thread`()
        async throws
    {
        let threads = WorkThreads(kept: 0, idleTime: .zero)
        let queue = WorkQueue<Int>(batch: 1, threads: threads)
        let running = Mutex<Set<Int>>([]), isOver = Mutex(false)
        for _ in 0..<2 {
            queue.addLane { jobs in
                running.withLock { $0.formUnion(jobs) }
                while !isOver.withLock({ $0 }) { usleep(1000) }
                return nil
            }
        }
        for number in 0..<3 { #expect(queue.submitJob(number) == .jobAdded) }
        try await waitUntil("two jobs run") { running.withLock { $0.count == 2 } }
        #expect(threads.threadCount == 2)
        isOver.withLock { $0 = true }
        try await waitUntil("the third job has run") { running.withLock { $0.count == 3 } }
        try await waitUntil("the threads have ended") { threads.threadCount == 0 }
        await queue.closeAndWait()
    }

    @Test
    func `Work beyond the maximum number of threads waits until a thread is free`() async throws {
        let threads = WorkThreads(limit: 1, kept: 0, idleTime: .zero)
        let seen = Mutex<[Int]>([])
        let isFree = DispatchSemaphore(value: 0)
        try threads.startWork {
            isFree.wait()
            seen.withLock { $0.append(1) }
        }
        try threads.startWork { seen.withLock { $0.append(2) } }
        isFree.signal()
        try await waitUntil("the waiting work has run") { seen.withLock { $0 == [1, 2] } }
        try await waitUntil("the threads have ended") { threads.threadCount == 0 }
    }

    @Test
    func `If the system cannot start threads, the callers run their work on their own threads`() async throws {
        let attempts = Mutex(0), seen = Mutex<Set<Int>>([])
        let threads = WorkThreads { _ throws(NoThread) in
            attempts.withLock { $0 += 1 }
            // Both starts are counted before the first one fails.
            while attempts.withLock({ $0 }) < 2 { usleep(1000) }
            throw NoThread(code: EAGAIN)
        }
        for number in 0..<2 {
            BlockingThread.runOnThread { threads.runWork { seen.withLock { _ = $0.insert(number) } } }
        }
        try await waitUntil("all work has run") { seen.withLock { $0 == [0, 1] } }
        try await waitUntil("no caller works") { threads.threadCount == 0 }
    }

    @Test
    func `A paused work queue completes its jobs, ends its thread, and runs waiting calls after the pause`()
        async throws
    {
        let threads = WorkThreads(kept: 0, idleTime: .zero)
        let queue = WorkQueue<Int>(batch: 1, threads: threads)
        let seen = Mutex<[Int]>([]), told = Mutex(0)
        queue.addLane { jobs in
            seen.withLock { $0 += jobs }
            return .now + .seconds(3600)
        } flush: {
            seen.withLock { $0.append(0) }
        }
        let waits = queue.callAfterPause {}
        #expect(!waits)
        #expect(queue.submitJob(1) == .jobAdded)
        try await waitUntil("the first job has run") { seen.withLock { $0 == [1] } }
        #expect(await queue.pauseAndWait { told.withLock { $0 += 1 } })
        #expect(seen.withLock { $0 } == [1, 0])
        #expect(await queue.pauseAndWait())
        try await waitUntil("the thread has ended") { threads.threadCount == 0 }
        for number in 2...4 {
            #expect(queue.submitJob(number) == .queuePaused)
            let waits = queue.callAfterPause { _ = queue.submitJob(number) }
            #expect(waits)
        }
        queue.resumeJobs()
        #expect(seen.withLock { $0 } == [1, 0] && told.withLock { $0 } == 1)
        queue.resumeJobs()
        try await waitUntil("the jobs have run") { seen.withLock { $0 == [1, 0, 2, 3, 4] } }
        await queue.closeAndWait()
        #expect(await !queue.pauseAndWait())
    }

    @Test
    func `A work queue that is closed during a pause runs waiting calls immediately, and ends after the pause`()
        async throws
    {
        let queue = WorkQueue<Int>(batch: 1)
        let steps = Mutex<[String]>([])
        queue.addLane { _ in
            steps.withLock { $0.append("job") }
            return nil
        } end: {
            steps.withLock { $0.append("end") }
        }
        #expect(await queue.pauseAndWait())
        let waits = queue.callAfterPause { steps.withLock { $0.append("call") } }
        #expect(waits)
        let closing = Task.immediate { await queue.closeAndWait() }
        #expect(steps.withLock { $0 } == ["call"])
        let waitsAgain = queue.callAfterPause {}
        #expect(!waitsAgain && queue.submitJob(1) == .queueClosed)
        queue.resumeJobs()
        await closing.value
        #expect(steps.withLock { $0 } == ["call", "end"])
    }

    @Test
    func `Jobs that were added to a work queue before a pause run before the pause begins`() async throws {
        let queue = WorkQueue<Int>(batch: 1)
        let seen = Mutex<[Int]>([])
        let isFree = DispatchSemaphore(value: 0)
        queue.addLane { jobs in
            if jobs == [1] { isFree.wait() }
            seen.withLock { $0 += jobs }
            return nil
        }
        for number in 1...3 { #expect(queue.submitJob(number) == .jobAdded) }
        let pausing = Task.immediate { await queue.pauseAndWait() }
        #expect(queue.submitJob(4) == .queuePaused)
        isFree.signal()
        #expect(await pausing.value)
        #expect(seen.withLock { $0 } == [1, 2, 3])
        queue.resumeJobs()
        await queue.closeAndWait()
    }

    @Test
    func `Events are handled in order, even an event that the handler of an earlier event adds`() {
        let seen = Mutex<[Int]>([])
        let box = Mutex<OrderedEvents<Int>?>(nil)
        let events = OrderedEvents<Int> { event in
            seen.withLock { $0.append(event) }
            guard event == 1, let events = box.withLock({ $0 }) else { return }
            events.addEvent(3)
            events.deliverEvents()
        }
        box.withLock { $0 = events }
        events.addEvent(1)
        events.addEvent(2)
        events.deliverEvents()
        box.withLock { $0 = nil }
        #expect(seen.withLock { $0 } == [1, 2, 3])
    }

    @Test
    func `Several signals to a worker before its wait count as one signal`() async throws {
        let signal = WakeSignal()
        signal.wake()
        signal.wake()
        #expect(await signal.waitForSignal())
        let waiting = Task { await signal.waitForSignal() }
        waiting.cancel()
        #expect(await waiting.value == false)
    }

    @Test
    func `A wait for the completion of an operation ends immediately if the operation is already complete`() async {
        let waiters = CompletionWaiters<Int>()
        let early = waiters.expectCompletion(1)
        #expect(waiters.isExpected(1))
        waiters.reportCompletion(1)
        await waiters.waitForCompletion(for: early, of: 1, atMost: .seconds(60))
        #expect(!waiters.isExpected(1))
    }

    @Test
    func `The end of a group of background tasks cancels its tasks, and the group refuses later tasks`() async throws {
        let tasks = BackgroundTasks()
        let ended = Mutex(0)
        for _ in 0..<3 {
            tasks.startTask {
                try? await Task.sleep(for: .seconds(3_600))
                ended.withLock { $0 += 1 }
            }
        }
        await tasks.cancelAndWait()
        tasks.startTask { ended.withLock { $0 += 1 } }
        #expect(ended.withLock { $0 } == 3)
    }

    @Test
    func `An urgent job of a work queue runs during a pause, and other jobs run after the pause`() async throws {
        let seen = Mutex<[Int]>([])
        let queue = WorkQueue<Int>(batch: 4)
        queue.addLane({ jobs in
            seen.withLock { $0 += jobs }
            return nil
        })
        #expect(await queue.pauseAndWait())
        let waits = queue.callAfterPause { _ = queue.submitJob(1) }
        #expect(waits)
        #expect(queue.submitUrgent(2))
        try await waitUntil("the urgent job runs") { seen.withLock { $0 == [2] } }
        queue.resumeJobs()
        try await waitUntil("the other job runs") { seen.withLock { $0 == [2, 1] } }
        await queue.closeAndWait()
        #expect(!queue.submitUrgent(3))
    }
}
