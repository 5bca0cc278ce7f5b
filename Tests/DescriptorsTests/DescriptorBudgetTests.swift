import Testing

@testable import Descriptors

@Suite struct DescriptorBudgetTests {
    /// Returns the number of descriptors that may be open at the same time.
    private func countDescriptors(_ budget: DescriptorBudget) -> Int {
        budget.connections + budget.relayConnections + budget.fileRelayConnections + budget.proxiedRelays
            + budget.relaySessions + budget.deliveryConnections
            + budget.openStores * DescriptorBudget.descriptorsPerStore
            + budget.storesWithDatabases * DescriptorBudget.descriptorsPerDatabases
    }

    @Test(arguments: [256, 257, 300, 512, 1_024, 4_096, 20_000, 65_536, 524_288, 1_000_000, 1 << 20])
    func `The file descriptors of all parts of a gateway together leave a reserve free, for any limit`(
        limit: Int
    ) throws {
        for (hasRelay, hasFileRelay) in [(true, true), (true, false), (false, false)] {
            let budget = try DescriptorBudget.makeForGateway(
                limit: limit,
                hasRelay: hasRelay,
                hasFileRelay: hasFileRelay
            )
            #expect((budget.fileRelayConnections >= 8) == hasFileRelay)
            #expect(countDescriptors(budget) <= limit - DescriptorBudget.computeReserve(of: limit))
            #expect(
                budget.connections >= 64 && budget.openStores >= 1 && budget.relaySessions >= 16
                    && (1...DescriptorBudget.maxStoresWithDatabases).contains(budget.storesWithDatabases)
                    && budget.deliveryConnections >= 8
            )
            #expect(budget.streams < budget.connections && budget.connectionsPerAddress < budget.connections)
            #expect((budget.relayConnections >= 16) == hasRelay && (budget.proxiedRelays >= 8) == hasRelay)
        }
    }

    @Test(arguments: [128, 1_024, 20_000, 1 << 20])
    func `The file descriptors of a standalone relay leave a reserve free, for any limit`(limit: Int) throws {
        let budget = try DescriptorBudget.makeForRelay(limit: limit)
        #expect(countDescriptors(budget) <= limit - DescriptorBudget.computeReserve(of: limit))
        #expect(budget.relayConnections >= 20 && budget.connections == 0)
    }

    @Test
    func `A limit of file descriptors that is too small is refused, and the error contains the limit`() {
        #expect(throws: DescriptorBudget.Shortage.limitTooLow(255, needed: 256)) {
            try DescriptorBudget.makeForGateway(limit: 255, hasRelay: false)
        }
        #expect(throws: DescriptorBudget.Shortage.limitTooLow(64, needed: 128)) {
            try DescriptorBudget.makeForRelay(limit: 64)
        }
        #expect(DescriptorBudget.Shortage.limitTooLow(64, needed: 128).description.contains("64"))
    }

    @Test
    func `A configured number of connections is granted if enough file descriptors remain, and else refused`() throws {
        var wishes = DescriptorBudget.Wishes()
        wishes.connections = 50
        wishes.connectionsPerAddress = 7
        wishes.relayConnections = 300
        let budget = try DescriptorBudget.makeForGateway(limit: 1_024, hasRelay: true, wishes: wishes)
        #expect((budget.connections, budget.connectionsPerAddress, budget.relayConnections) == (50, 7, 300))
        wishes.connections = 600
        #expect(throws: DescriptorBudget.Shortage.self) {
            try DescriptorBudget.makeForGateway(limit: 1_024, hasRelay: true, wishes: wishes)
        }
        wishes.connections = nil
        wishes.relayConnections = 1_000
        #expect(throws: DescriptorBudget.Shortage.self) {
            try DescriptorBudget.makeForGateway(limit: 1_024, hasRelay: true, wishes: wishes)
        }
    }

    @Test(arguments: [true, false])
    func `A configured number of open stores is granted if enough file descriptors remain for other parts`(
        hasRelay: Bool
    ) throws {
        var wishes = DescriptorBudget.Wishes()
        for count in [1, 300, 5_000] {
            wishes.openStores = count
            let budget = try DescriptorBudget.makeForGateway(
                limit: 20_000,
                hasRelay: hasRelay,
                hasFileRelay: hasRelay,
                wishes: wishes
            )
            #expect(
                budget.openStores == count
                    && countDescriptors(budget) <= 20_000 - DescriptorBudget.computeReserve(of: 20_000)
            )
            #expect(budget.connections >= DescriptorBudget.minConnections && budget.storesWithDatabases >= 20)
        }
        wishes.openStores = 6_600
        #expect(throws: DescriptorBudget.Shortage.self) {
            try DescriptorBudget.makeForGateway(limit: 20_000, hasRelay: hasRelay, wishes: wishes)
        }
    }

    @Test
    func `By default, the limit of open stores is higher than the limit of stores with open databases`() throws {
        let budget = try DescriptorBudget.makeForGateway(limit: 20_000, hasRelay: true, hasFileRelay: true)
        #expect(budget.openStores > 1_500 && budget.storesWithDatabases > 90)
        let most = try DescriptorBudget.makeForGateway(limit: 1_000_000, hasRelay: true)
        #expect(most.openStores == DescriptorBudget.maxConnections)
        #expect(most.storesWithDatabases == DescriptorBudget.maxStoresWithDatabases)
    }

    @Test
    func `The soft limit of file descriptors is raised to the hard limit`() {
        let limit = DescriptorLimit.raiseLimit()
        #expect(limit > 0 && limit == DescriptorLimit.raiseLimit())
    }
}
