import Synchronization
import TestSupport
import Testing

@testable import Concurrency

@Suite("Pool of open members")
struct OpenPoolTests {
    /// Members that count as open from their first use until they are closed.
    private final class World: Sendable {
        struct State {
            var openMembers: Set<Int> = []
            var maxOpenCount = 0
            var closedMembers: [Int] = []
            var stuckMembers: Set<Int> = []
        }
        let clock = ManualClock()
        let pool: OpenPool
        let members: [OpenPool.PoolMember]
        let state = Mutex(State())
        private let identities: [Identity] = (0..<10).map { _ in Identity() }

        private final class Identity: Sendable {}

        init(open: Int) async throws {
            pool = OpenPool(.init(open: open), clock: clock)
            members = (0..<10).map { [pool] _ in OpenPool.PoolMember(of: pool) }
        }

        func useMember(_ number: Int, _ body: () async throws -> Void = {}) async throws {
            let member = members[number]
            try await member.withUse {
                member.addPart(identities[number], lanes: 1) { [weak self] in self?.closeMember(number) ?? true }
                state.withLock {
                    $0.openMembers.insert(number)
                    $0.maxOpenCount = max($0.maxOpenCount, $0.openMembers.count)
                }
                try await body()
            }
        }

        func endLane(_ number: Int) { members[number].endLane(of: ObjectIdentifier(identities[number])) }

        private func closeMember(_ number: Int) -> Bool {
            state.withLock { state in
                guard !state.stuckMembers.contains(number) else { return false }
                state.openMembers.remove(number)
                state.closedMembers.append(number)
                return true
            }
        }

        /// Moves the clock in steps of a second, each of which the pool notices.
        func advance(seconds: Int) async throws {
            for _ in 0..<seconds {
                try await waitUntil("the pool waits for the next second") { clock.sleeperCount == 1 }
                clock.advance(by: .seconds(1))
            }
            try await waitUntil("the pool waits for the next second") { clock.sleeperCount == 1 }
        }

        /// Begins a use that lasts until the returned function is called.
        func holdMember(_ number: Int) async throws -> @Sendable () -> Void {
            let (begun, isBegun) = AsyncStream.makeStream(of: Void.self)
            let (ended, end) = AsyncStream.makeStream(of: Void.self)
            Task {
                try await useMember(number) {
                    isBegun.finish()
                    for await _ in ended {}
                }
            }
            for await _ in begun {}
            return { end.finish() }
        }
    }

    @Test
    func `A pool that keeps two members open serves ten members in turn`() async throws {
        let world = try await World(open: 2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for round in 0..<30 { group.addTask { try await world.useMember(round % 10) { await Task.yield() } } }
            try await group.waitForAll()
        }
        let state = world.state.withLock { $0 }
        #expect(state.maxOpenCount == 2 && Set(state.closedMembers).count >= 8)
        #expect(world.pool.figures.waitCount > 0 && world.pool.figures.refusalCount == 0)
    }

    @Test
    func `A pool member in use stays open, and the member that was unused for the longest time is closed`() async throws
    {
        let world = try await World(open: 3)
        let end = try await world.holdMember(0)
        for number in [1, 2, 1, 3, 4] { try await world.useMember(number) }
        #expect(world.state.withLock { $0.closedMembers } == [2, 1])
        end()
    }

    @Test
    func `A request waits up to 10 seconds for its first pool member, and background work up to 300 seconds`()
        async throws
    {
        let world = try await World(open: 1)
        let end = try await world.holdMember(0)
        let refused = Mutex(0)
        let begun = Mutex(false)
        let request = Task {
            do { try await PoolRequest.runAsRequest { try await world.useMember(1) } } catch is PoolExhausted {
                refused.withLock { $0 = 1 }
            }
        }
        let background = Task {
            try await world.useMember(2)
            begun.withLock { $0 = true }
        }
        try await waitUntil("both wait") { world.pool.figures.waitingCount == 2 }
        try await world.advance(seconds: 9)
        #expect(refused.withLock { $0 } == 0)
        try await world.advance(seconds: 1)
        try await request.value
        #expect(refused.withLock { $0 } == 1 && world.pool.figures.refusalCount == 1)
        try await world.advance(seconds: 289)
        #expect(!begun.withLock { $0 } && world.pool.figures.waitingCount == 1)
        end()
        try await background.value
        #expect(begun.withLock { $0 })
    }

    @Test
    func `Background work that waits 300 seconds for a pool member is refused`() async throws {
        let world = try await World(open: 1)
        let end = try await world.holdMember(0)
        let waiting = Task { try await world.useMember(1) }
        try await waitUntil("the use waits") { world.pool.figures.waitingCount == 1 }
        try await world.advance(seconds: 300)
        await #expect(throws: PoolExhausted.self) { try await waiting.value }
        end()
    }

    @Test
    func `A request that has used one pool member may wait more than 10 seconds for a second one`() async throws {
        let world = try await World(open: 1)
        let (used, isUsed) = AsyncStream.makeStream(of: Void.self)
        let (opened, gate) = AsyncStream.makeStream(of: Void.self)
        let request = Task {
            try await PoolRequest.runAsRequest {
                try await world.useMember(0)
                isUsed.finish()
                for await _ in opened {}
                try await world.useMember(1)
            }
        }
        for await _ in used {}
        let end = try await world.holdMember(2)
        gate.finish()
        try await waitUntil("the request waits") { world.pool.figures.waitingCount == 1 }
        try await world.advance(seconds: 20)
        end()
        try await request.value
        #expect(world.pool.figures.refusalCount == 0)
    }

    @Test
    func `A request fails as partly done if its second pool member is not free within 300 seconds`() async throws {
        let world = try await World(open: 1)
        let (used, isUsed) = AsyncStream.makeStream(of: Void.self)
        let (opened, gate) = AsyncStream.makeStream(of: Void.self)
        let request = Task {
            try await PoolRequest.runAsRequest {
                try await world.useMember(0)
                isUsed.finish()
                for await _ in opened {}
                try await world.useMember(1)
            }
        }
        for await _ in used {}
        let end = try await world.holdMember(2)
        gate.finish()
        try await waitUntil("the request waits") { world.pool.figures.waitingCount == 1 }
        try await world.advance(seconds: 300)
        await #expect(throws: PoolExhausted(isFirstUse: false)) { try await request.value }
        end()
    }

    @Test
    func `A request that did not get its first pool member in time gets no further member`() async throws {
        let world = try await World(open: 1)
        let end = try await world.holdMember(0)
        let (opened, gate) = AsyncStream.makeStream(of: Void.self)
        let request = Task {
            await PoolRequest.runAsRequest {
                await withTaskGroup(of: PoolExhausted?.self) { group in
                    for number in 1...2 {
                        group.addTask {
                            if number == 2 { for await _ in opened {} }
                            do {
                                try await world.useMember(number)
                                return nil
                            } catch { return error as? PoolExhausted }
                        }
                    }
                    return await group.reduce(into: [PoolExhausted?]()) { $0.append($1) }
                }
            }
        }
        try await waitUntil("the first use waits") { world.pool.figures.waitingCount == 1 }
        try await world.advance(seconds: 5)
        gate.finish()
        try await waitUntil("both uses wait") { world.pool.figures.waitingCount == 2 }
        try await world.advance(seconds: 5)
        #expect(world.pool.figures.refusalCount == 1 && world.pool.figures.waitingCount == 1)
        end()
        #expect(await request.value == [PoolExhausted(isFirstUse: true), PoolExhausted(isFirstUse: true)])
        try await world.useMember(3)
        #expect(world.state.withLock { $0.openMembers } == [3])
    }

    @Test
    func `A request that starts in the task of another request waits only 10 seconds for its first pool member`()
        async throws
    {
        let world = try await World(open: 1)
        let (over, isOver) = AsyncStream.makeStream(of: Void.self)
        let left = await PoolRequest.runAsRequest {
            Task {
                for await _ in over {}
                try await PoolRequest.runAsRequest { try await world.useMember(1) }
            }
        }
        let end = try await world.holdMember(0)
        isOver.finish()
        try await waitUntil("the use waits") { world.pool.figures.waitingCount == 1 }
        try await world.advance(seconds: 10)
        await #expect(throws: PoolExhausted(isFirstUse: true)) { try await left.value }
        end()
    }

    @Test
    func `Calls that wait for one pool member begin in the order in which they were made`() async throws {
        let world = try await World(open: 1)
        let end = try await world.holdMember(0)
        let order = Mutex<[Int]>([])
        let member = world.members[1]
        for number in 0..<5 {
            member.requestUse({ order.withLock { $0.append(number) } }, refuse: { _ in })
        }
        #expect(order.withLock { $0.isEmpty })
        end()
        try await waitUntil("all uses begin") { order.withLock { $0.count == 5 } }
        #expect(order.withLock { $0 } == [0, 1, 2, 3, 4])
        for _ in 0..<5 { member.endUse() }
    }

    @Test
    func `If a pool member cannot be closed to make room, another member is closed instead`() async throws {
        let world = try await World(open: 2)
        world.state.withLock { $0.stuckMembers = [0] }
        for number in [0, 1] { try await world.useMember(number) }
        try await world.useMember(2)
        #expect(world.state.withLock { $0.closedMembers } == [1])
        world.state.withLock { $0.stuckMembers = [] }
        try await world.advance(seconds: 1)
        for number in [3, 4] { try await world.useMember(number) }
        #expect(world.state.withLock { $0.closedMembers } == [1, 2, 0])
    }

    @Test
    func `A pool member is closed after 30 seconds without a use, and the next use opens it`() async throws {
        let world = try await World(open: 2)
        try await world.useMember(0)
        try await world.advance(seconds: 20)
        try await world.useMember(1)
        try await world.advance(seconds: 10)
        try await waitUntil("the first member is closed") { world.state.withLock { $0.closedMembers } == [0] }
        #expect(world.pool.figures.openCount == 1)
        try await world.useMember(0)
        #expect(world.pool.figures.openCount == 2)
    }

    @Test
    func `When all lanes of a pool member have ended, another member can be opened in its stead`() async throws {
        let world = try await World(open: 1)
        try await world.useMember(0)
        world.endLane(0)
        #expect(world.pool.figures.openCount == 0)
        try await world.useMember(1)
        #expect(world.state.withLock { $0.closedMembers.isEmpty })
    }
}
