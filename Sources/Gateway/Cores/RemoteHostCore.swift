internal import ChatAPI
internal import ChatCore
internal import ChatStore
internal import Synchronization

/// A core that sends commands to a connected phone. Commands that can run only on this machine are refused.
final class RemoteHostCore: GatewayCore {
    let id: Int64
    private let localController: ChatController
    private let connectedHost: ConnectedHost
    private let lastRevision = Atomic<UInt64>(0)

    init(_ id: Int64, _ host: ConnectedHost, of core: ChatController) {
        self.id = id
        self.connectedHost = host
        self.localController = core
    }

    /// Returns the contents of a file of the phone. Fetches the file if this gateway does not have it yet.
    func fetchContents(of fileId: Int64, user: Int64) async throws -> ChatFiles.Contents {
        guard let file = connectedHost.findFile(fileId, user: user) else {
            throw ProblemDetails(
                .notFound,
                "No message that was read in this session has such a file, or the phone has not received it."
            )
        }
        do { return try await connectedHost.openContents(of: file) } catch let refusal as ChatFiles.Refusal {
            // A damaged file may be an earlier file with the same name, so the file is fetched again.
            guard [.notFound, .damaged].contains(refusal.reason) else { throw refusal }
        }
        // The client that sent the request may see the file. So the file may be fetched with all rights.
        let fetched = await localController.send(
            .remoteControl(.getRemoteFile(remoteHostId: id, file: file)),
            with: .all
        )
        if case .error(let error) = fetched { throw ProblemDetails(error) }
        return try await connectedHost.openContents(of: file)
    }

    /// Storage for uploads until they are sent to the phone.
    var uploadStorage: ChatFiles { localController.chatFiles }

    /// Sends an upload to the phone.
    func finishUpload(
        _ upload: Upload,
        digest: [UInt8]?,
        encrypts: Bool?
    ) async throws -> (source: CryptoFile, size: Int64) {
        let size = upload.offset
        switch try await uploadStorage.finishUpload(upload, digest: digest, on: connectedHost, encrypts: encrypts) {
        case .result(let source): return (source, size)
        case .error(let error): throw ProblemDetails(error)
        }
    }

    /// The epoch of the events of this session with the phone.
    var epoch: String { connectedHost.events.epoch }

    func onEnd(_ handler: @escaping @Sendable () -> Void) { connectedHost.events.onEnd(handler) }

    var controller: ChatController? { nil }
    var status: CoreStatus { connectedHost.events.hasEnded ? .closed : .running }
    var eventSource: any EventSource { RemoteHostSource(id: id, events: connectedHost.events) }
    var areDatabasesEncrypted: Bool { localController.areDatabasesEncrypted }
    /// Each read of this property returns another number. So no answer of the phone is cached, since this gateway does
    /// not know of changes on the phone.
    var revision: UInt64 { lastRevision.wrappingAdd(1, ordering: .relaxed).newValue }

    func runCommand(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights,
        claim: RequestClaim?
    ) async -> APIResult<ChatResponse> {
        await localController.send(command, toRemoteHost: id, as: userId, with: rights, claim: claim)
    }

    /// Does nothing, since a phone sends neither scheduled messages nor broadcasts of this gateway.
    func setPlannedRightsLookup(_: @escaping @Sendable (String) -> PlannedRights) {}

    func readResource(
        _ reading: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights
    ) async -> APIResult<ChatResponse> {
        await runCommand(reading, as: userId, with: rights, claim: nil)
    }

    /// Runs at most one command, because a phone has no transactions. Does not call `isExpected`: the caller has
    /// checked the resource before, and the phone may have changed it since.
    func changeResource(
        _ commands: [ChatCommand],
        of reading: ChatCommand,
        if isExpected: @escaping @Sendable (ChatResponse) -> Bool,
        as userId: Int64?,
        with rights: CommandRights
    ) async -> APIResult<ChatResponse?> {
        guard commands.count <= 1 else {
            return .error(.error(errorType: .commandError(message: "a phone changes one member in a request")))
        }
        for command in commands {
            switch await runCommand(command, as: userId, with: rights, claim: nil) {
            case .error(let error): return .error(error)
            case .result(let response) where response.reportsMoveToOtherUser: return .result(response)
            case .result: break
            }
        }
        switch await readResource(reading, as: userId, with: rights) {
        case .error(let error): return .error(error)
        case .result(let response): return .result(response)
        }
    }

    /// Runs the command without a check of the stored resource, because a phone has no transactions. The caller has
    /// checked the resource before.
    func replaceResource(
        by command: ChatCommand,
        of reading: ChatCommand,
        if isExpected: @escaping @Sendable (ChatResponse) -> Bool,
        as userId: Int64?,
        with rights: CommandRights
    ) async -> APIResult<ChatResponse?> {
        switch await runCommand(command, as: userId, with: rights, claim: nil) {
        case .error(let error): .error(error)
        case .result(let response): .result(response)
        }
    }

    func findStoredRequest(_ key: [UInt8]) async throws -> StoredRequest? {
        try await localController.findStoredRequest(key)
    }
    func onChange(_ handler: @escaping @Sendable (ChatChange) -> Void) { connectedHost.onChange(handler) }

    func runOrderedRead(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights,
        origin: UInt64
    ) async -> APIResult<ChatResponse> {
        await localController.send(command, toRemoteHost: id, as: userId, with: rights, origin: origin)
    }
}

/// The events of a phone.
private struct RemoteHostSource: EventSource {
    let id: Int64
    let events: RemoteHostEvents

    var epoch: String { events.epoch }
    /// Nil, because the journal of a session with a phone never continues another journal.
    var originJournal: JournalOrigin? { nil }
    var oldestSeq: UInt64 { events.oldestSeq }
    var latestSeq: UInt64 { events.latestSeq }
    /// Empty, since this gateway does not know the users of the phone.
    var inactiveHiddenUsers: Set<Int64> { [] }

    func readEntries(after seq: UInt64, limit: Int) async throws -> [Event] {
        events.entries(after: seq, limit: limit).map(makeEvent)
    }
    func onPublish(_ handler: @escaping @Sendable ([Event]) -> Void) { events.onPublish { handler($0.map(makeEvent)) } }
    /// Does nothing, because the journal of a session with a phone is never replaced.
    func onJournalReplaced(_ handler: @escaping @Sendable () -> Void) {}

    private func makeEvent(_ entry: JournalEntry) -> Event {
        var event = Event(entry)
        event.remoteHostId = id
        return event
    }
}
