import Clocks
package import NTF
package import SMP
import SQLCipher
package import SimpleXCrypto

/// The registered push token of the device, with its status.
package struct NotificationToken: Hashable, Sendable {
    package var token: PushToken
    package var status: NTFTokenStatus
    package var mode: NotificationMode
    package var server: ProtocolServer
}

/// The device's token. It is registered with a notification server, verified by a code that the server pushes, and then
/// used for pushes.
///
/// simplexmq `protocol/push-notifications.md`, "Register device token to receive push notifications". Each step is
/// stored before its attempt. ``registerToken(_:mode:)`` continues with an unfinished step.
extension Agent {
    /// Returns the registered token.
    /// - Throws: `AgentError.command(.prohibited)` when no token is registered.
    package func fetchNotificationToken() async throws -> NotificationToken {
        guard let stored = try await database.read({ db in try StoredToken.find(db) }) else {
            throw AgentError.command(.prohibited, context: "getNtfToken")
        }
        return NotificationToken(token: stored.token, status: stored.status, mode: stored.mode, server: stored.server)
    }

    /// Registers a push token, or replaces the registered token by this token. If this token is registered already,
    /// does its next step: registration, verification or check. Also stores the mode.
    /// - Returns: the present status of the token.
    package func registerToken(_ token: PushToken, mode: NotificationMode) async throws -> NTFTokenStatus {
        try await pushTokenLock.runLocked { try await registerWithoutLock(token, mode) }
    }

    private func registerWithoutLock(_ token: PushToken, _ mode: NotificationMode) async throws -> NTFTokenStatus {
        guard var stored = try await database.read({ db in try StoredToken.find(db) }) else {
            return try await createToken(token, mode)
        }
        let status: NTFTokenStatus
        switch (stored.id, stored.action) {
        case (nil, _):
            stored.token = token
            status = try await sendRegistration(stored)
        case (let id?, _) where stored.token != token:
            do { status = try await replaceToken(stored, id, token) } catch let error as AgentError
                where !error.isTemporaryForNotifications
            {
                guard error != .inactive else { throw error }
                // The server refuses the change, because it no longer knows the former token. So the new token is
                // registered as the first one.
                try await database.write { db in try StoredToken.remove(db) }
                return try await createToken(token, mode)
            }
        case (_?, nil), (_?, .register): status = try await sendRegistration(stored)
        case (let id?, .verify(let code)): status = try await sendVerification(stored, id, code)
        case (let id?, .check):
            let found = try await requireOnline().notifications.sessions.withSession(
                stored.server,
                patience: .interactive
            ) {
                [stored] session in
                try await session.checkToken(id, key: stored.key, patience: .interactive)
            }
            stored.status = found
            stored.action = found == .active ? .check : nil
            try await storeToken(stored, isIntervalDue: found == .active)
            status = found
        }
        try await database.write { db in
            guard var now = try StoredToken.find(db) else { return }
            now.mode = mode
            try now.storeToken(db)
        }
        (try? requireOnline())?.notifications.startRound()
        return status
    }

    private func createToken(_ token: PushToken, _ mode: NotificationMode) async throws -> NTFTokenStatus {
        _ = try requireOnline()
        guard let server = configuration.notificationServers.randomElement() else {
            throw AgentError.command(.prohibited, context: "createToken")
        }
        return try await sendRegistration(StoredToken(token, server: server, mode: mode))
    }

    /// Registers the token at the server (TNEW). If the registration is repeated with the same key, the server returns
    /// the same id and pushes another code.
    private func sendRegistration(_ token: StoredToken) async throws -> NTFTokenStatus {
        var token = token
        token.action = token.id == nil ? .register : token.action
        try await storeToken(token)
        let (id, serverKey) = try await requireOnline().notifications.sessions.withSession(
            token.server,
            patience: .interactive
        ) {
            [token] session in
            try await session.registerToken(
                token.token,
                key: token.key,
                dhKey: token.dhKey.publicKey,
                patience: .interactive
            )
        }
        guard let secret = try? token.dhKey.sharedSecret(with: serverKey) else {
            throw AgentError.broker(server: token.server.withoutPassword.str, .response("token key"))
        }
        token.id = id
        token.dhSecret = secret
        token.status = .registered
        token.action = nil
        try await storeToken(token)
        return .registered
    }

    /// Replaces the token at the server (TRPL).
    private func replaceToken(_ stored: StoredToken, _ id: [UInt8], _ token: PushToken) async throws -> NTFTokenStatus {
        try await requireOnline().notifications.sessions.withSession(stored.server, patience: .interactive) { session in
            try await session.sendExpectingOK(.replaceToken(token), of: id, key: stored.key, patience: .interactive)
        }
        var stored = stored
        stored.token = token
        stored.status = .registered
        stored.action = nil
        try await storeToken(stored)
        return .registered
    }

    /// Verifies the registered token with the code that was pushed to the device.
    /// - Parameters:
    ///   - nonce: the nonce of the push.
    ///   - code: the code in the push, still encrypted.
    package func verifyToken(_ token: PushToken, nonce: BoxNonce, code: [UInt8]) async throws {
        try await pushTokenLock.runLocked {
            guard var stored = try await database.read({ db in try StoredToken.find(db) }), let id = stored.id,
                let secret = stored.dhSecret
            else {
                throw AgentError.command(.prohibited, context: "verifyNtfToken: no token")
            }
            guard stored.token == token else {
                throw AgentError.command(.prohibited, context: "verifyNtfToken: another token is registered")
            }
            guard let code = try? NotificationBox.openContent(code, secret: secret, nonce: nonce) else {
                throw AgentError.agent(.crypto(.decryptCB))
            }
            stored.status = .confirmed
            stored.action = .verify(code: code)
            try await storeToken(stored)
            _ = try await sendVerification(stored, id, code)
            (try? requireOnline())?.notifications.startRound()
        }
    }

    /// Sends the code that was pushed to the device to the notification server, which verifies the token (TVFY).
    private func sendVerification(_ stored: StoredToken, _ id: [UInt8], _ code: [UInt8]) async throws -> NTFTokenStatus
    {
        do {
            try await requireOnline().notifications.sessions.withSession(stored.server, patience: .interactive) {
                session in
                try await session.sendExpectingOK(
                    .verifyToken(code: code),
                    of: id,
                    key: stored.key,
                    patience: .interactive
                )
            }
        } catch AgentError.ntf(let server, .auth) {
            // The server refuses the code: the code is wrong, or the server has lost the token. A new registration
            // makes the server push another code.
            try await database.write { db in try StoredToken.remove(db) }
            _ = try await createToken(stored.token, stored.mode)
            throw AgentError.ntf(server: server, .auth)
        }
        var stored = stored
        stored.status = .active
        stored.action = .check
        try await storeToken(stored, isIntervalDue: true)
        return .active
    }

    /// Requests the status of the token from the server (TCHK).
    package func checkToken(_ token: PushToken) async throws -> NTFTokenStatus {
        try await pushTokenLock.runLocked {
            guard var stored = try await database.read({ db in try StoredToken.find(db) }), let id = stored.id else {
                throw AgentError.command(.prohibited, context: "checkNtfToken: no token")
            }
            guard stored.token == token else {
                throw AgentError.command(.prohibited, context: "checkNtfToken: another token is registered")
            }
            let status = try await requireOnline().notifications.sessions.withSession(
                stored.server,
                patience: .interactive
            ) {
                [stored] session in
                try await session.checkToken(id, key: stored.key, patience: .interactive)
            }
            stored.status = status
            switch status {
            case .invalid, .expired: stored.action = nil
            default: break
            }
            try await storeToken(stored)
            (try? requireOnline())?.notifications.startRound()
            return status
        }
    }

    /// Deletes the token on this machine. The agent deletes the token on its notification server, and the notifiers on
    /// their relays, as soon as these servers are reachable.
    package func deleteToken(_ token: PushToken) async throws {
        try await pushTokenLock.runLocked {
            try await database.write { db in
                guard let stored = try StoredToken.find(db) else {
                    throw AgentError.command(.prohibited, context: "deleteNtfToken: no token")
                }
                try stored.moveToDeleted(at: WallClock.seconds(), db)
            }
            (try? requireOnline())?.notifications.startRound()
        }
    }

    private func storeToken(_ token: StoredToken, isIntervalDue: Bool = false) async throws {
        try await database.write { db in
            try token.storeToken(db)
            if isIntervalDue { try StoredToken.storePushIntervalDue(isDue: true, db) }
        }
    }

    /// Starts a round of ``NotificationWorker``, which enables and disables pushes for connections. Call this function
    /// after a change of the connections that cause pushes.
    package func startNotificationRound() { (try? requireOnline())?.notifications.startRound() }

    /// Tests a notification server: registers a token that gets no pushes, and deletes it.
    func testNotificationServer(_ server: ProtocolServer, _ patience: Patience) async throws -> ServerTestFailure? {
        var step = ServerTestFailure.Step.connect
        do {
            let session = try await requireOnline().clients.openNotificationSession(server, patience: patience)
            defer { Task { await session.closeAndWait() } }
            let key = AuthorizationPrivateKey.ed25519(try Ed25519.PrivateKey())
            step = .createNtfToken
            let (id, _) = try await session.registerToken(
                .serverTestToken,
                key: key,
                dhKey: try X25519.PrivateKey().publicKey,
                patience: patience
            )
            step = .deleteNtfToken
            try await session.sendExpectingOK(.deleteToken, of: id, key: key, patience: patience)
            return nil
        } catch let error as SMPClientError {
            return ServerTestFailure(step: step, error: AgentError(error, server: server))
        }
    }
}
