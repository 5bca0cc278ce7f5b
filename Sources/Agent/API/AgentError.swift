package import SMP
package import XFTP

/// Error of the agent. Each case corresponds to a case of `AgentErrorType` of the API.
package enum AgentError: Error, Hashable, Sendable {
    /// The call is not allowed in the present state, or one of its arguments is invalid (`CMD`).
    case command(AgentCommandError, context: String)
    /// The connection does not exist, or is not in the state that the call needs (`CONN`).
    case connection(AgentConnectionError, context: String)
    case noUser
    /// The relay answered ERR.
    case smp(server: String, SMPErrorType)
    /// The notification server answered ERR.
    case ntf(server: String, SMPErrorType)
    /// The file server answered ERR.
    case xftp(server: String, XFTPServerError)
    case file(AgentFileError)
    /// A forwarding relay failed, or reported an error of the destination relay.
    case proxy(ProxyFailure)
    /// The communication with the relay has failed, for example because the relay cannot be reached.
    case broker(server: String, SMPBrokerError)
    /// The peer's message violates the protocol (`AGENT`).
    case agent(AgentProtocolError)
    /// A relay has blocked queues of this agent, so the agent creates no new address on this relay before `expiresAt`
    /// (seconds since 1970; nil for no end). `server` is the first host of the relay. All preset relays count as one
    /// relay. So if `isPreset` is true, the blocked queues can be on another preset relay.
    case notice(server: String, isPreset: Bool, expiresAt: Int64?)
    case `internal`(String)
    /// The agent is stopped.
    case inactive

    init(_ error: SMPClientError, server: ProtocolServer) {
        let address = server.withoutPassword.str
        self =
            switch error {
            case .smp(let error) where server.scheme == .ntf: .ntf(server: address, error)
            case .smp(let error): .smp(server: address, error)
            case .proxy(let failure): .proxy(failure)
            default: .broker(server: address, error.brokerError ?? .network(.failed))
            }
    }

    init(_ error: XFTPClientError, server: ProtocolServer) {
        let address = server.withoutPassword.str
        self =
            switch error {
            case .xftp(let error): .xftp(server: address, error)
            case .broker(let error): .broker(server: address, error)
            case .crypto(let error): .internal("\(error)")
            }
    }
}

package enum AgentCommandError: String, Hashable, Sendable {
    case prohibited = "PROHIBITED", syntax = "SYNTAX", noConnection = "NO_CONN", size = "SIZE", large = "LARGE"
}

package enum AgentConnectionError: String, Hashable, Sendable {
    case notFound = "NOT_FOUND", duplicate = "DUPLICATE", simplex = "SIMPLEX", notAccepted = "NOT_ACCEPTED",
        notAvailable = "NOT_AVAILABLE"
}

/// Violation of the protocol by the peer; `SMPAgentError` of the API.
package enum AgentProtocolError: Hashable, Sendable {
    case message
    case prohibited(String)
    case version
    case crypto(AgentCryptoFailure)
    case duplicate
    case queue(String)
    /// The data of a short link do not match the link.
    case link(String)
}

/// Reason why a message does not decrypt; `AgentCryptoError` of the API.
package enum AgentCryptoFailure: Hashable, Sendable {
    case decryptAES
    /// The outer layer of the message cannot be decrypted: the encryption of the queue, not of the ratchet.
    case decryptCB
    case ratchetHeader
    /// The message comes before the last received message. The value is the difference of their numbers.
    case ratchetEarlier(UInt32)
    case ratchetSkipped(UInt64)
    case ratchetSync

    init(_ error: RatchetError) {
        self =
            switch error {
            case .undecryptableHeader, .malformedHeader: .ratchetHeader
            case .earlierMessage(let number): .ratchetEarlier(number)
            case .tooManySkipped(let count): .ratchetSkipped(count)
            case .duplicateMessage: .ratchetEarlier(0)
            case .crypto: .decryptAES
            default: .ratchetSync
            }
    }
}
