import Synchronization
import TestSupport
import Testing

@testable import Concurrency

@Suite("Pool of open members")
struct OpenPoolTests {
    /// Members that count as open from their first use until they are closed.
    private final class World: Sendable {
        struct State {
            var open: Set<Int> = []
            var mostOpen = 0
            var closed: [Int] = []
            var stuck: Set<Int> = []
        }
        let clock = ManualClock()
        let pool: OpenPool
        let members: [OpenPool.Member]
        let state = Mutex(State())
        private let ids: [Identity] = (0..<10).map { _ in Identity() }

        private final class Identity: Sendable {}

        init(open: Int) async throws {
            pool = OpenPool(.init(open: open), clock: clock)
            members = (0..<10).map { [pool] _ in OpenPool.Member(of: pool) }
        }

        func use(_ number: Int, _ body: () async throws -> Void = {}) async throws {
            let member = members[number]
            try await member.withUse {
                member.addPart(ids[number], lanes: 1) { [weak self] in self?.close(number) ?? true }
                state.withLock {
                    $0.open.insert(number)
                    $0.mostOpen = max($0.mostOpen, $0.open.count)
                }
                try await body()
            }
        }

        func end(_ number: Int) { members[number].endLane(of: ObjectIdentifier(ids[number])) }

        private func close(_ number: Int) -> Bool {
            state.withLock { state in
                guard !state.stuck.contains(number) else { return false }
                state.open.remove(number)
                state.closed.append(number)
                return true
            }
        }

        /// Moves the clock in steps of a second, each of which the pool notices.
        func advance(seconds: Int) async throws {
            for _ in 0..<seconds {
                try await eventually("the pool waits for the next second") { clock.sleeperCount == 1 }
                clock.advance(by: .seconds(1))
            }
            try await eventually("the pool waits for the next second") { clock.sleeperCount == 1 }
        }

        /// Begins a use that lasts until the returned function is called.
        func hold(_ number: Int) async throws -> @Sendable () -> Void {
            let (begun, isBegun) = AsyncStream.makeStream(of: Void.self)
            let (ended, end) = AsyncStream.makeStream(of: Void.self)
            Task {
                try await use(number) {
                    isBegun.finish()
                    for await _ in ended {}
                }
            }
            for await _ in begun {}
            return { end.finish() }
        }
    }

    @Test
    func `With a pool of two, ten members all work in turn`() async throws {
        let world = try await World(open: 2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for round in 0..<30 { group.addTask { try await world.use(round % 10) { await Task.yield() } } }
            try await group.waitForAll()
        }
        let state = world.state.withLock { $0 }
        #expect(state.mostOpen == 2 && Set(state.closed).count >= 8)
        #expect(world.pool.figures.waits > 0 && world.pool.figures.refusals == 0)
    }

    @Test
    func `A member in use stays open, and the unused member with the oldest use is closed`() async throws {
        let world = try await World(open: 3)
        let end = try await world.hold(0)
        for number in [1, 2, 1, 3, 4] { try await world.use(number) }
        #expect(world.state.withLock { $0.closed } == [2, 1])
        end()
    }

    @Test
    func `The first use of a request is refused after 10 seconds, and other uses wait 300 seconds`() async throws {
        let world = try await World(open: 1)
        let end = try await world.hold(0)
        let refused = Mutex(0)
        let begun = Mutex(false)
        let request = Task {
            do { try await PoolRequest.run { try await world.use(1) } } catch is PoolExhausted {
                refused.withLock { $0 = 1 }
            }
        }
        let background = Task {
            try await world.use(2)
            begun.withLock { $0 = true }
        }
        try await eventually("both wait") { world.pool.figures.waitingCount == 2 }
        try await world.advance(seconds: 9)
        #expect(refused.withLock { $0 } == 0)
        try await world.advance(seconds: 1)
        try await request.value
        #expect(refused.withLock { $0 } == 1 && world.pool.figures.refusals == 1)
        try await world.advance(seconds: 289)
        #expect(!begun.withLock { $0 } && world.pool.figures.waitingCount == 1)
        end()
        try await background.value
        #expect(begun.withLock { $0 })
    }

    @Test
    func `A use without a request is refused after 300 seconds`() async throws {
        let world = try await World(open: 1)
        let end = try await world.hold(0)
        let waiting = Task { try await world.use(1) }
        try await eventually("the use waits") { world.pool.figures.waitingCount == 1 }
        try await world.advance(seconds: 300)
        await #expect(throws: PoolExhausted.self) { try await waiting.value }
        end()
    }

    @Test
    func `A request that has used a member waits longer for its next use`() async throws {
        let world = try await World(open: 1)
        let (used, isUsed) = AsyncStream.makeStream(of: Void.self)
        let (opened, gate) = AsyncStream.makeStream(of: Void.self)
        let request = Task {
            try await PoolRequest.run {
                try await world.use(0)
                isUsed.finish()
                for await _ in opened {}
                try await world.use(1)
            }
        }
        for await _ in used {}
        let end = try await world.hold(2)
        gate.finish()
        try await eventually("the request waits") { world.pool.figures.waitingCount == 1 }
        try await world.advance(seconds: 20)
        end()
        try await request.value
        #expect(world.pool.figures.refusals == 0)
    }

    @Test
    func `A later use of a request is refused after 300 seconds, and the refusal says that something was done`()
        async throws
    {
        let world = try await World(open: 1)
        let (used, isUsed) = AsyncStream.makeStream(of: Void.self)
        let (opened, gate) = AsyncStream.makeStream(of: Void.self)
        let request = Task {
            try await PoolRequest.run {
                try await world.use(0)
                isUsed.finish()
                for await _ in opened {}
                try await world.use(1)
            }
        }
        for await _ in used {}
        let end = try await world.hold(2)
        gate.finish()
        try await eventually("the request waits") { world.pool.figures.waitingCount == 1 }
        try await world.advance(seconds: 300)
        await #expect(throws: PoolExhausted(isFirst: false)) { try await request.value }
        end()
    }

    @Test
    func `No use of a request begins after its first use was refused`() async throws {
        let world = try await World(open: 1)
        let end = try await world.hold(0)
        let (opened, gate) = AsyncStream.makeStream(of: Void.self)
        let request = Task {
            await PoolRequest.run {
                await withTaskGroup(of: PoolExhausted?.self) { group in
                    for number in 1...2 {
                        group.addTask {
                            if number == 2 { for await _ in opened {} }
                            do {
                                try await world.use(number)
                                return nil
                            } catch { return error as? PoolExhausted }
                        }
                    }
                    return await group.reduce(into: [PoolExhausted?]()) { $0.append($1) }
                }
            }
        }
        try await eventually("the first use waits") { world.pool.figures.waitingCount == 1 }
        try await world.advance(seconds: 5)
        gate.finish()
        try await eventually("both uses wait") { world.pool.figures.waitingCount == 2 }
        try await world.advance(seconds: 5)
        #expect(world.pool.figures.refusals == 1 && world.pool.figures.waitingCount == 1)
        end()
        #expect(await request.value == [PoolExhausted(isFirst: true), PoolExhausted(isFirst: true)])
        try await world.use(3)
        #expect(world.state.withLock { $0.open } == [3])
    }

    @Test
    func `A request in a task that an earlier request has left waits shortly`() async throws {
        let world = try await World(open: 1)
        let (over, isOver) = AsyncStream.makeStream(of: Void.self)
        let left = await PoolRequest.run {
            Task {
                for await _ in over {}
                try await PoolRequest.run { try await world.use(1) }
            }
        }
        let end = try await world.hold(0)
        isOver.finish()
        try await eventually("the use waits") { world.pool.figures.waitingCount == 1 }
        try await world.advance(seconds: 10)
        await #expect(throws: PoolExhausted(isFirst: true)) { try await left.value }
        end()
    }

    @Test
    func `Uses of one member begin in the order of their calls when they have waited`() async throws {
        let world = try await World(open: 1)
        let end = try await world.hold(0)
        let order = Mutex<[Int]>([])
        let member = world.members[1]
        for number in 0..<5 {
            member.requestUse({ order.withLock { $0.append(number) } }, refuse: { _ in })
        }
        #expect(order.withLock { $0.isEmpty })
        end()
        try await eventually("all uses begin") { order.withLock { $0.count == 5 } }
        #expect(order.withLock { $0 } == [0, 1, 2, 3, 4])
        for _ in 0..<5 { member.endUse() }
    }

    @Test
    func `For a member that cannot be closed, another member is closed`() async throws {
        let world = try await World(open: 2)
        world.state.withLock { $0.stuck = [0] }
        for number in [0, 1] { try await world.use(number) }
        try await world.use(2)
        #expect(world.state.withLock { $0.closed } == [1])
        world.state.withLock { $0.stuck = [] }
        try await world.advance(seconds: 1)
        for number in [3, 4] { try await world.use(number) }
        #expect(world.state.withLock { $0.closed } == [1, 2, 0])
    }

    @Test
    func `A member is closed after 30 seconds without a use, and the next use opens it`() async throws {
        let world = try await World(open: 2)
        try await world.use(0)
        try await world.advance(seconds: 20)
        try await world.use(1)
        try await world.advance(seconds: 10)
        try await eventually("the first member is closed") { world.state.withLock { $0.closed } == [0] }
        #expect(world.pool.figures.openCount == 1)
        try await world.use(0)
        #expect(world.pool.figures.openCount == 2)
    }

    @Test
    func `A member whose parts have ended leaves its place to another member`() async throws {
        let world = try await World(open: 1)
        try await world.use(0)
        world.end(0)
        #expect(world.pool.figures.openCount == 0)
        try await world.use(1)
        #expect(world.state.withLock { $0.closed.isEmpty })
    }
}
