import Synchronization
import TestSupport
import Testing

@testable import Concurrency

@Suite("Shares of the processor")
struct ProcessorSharesTests {
    /// Calls of members, each of which runs until it is ended. The time moves only by `clock`.
    private final class World: Sendable {
        private struct State {
            /// The running calls in the order of their begins, each with the function that ends it.
            var running: [(name: String, end: AsyncStream<Void>.Continuation)] = []
            var begunNames: [String] = []
            var endedCount = 0
        }

        let clock = ManualClock()
        let shares: ProcessorShares
        private let state = Mutex(State())

        init(runningCalls: Int) { shares = ProcessorShares(.init(runningCalls: runningCalls), clock: clock) }

        var runningNames: [String] { state.withLock { $0.running.map(\.name) } }
        var begunNames: [String] { state.withLock { $0.begunNames } }

        /// Starts a call, and returns when it runs or waits.
        func startCall(_ name: String, of share: ProcessorShare) async throws {
            let waitingCount = share.waitingCount
            let begun = Mutex(false)
            Task {
                await share.runCall {
                    let (ended, end) = AsyncStream.makeStream(of: Void.self)
                    state.withLock { state in
                        state.running.append((name, end))
                        state.begunNames.append(name)
                    }
                    begun.withLock { $0 = true }
                    for await _ in ended {}
                }
                state.withLock { $0.endedCount += 1 }
            }
            try await waitUntil("the call runs or waits") {
                begun.withLock { $0 } || share.waitingCount > waitingCount
            }
        }

        /// Ends a running call, and returns when its member knows the end.
        func endCall(_ name: String) async throws {
            let (end, endedCount) = try state.withLock { state in
                let index = try #require(state.running.firstIndex { $0.name == name })
                return (state.running.remove(at: index).end, state.endedCount)
            }
            end.finish()
            try await waitUntil("the call has ended", every: .milliseconds(1)) {
                state.withLock { $0.endedCount } > endedCount
            }
        }

        /// Runs a call that ends at once.
        func makeActive(_ share: ProcessorShare) async { await share.runCall {} }
    }

    @Test
    func `A store with a hundred waiting calls alternates on the processor with a store that has one`() async throws {
        let world = World(runningCalls: 1)
        let (busy, other) = (world.shares.makeShare(), world.shares.makeShare())
        await world.makeActive(other)
        for call in 0...100 { try await world.startCall("busy \(call)", of: busy) }
        #expect(world.runningNames == ["busy 0"] && busy.waitingCount == 100)
        for call in 0..<10 {
            try await world.startCall("other \(call)", of: other)
            #expect(world.runningNames == ["busy \(call)", "other \(call)"])
            try await world.endCall("other \(call)")
            try await world.endCall("busy \(call)")
            try await waitUntil("the next call runs") { world.runningNames == ["busy \(call + 1)"] }
        }
        #expect(busy.waitingCount == 90 && other.waitingCount == 0)
        #expect(world.begunNames.filter { $0.hasPrefix("busy") } == (0...10).map { "busy \($0)" })
        world.clock.advance(by: world.shares.limits.activeTime + .milliseconds(1))
        try await waitUntil("the other calls run") { world.runningNames.count == 91 }
        for call in 10...100 { try await world.endCall("busy \(call)") }
    }

    @Test
    func `A store that is the only active store runs all its calls at the same time`() async throws {
        let world = World(runningCalls: 1)
        let (busy, other) = (world.shares.makeShare(), world.shares.makeShare())
        await world.makeActive(other)
        world.clock.advance(by: world.shares.limits.activeTime + .milliseconds(1))
        for call in 0..<10 { try await world.startCall("\(call)", of: busy) }
        #expect(world.runningNames.count == 10 && busy.waitingCount == 0)
        // Nothing waits for a time.
        #expect(world.clock.sleeperCount == 0)
        for call in 0..<10 { try await world.endCall("\(call)") }
    }

    @Test
    func `If a second store becomes active, the running calls of the first store count toward its limit`() async throws
    {
        let world = World(runningCalls: 2)
        let (busy, other) = (world.shares.makeShare(), world.shares.makeShare())
        for call in 0..<4 { try await world.startCall("\(call)", of: busy) }
        await world.makeActive(other)
        try await world.startCall("4", of: busy)
        for call in 0..<2 {
            #expect(busy.waitingCount == 1)
            try await world.endCall("\(call)")
        }
        #expect(busy.waitingCount == 1)
        try await world.endCall("2")
        try await waitUntil("the last call runs") { world.runningNames == ["3", "4"] }
        for call in 3..<5 { try await world.endCall("\(call)") }
    }

    @Test
    func `When all other stores are inactive, all waiting calls of a store begin after its next call ends`()
        async throws
    {
        let world = World(runningCalls: 1)
        let (busy, other) = (world.shares.makeShare(), world.shares.makeShare())
        await world.makeActive(other)
        world.clock.advance(by: world.shares.limits.activeTime)
        for call in 0..<5 { try await world.startCall("\(call)", of: busy) }
        #expect(busy.waitingCount == 4)
        world.clock.advance(by: .milliseconds(1))
        try await world.endCall("0")
        try await waitUntil("all calls run") { world.runningNames.count == 4 }
        #expect(busy.waitingCount == 0 && world.begunNames.sorted() == ["0", "1", "2", "3", "4"])
        for call in 1..<5 { try await world.endCall("\(call)") }
    }

    @Test
    func `A store's next call begins when its running call has used the maximum counted time`() async throws {
        let world = World(runningCalls: 1)
        let (busy, other) = (world.shares.makeShare(), world.shares.makeShare())
        await world.makeActive(other)
        for call in 0..<3 { try await world.startCall("\(call)", of: busy) }
        for begun in 1...2 {
            try await waitUntil("the member waits for the time") { world.clock.sleeperCount == 1 }
            world.clock.advance(by: world.shares.limits.maxCountedTime - .milliseconds(1))
            #expect(busy.waitingCount == 3 - begun)
            await world.makeActive(other)
            world.clock.advance(by: .milliseconds(1))
            try await waitUntil("the next call runs") { world.runningNames.count == begun + 1 }
        }
        // The end of a call that no longer counts gives no place to another.
        try await world.startCall("3", of: busy)
        try await world.endCall("0")
        #expect(busy.waitingCount == 1)
        try await world.endCall("2")
        try await waitUntil("the last call runs") { world.runningNames == ["1", "3"] }
        for call in [1, 3] { try await world.endCall("\(call)") }
    }

    @Test
    func `A cancelled call that waits for the processor still runs in turn, and sees that it is cancelled`()
        async throws
    {
        let world = World(runningCalls: 1)
        let (busy, other) = (world.shares.makeShare(), world.shares.makeShare())
        await world.makeActive(other)
        try await world.startCall("first", of: busy)
        let cancelled = Task { await busy.runCall { Task.isCancelled } }
        try await waitUntil("the call waits") { busy.waitingCount == 1 }
        cancelled.cancel()
        #expect(busy.waitingCount == 1)
        try await world.endCall("first")
        #expect(await cancelled.value)
    }

    @Test
    func `A call on the processor that throws an error lets the store's next call begin`() async throws {
        struct Refusal: Error {}
        let world = World(runningCalls: 1)
        let (busy, other) = (world.shares.makeShare(), world.shares.makeShare())
        await world.makeActive(other)
        await #expect(throws: Refusal.self) { try await busy.runCall { throw Refusal() } }
        try await world.startCall("next", of: busy)
        #expect(world.runningNames == ["next"])
        try await world.endCall("next")
    }

    @Test
    func `A released processor share is freed from memory, and the last remaining store runs all its calls`()
        async throws
    {
        let world = World(runningCalls: 1)
        let other = world.shares.makeShare()
        weak var released: ProcessorShare?
        do {
            let share = world.shares.makeShare()
            released = share
            await world.makeActive(other)
            try await world.startCall("first", of: share)
            try await world.startCall("second", of: share)
            try await world.endCall("first")
            try await waitUntil("the second call runs") { world.runningNames == ["second"] }
            try await world.endCall("second")
        }
        // The watch of the waiting call ends with its present sleep.
        try await waitUntil("the watch sleeps") { world.clock.sleeperCount == 1 }
        world.clock.advance(by: world.shares.limits.maxCountedTime)
        try await waitUntil("the share is released") { released == nil }
        world.clock.advance(by: world.shares.limits.activeTime + .milliseconds(1))
        for call in 0..<3 { try await world.startCall("\(call)", of: other) }
        #expect(world.runningNames.count == 3)
        for call in 0..<3 { try await world.endCall("\(call)") }
    }
}
