internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher
internal import SimpleXCrypto

/// The test of a chat relay. The relay must answer a request to its address, with a signature by the key of the
/// address.
extension RunningCommand {
    /// The step at which a test has failed, and the error.
    private struct RelayTestFault: Sendable {
        let step: RelayTestStep
        let error: ChatError

        init(_ step: RelayTestStep, _ error: ChatError) {
            self.step = step
            self.error = error
        }

        init(_ step: RelayTestStep, _ text: String) {
            self.init(step, .error(errorType: .relayTestError(message: text)))
        }

        /// Makes a fault from an error of the agent or of the core.
        /// - Throws: any other error.
        init(_ step: RelayTestStep, _ error: any Error) throws {
            switch error {
            case let error as AgentError: self.init(step, .agentError(error.apiError))
            case let failure as ChatFailure: self.init(step, failure.error)
            default: throw error
            }
        }
    }

    /// `/_relay test`: tests the relay at an address.
    func testChatRelay(_ address: String, user: UserRecord) async throws -> ChatResponse {
        guard let link = ChatRelays.parseLink(address) else { throw ChatFailure.commandError("Failed reading: empty") }
        @Sendable func result(_ profile: RelayProfile?, _ failure: RelayTestFault?) -> ChatResponse {
            .chatRelayTestResult(
                user: user.api,
                relayProfile: profile,
                relayTestFailure: failure.map { RelayTestFailure(rtfStep: $0.step, rtfError: $0.error) }
            )
        }
        let found: (request: ConnectionRequest, data: LinkUserData, signers: LinkSigners)
        do {
            found = try await services.withAgent {
                try await $0.fetchLinkData(user: user.agentUserId, link, patience: .interactive)
            }
        } catch {
            return result(nil, try RelayTestFault(.getLink, error))
        }
        guard case .contact(let contact) = found.data,
            let known: RelayLinkUserData = ShortLinkData.decode(contact.userData)
        else {
            return result(nil, RelayTestFault(.decodeLink, "the link is not that of a relay"))
        }
        let profile = RelayProfile(known.relayProfile)
        let id: ConnectionID
        do {
            id = try await services.withAgent {
                try await $0.prepareJoin(user: user.agentUserId, request: found.request, pqSupport: false)
            }
        } catch {
            return result(profile, try RelayTestFault(.connect, error))
        }
        try await store.write { tx in
            try tx.db.insert(into: "relay_tests", ["agent_conn_id": id.text, "user_id": user.userId])
        }
        do {
            let failure = try await sendChallenge(id, found.request, found.signers.rootKey)
            return try await store.writeAndAnswer { tx in
                try Self.endRelayTest(id, user, tx)
                return result(profile, failure)
            }
        } catch {
            try await store.write { tx in try Self.endRelayTest(id, user, tx) }
            throw error
        }
    }

    private static func endRelayTest(_ id: ConnectionID, _ user: UserRecord, _ tx: Transaction) throws {
        try tx.db.execute("DELETE FROM relay_tests WHERE agent_conn_id = ?", [id.text])
        try tx.requestDeletionInAgent(of: id.text, user: user.userId)
    }

    /// Sends a challenge to the relay, and checks the answer.
    /// - Returns: the fault of the relay; nil after a valid answer.
    private func sendChallenge(
        _ id: ConnectionID,
        _ request: ConnectionRequest,
        _ rootKey: Ed25519.PublicKey
    ) async throws -> RelayTestFault? {
        let challenge = RandomBytes.make(count: 32)
        let answers = services.relayTestRegistry.beginTest(id)
        defer { services.relayTestRegistry.endTest(id) }
        do {
            let info = try ChatMessage(event: .relay(.test(challenge: challenge, signature: nil)))
                .encoded(limit: ChatMessageLimits.connectionInfoBytes)
            _ = try await services.withAgent {
                try await $0.join(connection: id, request: request, connInfo: info, patience: .interactive)
            }
        } catch {
            return try RelayTestFault(.connect, error)
        }
        let registry = services.relayTestRegistry
        let timer = Task { [patience = services.configuration.relayTestTimeout] in
            // If the relay has not answered when the sleep ends, the test has failed.
            try await Task.sleep(for: patience)
            registry.endTest(id)
        }
        defer { timer.cancel() }
        for await answer in answers { return Self.checkAnswer(in: answer, to: challenge, rootKey) }
        return RelayTestFault(.waitResponse, "timeout")
    }

    private static func checkAnswer(
        in answer: [UInt8],
        to challenge: [UInt8],
        _ rootKey: Ed25519.PublicKey
    ) -> RelayTestFault? {
        guard case .success(.message(let message)) = MessageBody.parseFirst(of: answer) else {
            return RelayTestFault(.waitResponse, .error(errorType: .exception(message: "the message cannot be read")))
        }
        guard case .relay(.test(_, let signature)) = message.event else {
            return RelayTestFault(.waitResponse, "the relay answered with another message")
        }
        guard let signature else { return RelayTestFault(.verify, "the relay answered without a signature") }
        // The relay must have signed the challenge of this test. The answer also contains a challenge, which proves
        // nothing and is ignored.
        guard rootKey.isValidSignature(signature, for: challenge) else {
            return RelayTestFault(.verify, "invalid signature")
        }
        return nil
    }
}

extension RelayProfile {
    init(_ profile: Profile) {
        self.init(
            displayName: profile.displayName,
            fullName: profile.fullName,
            shortDescr: profile.shortDescr,
            image: profile.image
        )
    }
}
