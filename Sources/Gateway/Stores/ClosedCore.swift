internal import ChatAPI
internal import ChatCore

/// The core that a gateway without an open store uses.
struct ClosedCore: GatewayCore {
    private struct Closed: Error {}

    var isReady: Bool { false }
    var revision: UInt64 { 0 }
    var eventSource: any EventSource { NoEvents() }
    var networkInfo: UserNetworkInfo { .unsaid }
    var isEncrypted: Bool { false }
    func send(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights,
        claim: RequestClaim?
    ) async -> APIResult<ChatResponse> {
        refusal
    }
    func read(
        _ command: ChatCommand,
        as userId: Int64?,
        with rights: CommandRights,
        origin: UInt64
    ) async -> APIResult<ChatResponse> {
        refusal
    }
    func storedRequest(_ key: [UInt8]) async throws -> StoredRequest? { throw Closed() }
    func onChange(_ handler: @escaping @Sendable (ChatChange) -> Void) {}

    private var refusal: APIResult<ChatResponse> { .error(.error(errorType: .chatStoreChanged)) }
}

private struct NoEvents: EventSource {
    let epoch = ""
    let oldest: UInt64 = 1
    let latest: UInt64 = 0
    func entries(after seq: UInt64, limit: Int) async throws -> [Event] { [] }
    func onPublish(_ handler: @escaping @Sendable ([Event]) -> Void) {}
}
