import ChatCore
import Concurrency
import Logging
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("The core of a store")
struct StoreCoreTests {
    private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func openController(_ folder: TemporaryFolder) async throws -> ChatController {
        let chat = ChatConfiguration(
            dataDirectory: folder.path,
            databaseKey: .raw([UInt8](repeating: 7, count: 32)),
            servers: []
        )
        return try await ChatController.open(chat, group: MultiThreadedEventLoopGroup.singleton)
    }

    private func refusesCommands(_ core: StoreCore) async -> Bool {
        let answer = await core.runCommand(.lifecycle(.checkChatRunning), as: nil, with: .all, claim: nil)
        guard case .error(let error) = answer else { return false }
        return error == .error(errorType: .chatStoreChanged)
    }

    @Test
    func `The core of a store that is not open refuses commands and has no events`() async throws {
        let core = StoreCore(log: log)
        #expect(core.controller == nil && core.status == .closed)
        #expect(await refusesCommands(core))
        #expect(core.eventSource.latestSeq == 0 && core.eventSource.oldestSeq == 1)
        #expect(try await core.eventSource.readEntries(after: 0, limit: 10).isEmpty)
        await #expect(throws: (any Error).self) { try await core.findStoredRequest([1]) }
    }

    @Test
    func `The core of a store refuses commands as soon as the closing of the core begins`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let controller = try await openController(folder)
        let core = StoreCore(controller, log: log)
        #expect(core.status == .stopped)
        #expect(await !refusesCommands(core))
        core.refuseCommands(.storeLocked)
        #expect(core.controller == nil && core.status == .closed)
        #expect(await refusesCommands(core))
        await controller.endCommands(within: .zero)
        #expect(await refusesCommands(StoreCore(controller, log: log)))
        await core.closeDatabases(patience: .zero)
        #expect(!controller.isReady)
    }

    @Test
    func `The opening of new databases does not count as progress of the command that replaces the databases`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let followed = Mutex<[Bool]>([])
        let core = StoreCore(try await openController(folder), log: log) { [self] in
            followed.withLock { $0.append(WorkProgress.currentProgress != nil) }
            return try await openController(folder)
        }
        core.eventSource.onJournalReplaced { followed.withLock { $0.append(WorkProgress.currentProgress != nil) } }
        await WorkProgress.$currentProgress.withValue(WorkProgress(isCancellable: false)) {
            _ = await core.runCommand(.database(.deleteStorage), as: nil, with: .all, claim: nil)
        }
        #expect(followed.withLock { $0 } == [false, false])
        core.refuseCommands(.storeLocked)
        await core.closeDatabases(patience: .zero)
    }

    @Test
    func `If a core is closed while its databases are replaced, the core also closes the new databases`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let door = WakeSignal()
        let new = Mutex<ChatController?>(nil)
        let core = StoreCore(try await openController(folder), log: log) { [self] in
            _ = await door.waitForSignal()
            let controller = try await openController(folder)
            new.withLock { $0 = controller }
            return controller
        }
        async let answer = core.runCommand(.database(.deleteStorage), as: nil, with: .all, claim: nil)
        try await waitUntil("the databases are replaced") { core.controller == nil }
        #expect(await refusesCommands(core))
        core.refuseCommands(.storeLocked)
        async let closing: Void = core.closeDatabases(patience: .zero)
        door.wake()
        _ = await (answer, closing)
        #expect(try #require(new.withLock { $0 }).isReady == false)
    }
}
