internal import Agent
internal import ChatAPI
internal import ChatStore
internal import NTF
internal import SimpleXCrypto
internal import SMP
internal import SQLCipher

/// Commands about pushes: the registration of the device's token, and the content of a push. The token belongs to the
/// store, not to a user.
extension RunningCommand {
    func run(_ command: NotificationCommand) async throws -> ChatResponse {
        // Like commands for messages, these commands fail if there is no user.
        _ = try await findUser(nil)
        switch command {
        case .getNtfToken:
            let token = try await services.withAgent { try await $0.fetchNotificationToken() }
            return .ntfToken(
                token: token.token.api,
                status: token.status.api,
                ntfMode: token.mode.api,
                ntfServer: token.server.str
            )
        case .registerToken(let token, let mode):
            recordExternalChange()
            guard let mode = NotificationMode(rawValue: mode.rawValue) else { throw ChatFailure.malformedCommand }
            let pushToken = try PushToken(token)
            return .ntfTokenStatus(
                status: try await services.withAgent { try await $0.registerToken(pushToken, mode: mode) }.api
            )
        case .verifyToken(let token, let nonce, let code):
            recordExternalChange()
            let (pushToken, boxNonce, box) = (
                try PushToken(token), try BoxNonce(text: nonce), try ChatFailure.decodeBase64URL(code)
            )
            try await services.withAgent { try await $0.verifyToken(pushToken, nonce: boxNonce, code: box) }
            return .cmdOk(user_: nil)
        case .checkToken(let token):
            recordExternalChange()
            let pushToken = try PushToken(token)
            return .ntfTokenStatus(status: try await services.withAgent { try await $0.checkToken(pushToken) }.api)
        case .deleteToken(let token):
            recordExternalChange()
            let pushToken = try PushToken(token)
            try await services.withAgent { try await $0.deleteToken(pushToken) }
            return .cmdOk(user_: nil)
        case .getNtfConns(let nonce, let encNtfInfo):
            return .ntfConns(
                ntfConns: try await findNotifiedConnections(
                    nonce: BoxNonce(text: nonce),
                    box: ChatFailure.decodeBase64URL(encNtfInfo)
                )
            )
        case .getConnNtfMessages(let requests):
            return .connNtfMessages(receivedMsgs: try await requestMessages(requests))
        }
    }

    /// Finds the connections for which the device got a push. Omits connections that are missing in the chat database.
    private func findNotifiedConnections(nonce: BoxNonce, box: [UInt8]) async throws -> [NtfConn] {
        let infos = try await services.withAgent { try await $0.findNotifiedConnections(nonce: nonce, box: box) }
        return try await store.read { db in
            try infos.compactMap { info in
                guard let (user, entity) = try Self.findConnectionEntity(of: info.connection, in: db) else {
                    return nil
                }
                return NtfConn(
                    user: user,
                    agentConnId: info.connection.api,
                    agentDbQueueId: info.queueID,
                    connEntity: entity,
                    expectedMsg_: info.message?.api
                )
            }
        }
    }

    private static func findConnectionEntity(
        of id: ConnectionID,
        in db: StoreConnection
    ) throws -> (User, ConnectionEntity)? {
        if let peer = try ConnectionPeer.find(agent: id, in: db) { return (peer.user.api, peer.entity) }
        guard let link = try LinkConnection.find(agent: id, in: db), let user = try UserRecord.find(link.userId, in: db)
        else { return nil }
        return (user.api, link.entity)
    }

    /// The maximum number of messages that one command may request.
    private static let maxRequestedMessages = 1_000

    private func requestMessages(_ requests: [ConnMsgReq]) async throws -> [RcvNtfMsgInfo] {
        guard !requests.isEmpty else { throw ChatFailure.malformedCommand }
        guard requests.count <= Self.maxRequestedMessages else {
            throw ChatFailure.commandError("at most \(Self.maxRequestedMessages) messages can be requested at once")
        }
        let agentRequests = try requests.map { request in
            guard let timestamp = Timestamp(parsing: request.msgTs),
                let connection = ConnectionID(api: request.msgConnId)
            else {
                throw ChatFailure.malformedCommand
            }
            return WaitingMessageRequest(
                connection: connection,
                queueID: request.msgDbQueueId,
                timestamp: timestamp.seconds
            )
        }
        return try await services.withAgent { try await $0.fetchWaitingMessages(agentRequests) }.map { result in
            switch result {
            case .success(let message): .info(ntfMsgInfo: message?.api)
            case .failure(let error): .error(ntfMsgError: error.apiError)
            }
        }
    }
}

extension ChatFailure {
    fileprivate static var malformedCommand: ChatFailure { .commandError("Failed reading: empty") }

    /// Decodes base64url text in a command. Empty text is an error.
    fileprivate static func decodeBase64URL(_ text: String) throws -> [UInt8] {
        guard let bytes = try? Base64URL.decode(text), !bytes.isEmpty else { throw ChatFailure.malformedCommand }
        return bytes
    }
}

extension BoxNonce {
    fileprivate init(text: String) throws {
        let bytes = try ChatFailure.decodeBase64URL(text)
        guard bytes.count == Self.size else { throw ChatFailure.commandError("Failed reading: empty") }
        self.init(padding: bytes)
    }
}

extension PushToken {
    /// Makes the token from the token in a command: an even number of hexadecimal digits, or the token for tests.
    fileprivate init(_ token: DeviceToken) throws {
        guard let service = PushService(rawValue: token.pushProvider.rawValue), token.isWellFormed else {
            throw ChatFailure.commandError("Failed reading: empty")
        }
        self.init(service: service, text: token.token)
    }

    fileprivate var api: DeviceToken {
        DeviceToken(pushProvider: PushProvider(rawValue: service.rawValue), token: text)
    }
}

extension NTFTokenStatus {
    fileprivate var api: NtfTknStatus { NtfTknStatus(rawValue: text) }
}

extension NotificationMode {
    fileprivate var api: NotificationsMode { NotificationsMode(rawValue: rawValue) }
}

extension NotificationMeta {
    fileprivate var api: NtfMsgInfo {
        NtfMsgInfo(msgId: BytesText.base64URL(messageID), msgTs: Timestamp(seconds: timestampSeconds).api)
    }
}
