import ChatAPI
import Dispatch
import JSON
import Synchronization
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

/// Commands that replace a resource, if the resource is still the expected one.
@Suite(.socketTimeLimit) struct ReplacedResourceTests {
    /// Marks that transactions set.
    private final class TransactionMarks: Sendable {
        let hasBegun = Mutex(false)
        let checkCount = Mutex(0)
    }

    private static let appSettings = ChatCommand.settings(.getSettings(settings: nil))

    private func readResource(_ core: Core, _ command: ChatCommand) async throws -> ChatResponse {
        switch await core.controller.readResource(command, as: nil, with: .all) {
        case .result(let response): return response
        case .error(let error): throw ChatFailure(error)
        }
    }

    private func jsonText(_ response: ChatResponse) -> String {
        (try? JSONEncoder().encodeValue(response))?.text ?? ""
    }

    @Test
    func `A conditional command replaces settings, servers or operators only if their present state is as expected`()
        async throws
    {
        let alice = try await World.makeAlice()
        let settings = try await readResource(alice, Self.appSettings)
        let (operators, servers) = (
            try await readResource(alice, .servers(.getServerOperators)),
            try await readResource(alice, .servers(.getUserServers(userId: 1)))
        )
        guard case .appSettings(var changed) = settings, case .serverOperatorConditions(let conditions) = operators,
            case .userServers(_, let lists) = servers
        else { return #expect(Bool(false)) }
        changed.privacyLinkPreviews = changed.privacyLinkPreviews == false
        for (command, reading, state) in [
            (.settings(.saveSettings(settings: changed)), Self.appSettings, settings),
            (
                .servers(.setServerOperators(operators: conditions.serverOperators)),
                .servers(.getServerOperators), operators
            ),
            (.servers(.setUserServers(userId: 1, userServers: lists)), .servers(.getUserServers(userId: 1)), servers),
        ] as [(ChatCommand, ChatCommand, ChatResponse)] {
            let expected = jsonText(state)
            for isExpected in [false, true] {
                let answer = await alice.controller.replaceResource(
                    by: command,
                    of: reading,
                    if: { isExpected && jsonText($0) == expected },
                    as: 1,
                    with: .all
                )
                guard case .result(let response) = answer else { return #expect(Bool(false), "\(answer)") }
                #expect((response != nil) == isExpected, "\(command.name)")
                if !isExpected {
                    #expect(jsonText(try await readResource(alice, reading)) == expected, "\(command.name)")
                }
            }
        }
        #expect(jsonText(try await readResource(alice, Self.appSettings)) != jsonText(settings))
        await alice.controller.close()
    }

    @Test
    func `A change that is stored between the check and the transaction of a conditional command is not overwritten`()
        async throws
    {
        let alice = try await World.makeAlice()
        let reading = ChatCommand.settings(.getNetworkConfig)
        guard case .networkConfig(let config) = try await readResource(alice, reading) else {
            return #expect(Bool(false))
        }
        var (mine, theirs) = (config, config)
        mine.tcpTimeoutPerKb += 1
        theirs.tcpTimeoutPerKb += 2
        let stored = try StoredJSON.encode(theirs)
        let checked = DispatchSemaphore(value: 0)
        let marks = TransactionMarks()
        // The transaction of the other command has begun, and ends after the first check.
        async let other: Void = alice.controller.store.write { tx in
            marks.hasBegun.withLock { $0 = true }
            _ = checked.wait(timeout: .now() + 60)
            try tx.db.execute("INSERT OR REPLACE INTO settings (name, value) VALUES ('network_config', ?)", [stored])
        }
        try await waitUntil("the other transaction has begun") { marks.hasBegun.withLock { $0 } }
        let expected = jsonText(.networkConfig(networkConfig: config))
        let answer = await alice.controller.changeResource(
            [.settings(.setNetworkConfig(networkConfig: mine))],
            of: reading,
            if: { present in
                let number = marks.checkCount.withLock { count in
                    count += 1
                    return count
                }
                if number == 1 { checked.signal() }
                return jsonText(present) == expected
            },
            as: nil,
            with: .all
        )
        try await other
        guard case .result(nil) = answer else { return #expect(Bool(false), "\(answer)") }
        #expect(jsonText(try await readResource(alice, reading)) == jsonText(.networkConfig(networkConfig: theirs)))
        await alice.controller.close()
    }

    @Test
    func `The condition of a command is checked each time the command's first transaction runs`() async throws {
        let alice = try await World.makeAlice()
        let store = alice.controller.store
        let context = CommandContext(Self.appSettings) { _ in false }
        for _ in 1...2 {
            await #expect(throws: ChatFailure.self) { try await store.read { try context.checkCondition($0) } }
            #expect(context.isRefused)
        }
        context.removeCondition()
        try await store.read { try context.checkCondition($0) }
        await alice.controller.close()
    }
}
