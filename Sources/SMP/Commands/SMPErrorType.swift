/// The error of a relay in ERR, and of the relay behind it in a proxy's ERR.
///
/// simplexmq `protocol/simplex-messaging.md`, "Error responses"; names as in the API's JSON. The binary form is that of
/// the ``SMPCodable`` conformance, the textual one ``text``; they differ only where a BROKER error carries a string.
public indirect enum SMPErrorType: Error, Hashable, Sendable {
    /// The block cannot be parsed, or its signature has another size than the key needs.
    case block
    /// Another session id than that of this session.
    case session
    case cmd(SMPCommandError)
    case proxy(SMPProxyError)
    /// Bad authorization, or no such queue.
    case auth
    /// The queue was blocked by the operator of the relay.
    case blocked(SMPBlockingInfo)
    case service
    case crypto
    /// The queue is full: no message is accepted until the recipient has received all that wait.
    case quota
    case store(String)
    case expired
    /// ACK, or GET, without a message.
    case noMsg
    case largeMsg
    case `internal`
    /// From version 20: why a name does not lead anywhere.
    case name(SMPNameError)
    /// Never sent by a relay.
    case duplicate
}

/// The text of ERR CMD.
public enum SMPCommandError: String, Error, Hashable, Sendable, CaseIterable {
    case unknown = "UNKNOWN"
    case syntax = "SYNTAX"
    case prohibited = "PROHIBITED"
    case noAuth = "NO_AUTH"
    case hasAuth = "HAS_AUTH"
    case noEntity = "NO_ENTITY"
}

public enum SMPNameError: Error, Hashable, Sendable {
    /// The relay has no resolver.
    case noResolver
    /// There is no such name.
    case notFound
    /// The resolver answered incorrectly; it may do better another time.
    case resolver(String)
}

public enum SMPProxyError: Error, Hashable, Sendable {
    case `protocol`(SMPErrorType)
    case broker(SMPBrokerError)
    case basicAuth
    case noSession
}

/// Reason why communication with a relay has failed.
public enum SMPBrokerError: Error, Hashable, Sendable {
    case response(String)
    case unexpected(String)
    /// The detail is never sent, since old clients cannot read it.
    case network(SMPNetworkError)
    case host
    case noService
    case transport(SMPTransportError)
    case timeout
}

public enum SMPNetworkError: Error, Hashable, Sendable {
    case connect(String)
    case tls(String)
    case unknownCA
    case failed
    case timeout
    case subscribe(String)
}

/// A fault of the layer below commands.
public enum SMPTransportError: Error, Hashable, Sendable {
    case badBlock
    /// No version in common.
    case version
    case largeMsg
    case badSession
    /// The server sent no key although the version has one.
    case noServerAuth
    case handshake(SMPHandshakeError)
}

public enum SMPHandshakeError: String, Error, Hashable, Sendable, CaseIterable {
    case parse = "PARSE"
    case identity = "IDENTITY"
    case badAuth = "BAD_AUTH"
    case badService = "BAD_SERVICE"
}

public struct SMPBlockingInfo: Hashable, Sendable {
    public enum Reason: String, Sendable, CaseIterable {
        case spam, content
    }
    public var reason: Reason
    /// JSON object, from SMP version 18.
    public var notice: String?

    public init(reason: Reason, notice: String? = nil) {
        self.reason = reason
        self.notice = notice
    }
}

extension SMPErrorType {
    /// The error for clients of this version: errors that they do not know are replaced.
    public func downgraded(to version: SMPVersion) -> SMPErrorType {
        guard case .blocked(let info) = self else { return self }
        if version < .blockedQueues { return .auth }
        return version < .clientNotices ? .blocked(SMPBlockingInfo(reason: info.reason)) : self
    }
}
