import ChatAPI
import ChatCore
import ChatStore
import Files
import Foundation
import JSON
import Logging
import NIOPosix
import Synchronization
import TestSupport

@testable import Gateway

/// A journal in memory, for tests of HTTP only.
final class MemoryJournal: EventSource {
    let epoch: String
    let originJournal: JournalOrigin?

    init(epoch: String = "test", origin: JournalOrigin? = nil) { (self.epoch, self.originJournal) = (epoch, origin) }

    private let state = Mutex((events: [Event](), oldest: UInt64(1), reads: [Int]()))
    private let handlers = Mutex<[@Sendable ([Event]) -> Void]>([])

    let inactiveHiddenUsers: Set<Int64> = []
    var oldestSeq: UInt64 { state.withLock { $0.oldest } }
    var latestSeq: UInt64 { state.withLock { $0.events.last?.seq ?? 0 } }

    /// A function that is called before entries are read.
    let willRead = Mutex<@Sendable () -> Void>({})

    func readEntries(after seq: UInt64, limit: Int) async throws -> [Event] {
        willRead.withLock { $0 }()
        return state.withLock { state in
            let oldest = state.oldest
            let page = Array(state.events.drop { $0.seq <= seq || $0.seq < oldest }.prefix(max(0, limit)))
            state.reads.append(page.count)
            return page
        }
    }

    /// The number of entries that each read has returned.
    var readCounts: [Int] { state.withLock { $0.reads } }

    func onPublish(_ handler: @escaping @Sendable ([Event]) -> Void) { handlers.withLock { $0.append(handler) } }

    /// Keeps no handler, since no other journal replaces this one.
    func onJournalReplaced(_ handler: @escaping @Sendable () -> Void) {}

    func publish(_ types: [String], userId: Int64? = nil, audience: EventAudience? = nil) {
        publish(events: types.map { #"{"type":"\#($0)"}"# }, userId: userId, audience: audience)
    }

    func publish(
        events: [String],
        userId: Int64? = nil,
        audience: EventAudience? = nil,
        time: String = "2026-01-01T00:00:00Z"
    ) {
        handlers.withLock { handlers in
            let new = state.withLock { state -> [Event] in
                let next = (state.events.last?.seq ?? 0) + 1
                let new = events.enumerated().map { index, event in
                    Event(
                        seq: next + UInt64(index),
                        time: time,
                        userId: userId,
                        audience: audience,
                        json: Array(event.utf8)
                    )
                }
                state.events += new
                return new
            }
            for handler in handlers { handler(new) }
        }
    }

    func removeEntries(before seq: UInt64) { state.withLock { $0.oldest = seq } }
}

/// A core without databases, which has no active user.
struct MemoryCore: GatewayCore {
    let journal = MemoryJournal()
    /// The proxy of the network settings.
    let proxy = Proxy()

    final class Proxy: Sendable {
        let value = Mutex<String?>(nil)
    }

    /// A gate for the answer to `/users`, which the test opens.
    private let answerGate = AsyncStream.makeStream(of: Void.self)
    var controller: ChatController? { nil }
    var status: CoreStatus { .running }
    var eventSource: any EventSource { journal }
    var areDatabasesEncrypted: Bool { false }
    var revision: UInt64 { 0 }
    func runCommand(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights,
        claim: RequestClaim?
    ) async -> APIResult<ChatResponse> {
        if command == .users(.listUsers) { for await _ in answerGate.stream {} }
        if command == .settings(.getNetworkConfig) {
            var networkConfig = NetworkConfig.standard
            networkConfig.socksProxy = proxy.value.withLock { $0 }
            return .result(.networkConfig(networkConfig: networkConfig))
        }
        return .error(.error(errorType: .noActiveUser))
    }
    func readResource(
        _ reading: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights
    ) async -> APIResult<ChatResponse> {
        await runCommand(reading, as: userId, with: rights, claim: nil)
    }
    func changeResource(
        _ commands: [ChatCommand],
        of reading: ChatCommand,
        if isExpected: @escaping @Sendable (ChatResponse) -> Bool,
        as userId: Int64?,
        with rights: CommandRights
    ) async -> APIResult<ChatResponse?> {
        .error(.error(errorType: .noActiveUser))
    }
    func replaceResource(
        by command: ChatCommand,
        of reading: ChatCommand,
        if isExpected: @escaping @Sendable (ChatResponse) -> Bool,
        as userId: Int64?,
        with rights: CommandRights
    ) async -> APIResult<ChatResponse?> {
        .error(.error(errorType: .noActiveUser))
    }
    func openAnswerGate() { answerGate.continuation.finish() }
    /// No request is ever stored.
    func findStoredRequest(_ key: [UInt8]) async throws -> StoredRequest? { nil }
    func setPlannedRightsLookup(_: @escaping @Sendable (String) -> PlannedRights) {}
    /// Keeps no handler, since no command changes anything.
    func onChange(_ handler: @escaping @Sendable (ChatChange) -> Void) {}
    func runOrderedRead(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights,
        origin: UInt64
    ) async -> APIResult<ChatResponse> {
        .error(.error(errorType: .noActiveUser))
    }
}

/// A gateway with a separate port and data folder, which ends with the test.
struct ServedGateway {
    let port: Int
    let terminalPort: Int?
    let key: String
    let folder: String
    let core: MemoryCore

    func connectClient(key: String? = nil) async throws -> HTTPClient {
        try await .connect(port: port, key: key ?? self.key)
    }
    func connectAnonymously() async throws -> HTTPClient { try await .connect(port: port) }

    /// Waits until a valid request is answered, since a short time limit may end the first requests on a busy machine.
    func waitUntilAnswering() async throws {
        try await waitUntil("answer") { (try? await connectAnonymously().call("GET", "/livez"))?.status == 200 }
    }

    @discardableResult
    static func run<T>(
        _ change: (inout GatewayConfiguration) -> Void = { _ in },
        log: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        routes: [Route] = RouteTable.all,
        _ body: (ServedGateway) async throws -> T
    ) async throws -> T {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = GatewayConfiguration.patientConfiguration(folder: folder.path)
        change(&configuration)
        let core = MemoryCore()
        let server = try await GatewayServer.start(
            configuration,
            core: core,
            routes: routes,
            group: MultiThreadedEventLoopGroup.singleton,
            log: log
        )
        let key = String(decoding: try DiskFiles.readFile("\(folder.path)/admin.key") ?? [], as: UTF8.self)
            .trimmingNewline
        do {
            let result = try await body(
                ServedGateway(
                    port: server.port,
                    terminalPort: server.terminalPort,
                    key: key,
                    folder: folder.path,
                    core: core
                )
            )
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }
}

extension GatewayConfiguration {
    /// Configuration with any port, and with long time limits for clients on a busy machine.
    static func patientConfiguration(folder: String) -> GatewayConfiguration {
        var configuration = GatewayConfiguration(folder: folder)
        configuration.http.port = 0
        configuration.http.idleTimeoutSeconds = 600
        configuration.http.requestTimeoutSeconds = 600
        configuration.http.firstRequestTimeoutSeconds = 600
        configuration.longWorkWaitSeconds = 600
        return configuration
    }
}

struct TemporaryFolder {
    let path: String

    init(path: String) { self.path = path }

    init() throws {
        var template = Array("\(NSTemporaryDirectory())sxgw-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw RawConnection.Failure.closed }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}

extension String {
    var trimmingNewline: String { hasSuffix("\n") ? String(dropLast()) : self }
}
