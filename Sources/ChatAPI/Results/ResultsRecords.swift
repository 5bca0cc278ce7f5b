/// The result of connecting to a chat relay of a group.
package struct RelayConnectionResult: Codable, Hashable, Sendable {
    package var relayMember: GroupMember
    package var relayError: ChatError?

    package init(relayMember: GroupMember, relayError: ChatError? = nil) {
        self.relayMember = relayMember
        self.relayError = relayError
    }
}

/// The result of subscribing to a connection: success, or an error.
package struct ConnSubResult: Codable, Hashable, Sendable {
    package var agentConnId: String
    package var connSubError: ChatError?
}

/// The result of adding a chat relay to a group.
package struct AddRelayResult: Codable, Hashable, Sendable {
    package var relay: UserChatRelay
    package var relayError: ChatError?

    package init(relay: UserChatRelay, relayError: ChatError? = nil) {
        self.relay = relay
        self.relayError = relayError
    }
}

/// The step at which testing a server failed, and the error.
package struct ProtocolTestFailure: Codable, Hashable, Sendable {
    package var testStep: ProtocolTestStep
    package var testError: AgentErrorType

    package init(testStep: ProtocolTestStep, testError: AgentErrorType) {
        self.testStep = testStep
        self.testError = testError
    }
}
