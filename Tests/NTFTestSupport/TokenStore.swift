internal import NIOCore
internal import NIOPosix
internal import NTF
internal import SMP
internal import SimpleXCrypto
internal import Synchronization

/// Stores the tokens and subscriptions of a notification server, and executes its commands.
final class TokenStore: Sendable {
    private struct Token {
        var token: PushToken
        var key: AuthorizationKey
        var dhSecret: X25519.SharedSecret
        var dhKey: X25519.PublicKey
        var clientDHKey: X25519.PublicKey
        var code: [UInt8]
        var status = NTFTokenStatus.registered
        var intervalMinutes: UInt16 = 0
    }

    private struct Subscription {
        var tokenID: [UInt8]
        var address: NotifierAddress
        var status = NTFSubscriptionStatus.pending
        var lastNotification: NotificationData?
    }

    private struct State {
        var tokens: [[UInt8]: Token] = [:]
        var subscriptions: [[UInt8]: Subscription] = [:]
        var clients: [ProtocolServer: SMPClient] = [:]
        var commands: [String] = []
        var pushes: [NotificationServer.Push] = []
        var fault: NotificationServer.Fault?
    }

    private let state = Mutex(State())
    private let group: MultiThreadedEventLoopGroup

    init(group: MultiThreadedEventLoopGroup) { self.group = group }

    var fault: NotificationServer.Fault? {
        get { state.withLock { $0.fault } }
        set { state.withLock { $0.fault = newValue } }
    }

    var commands: [String] { state.withLock { $0.commands } }
    var tokenCount: Int { state.withLock { $0.tokens.count } }
    var subscriptionCount: Int { state.withLock { $0.subscriptions.values.count { $0.status == .active } } }
    var pushes: [NotificationServer.Push] { state.withLock { $0.pushes } }

    func recordCommand(_ command: NTFCommand) { state.withLock { $0.commands.append(command.tag) } }

    func removeAllTokens() {
        state.withLock { state in
            state.tokens = [:]
            state.subscriptions = [:]
        }
    }

    func closeClients() async {
        let clients = state.withLock { state in
            defer { state.clients = [:] }
            return Array(state.clients.values)
        }
        for client in clients { await client.close() }
    }

    // MARK: Commands

    /// Returns the key that must have signed a command; nil if the entity is unknown.
    private func key(of command: NTFCommand, _ id: [UInt8]) -> AuthorizationKey? {
        state.withLock { state in
            switch command {
            case .newToken(_, let key, _): key
            case .newSubscription(let tokenID, _, _): state.tokens[tokenID]?.key
            case .checkSubscription, .deleteSubscription:
                state.subscriptions[id].flatMap { state.tokens[$0.tokenID]?.key }
            default: state.tokens[id]?.key
            }
        }
    }

    func execute(_ received: ReceivedTransmission, _ command: NTFCommand) -> NTFResponse {
        if case .ping = command { return .pong }
        if let error = command.findCredentialsError(
            hasAuthorization: received.authorization != nil,
            hasEntity: !received.entityID.isEmpty
        ) {
            return .err(.cmd(error))
        }
        guard let unused = try? X25519.PrivateKey(), let key = key(of: command, received.entityID),
            received.isAuthorized(by: key, sessionKey: unused)
        else { return .err(.auth) }
        let id = received.entityID
        return state.withLock { state in
            switch command {
            case .newToken(let token, let key, let dhKey): return registerToken(token, key, dhKey, &state)
            case .verifyToken(let code):
                guard let token = state.tokens[id], token.code == code,
                    token.status == .registered || token.status == .active
                else { return .err(.auth) }
                state.tokens[id]?.status = .active
                return .ok
            case .checkToken: return .token(state.tokens[id]?.status ?? .expired)
            case .replaceToken(let token):
                state.tokens[id]?.token = token
                state.tokens[id]?.status = .registered
                state.tokens[id]?.code = RandomBytes.make(count: 32)
                pushCode(id, &state)
                return .ok
            case .deleteToken:
                state.tokens[id] = nil
                state.subscriptions = state.subscriptions.filter { $0.value.tokenID != id }
                return .ok
            case .setInterval(let minutes):
                guard minutes == 0 || minutes >= 20 else { return .err(.quota) }
                state.tokens[id]?.intervalMinutes = minutes
                return .ok
            case .newSubscription(let tokenID, let address, let key):
                guard state.tokens[tokenID]?.status == .active else { return .err(.auth) }
                if let known = state.subscriptions.first(where: {
                    $0.value.address == address && $0.value.tokenID == tokenID
                }) {
                    return .subscriptionID(known.key)
                }
                let id = RandomBytes.make(count: 24)
                state.subscriptions[id] = Subscription(tokenID: tokenID, address: address)
                addSubscription(id, address, key, &state)
                return .subscriptionID(id)
            case .checkSubscription: return .subscription(state.subscriptions[id]?.status ?? .deleted)
            case .deleteSubscription:
                state.subscriptions[id] = nil
                return .ok
            case .ping: return .pong
            }
        }
    }

    private func registerToken(
        _ token: PushToken,
        _ key: AuthorizationKey,
        _ clientKey: X25519.PublicKey,
        _ state: inout State
    ) -> NTFResponse {
        // If the client repeats a registration whose answer was lost, it gets the same token id again.
        if let (id, known) = state.tokens.first(where: {
            $0.value.key == key && $0.value.token == token && $0.value.clientDHKey == clientKey
        }) {
            pushCode(id, &state)
            return .tokenID(id, dhKey: known.dhKey)
        }
        guard let dhKey = try? X25519.PrivateKey(), let secret = try? dhKey.sharedSecret(with: clientKey) else {
            return .err(.crypto)
        }
        let id = RandomBytes.make(count: 24)
        state.tokens[id] = Token(
            token: token,
            key: key,
            dhSecret: secret,
            dhKey: dhKey.publicKey,
            clientDHKey: clientKey,
            code: RandomBytes.make(count: 32)
        )
        pushCode(id, &state)
        return .tokenID(id, dhKey: dhKey.publicKey)
    }

    private func pushCode(_ id: [UInt8], _ state: inout State) {
        guard let token = state.tokens[id], token.token.service != .null else { return }
        let nonce = BoxNonce.random()
        guard let box = try? NotificationBox.sealContent(token.code, secret: token.dhSecret, nonce: nonce) else {
            return
        }
        state.pushes.append(
            NotificationServer.Push(
                token: token.token,
                kind: .verification,
                nonce: nonce.rawRepresentation,
                sealedContent: box
            )
        )
    }

    // MARK: Relays

    private func addSubscription(
        _ id: [UInt8],
        _ address: NotifierAddress,
        _ key: AuthorizationPrivateKey,
        _ state: inout State
    ) {
        // The timeouts are long, so that the client does not repeat the subscription on a busy machine.
        var configuration = SMPClientConfiguration()
        (configuration.transport.connectTimeout, configuration.transport.responseTimeout) = (.minutes(10), .minutes(10))
        let client =
            state.clients[address.server]
            ?? SMPClient(server: address.server, configuration: configuration, group: group) { [weak self] event in
                if case .notification(let notifierID, let nonce, let encMeta) = event {
                    self?.recordNotification(
                        NotifierAddress(server: address.server, notifierID: notifierID),
                        nonce,
                        encMeta
                    )
                }
            }
        state.clients[address.server] = client
        Task {
            do throws(SMPClientError) {
                try await client.subscribeToNotifications(notifierID: address.notifierID, key: key)
                self.state.withLock { $0.subscriptions[id]?.status = .active }
            } catch {
                self.state.withLock { $0.subscriptions[id]?.status = error == .smp(.auth) ? .auth : .error("\(error)") }
            }
        }
    }

    /// Handles the notification of a message (NMSG) that a relay has sent: makes a push for each subscription to the
    /// queue.
    private func recordNotification(_ address: NotifierAddress, _ nonce: BoxNonce, _ encMeta: [UInt8]) {
        let news = NotificationData(address: address, timestamp: 1_700_000_000, nonce: nonce, encMeta: encMeta)
        state.withLock { state in
            for (id, one) in state.subscriptions where one.address == address {
                state.subscriptions[id]?.lastNotification = news
                guard let push = makePush([news], to: one.tokenID, state) else { continue }
                state.pushes.append(push)
            }
        }
    }

    private func makePush(_ news: [NotificationData], to tokenID: [UInt8], _ state: State) -> NotificationServer.Push? {
        guard let token = state.tokens[tokenID], token.status == .active else { return nil }
        let nonce = BoxNonce.random()
        guard let box = try? NotificationBox.sealNotifications(news, secret: token.dhSecret, nonce: nonce) else {
            return nil
        }
        return NotificationServer.Push(
            token: token.token,
            kind: .message,
            nonce: nonce.rawRepresentation,
            sealedContent: box
        )
    }

    func makePushForAll() -> NotificationServer.Push? {
        state.withLock { state in
            let news = state.subscriptions.values.compactMap(\.lastNotification)
            guard let id = state.subscriptions.values.first?.tokenID, !news.isEmpty else { return nil }
            return makePush(news, to: id, state)
        }
    }
}
