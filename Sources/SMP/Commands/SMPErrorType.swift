/// An error that a relay sends in ERR. If a proxy sends ERR, the error can also come from the relay behind the proxy.
///
/// simplexmq `protocol/simplex-messaging.md`, "Error responses". The names of the cases come from the API's JSON. The
/// ``SMPCodable`` conformance has the binary form, and ``text`` the textual form. The two forms differ only if a BROKER
/// error contains a string.
package indirect enum SMPErrorType: Error, Hashable, Sendable {
    /// The block cannot be parsed, or the signature has the wrong size for the key.
    case block
    /// The transmission has the id of another session.
    case session
    case cmd(SMPCommandError)
    case proxy(SMPProxyError)
    /// The authorization is wrong, or there is no such queue.
    case auth
    /// The queue was blocked by the operator of the relay.
    case blocked(SMPBlockingInfo)
    case service
    case crypto
    /// The queue is full. No message is accepted until the recipient has received all waiting messages.
    case quota
    case store(String)
    case expired
    /// ACK or GET was sent, but there is no message.
    case noMsg
    case largeMsg
    case `internal`
    /// The reason why a name cannot be resolved (from version 20).
    case name(SMPNameError)
    /// The original defines this error, but no relay sends it.
    case duplicate
}

/// The reason why a relay refuses a command (ERR CMD).
package enum SMPCommandError: String, Error, Hashable, Sendable, CaseIterable {
    case unknown = "UNKNOWN"
    case syntax = "SYNTAX"
    case prohibited = "PROHIBITED"
    case noAuth = "NO_AUTH"
    case hasAuth = "HAS_AUTH"
    case noEntity = "NO_ENTITY"
}

package enum SMPNameError: Error, Hashable, Sendable {
    /// The relay has no resolver.
    case noResolver
    /// The requested name does not exist.
    case notFound
    /// The resolver answered incorrectly. A later attempt may succeed.
    case resolver(String)
}

package enum SMPProxyError: Error, Hashable, Sendable {
    case `protocol`(SMPErrorType)
    case broker(SMPBrokerError)
    case basicAuth
    case noSession
}

/// The reason why communication with a relay has failed.
package enum SMPBrokerError: Error, Hashable, Sendable {
    case response(String)
    case unexpected(String)
    /// The network failed. The detail of the error is never sent, since old clients cannot read it.
    case network(SMPNetworkError)
    case host
    case noService
    case transport(SMPTransportError)
    case timeout
}

package enum SMPNetworkError: Error, Hashable, Sendable {
    case connect(String)
    case tls(String)
    case unknownCA
    case failed
    case timeout
    case subscribe(String)
}

/// An error in the handshake or in the blocks of a session, below the level of commands.
package enum SMPTransportError: Error, Hashable, Sendable {
    case badBlock
    /// Client and server have no version in common.
    case version
    case largeMsg
    case badSession
    /// The server sent no key, but the agreed version needs a key.
    case noServerAuth
    case handshake(SMPHandshakeError)
}

package enum SMPHandshakeError: String, Error, Hashable, Sendable, CaseIterable {
    case parse = "PARSE"
    case identity = "IDENTITY"
    case badAuth = "BAD_AUTH"
    case badService = "BAD_SERVICE"
}

package struct SMPBlockingInfo: Hashable, Sendable {
    package enum Reason: String, Sendable, CaseIterable {
        case spam, content
    }
    package var reason: Reason
    /// A notice for the client (from SMP version 18): a JSON object.
    package var notice: String?

    package init(reason: Reason, notice: String? = nil) {
        self.reason = reason
        self.notice = notice
    }
}

extension SMPErrorType {
    /// Returns this error in a form that clients of `version` know.
    package func downgraded(to version: SMPVersion) -> SMPErrorType {
        guard case .blocked(let info) = self else { return self }
        if version < .firstWithBlockedQueues { return .auth }
        return version < .firstWithClientNotices ? .blocked(SMPBlockingInfo(reason: info.reason)) : self
    }
}
