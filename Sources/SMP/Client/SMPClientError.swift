/// The reason why a command to a relay has failed.
package enum SMPClientError: Error, Hashable, Sendable {
    /// There is no connection, or the connection broke before the answer. The command may have been executed.
    case network(SMPNetworkError)
    /// The relay did not answer in time.
    case timeout
    /// TLS or the handshake failed, or the relay sent data that is not a block of this session.
    case transport(SMPTransportError)
    /// The relay answered with an error (ERR).
    case smp(SMPErrorType)
    /// An answer that cannot be parsed or decrypted.
    case response(String)
    /// A well-formed answer that does not belong to the command; the text is its first word.
    case unexpected(String)
    /// A command could not be forwarded: the proxy failed, or the proxy reported an error of its session with the relay
    /// behind it. An ERR of the relay behind the proxy is reported as ``smp(_:)``.
    indirect case proxy(ProxyFailure)
    /// The relay has no host of the required kind.
    case incompatibleHost
    /// The client was closed.
    case closed

    /// Whether the same command may succeed later without any action of a person. The result is false for a full queue
    /// (`QUOTA`), which has a separate waiting time.
    package var isTemporary: Bool {
        switch self {
        // A wrong identity or a bad certificate is also temporary. An attacker on the network path may be gone later,
        // and an operator renews an expired certificate.
        case .network, .timeout, .closed: true
        case .transport(.badBlock), .transport(.badSession): true
        case .transport: false
        case .smp(let error): error.isTemporary
        case .proxy(let failure): failure.isTemporary
        case .response, .unexpected, .incompatibleHost: false
        }
    }

    /// Whether the error means that the relay cannot be reached: its host is not found, or client and relay have no
    /// version in common. A command that failed through a proxy may then be sent directly, if the policy allows it.
    package var isHostFault: Bool {
        switch self {
        case .smp(.proxy(.broker(let error))): error.isHostFault
        case .proxy(let failure): failure.brokerError?.isHostFault ?? false
        default: brokerError?.isHostFault ?? false
        }
    }

    /// The error in the form of the agent's API; nil for ``smp(_:)`` and ``proxy(_:)``, for which the API has other
    /// forms.
    package var brokerError: SMPBrokerError? {
        switch self {
        case .network(let error): .network(error)
        case .timeout: .timeout
        case .transport(let error): .transport(error)
        case .smp, .proxy: nil
        case .response(let detail): .response(detail)
        case .unexpected(let detail): .unexpected(detail)
        case .incompatibleHost: .host
        case .closed: .network(.failed)
        }
    }
}

extension SMPErrorType {
    /// Whether the same command may succeed later, because the relay may answer differently.
    package var isTemporary: Bool {
        switch self {
        case .proxy(.broker(.network)), .proxy(.broker(.timeout)), .proxy(.noSession), .store, .internal: true
        default: false
        }
    }
}

extension SMPBrokerError {
    /// Whether this error means that the relay cannot be reached with its present hosts or versions.
    package var isHostFault: Bool {
        switch self {
        case .host, .transport(.version): true
        default: false
        }
    }
}

extension SMPClientError {
    /// The error that a proxy sends to its client when this error occurs between the proxy and the other relay.
    package var proxyError: SMPErrorType {
        switch self {
        case .smp(let error): .proxy(.protocol(error))
        // The connection between the proxy and the relay was closed. This is reported as a network error, because
        // senders with the original software drop the message on INTERNAL.
        case .closed: .proxy(.broker(.network(.failed)))
        case .proxy: .internal
        default: brokerError.map { .proxy(.broker($0)) } ?? .internal
        }
    }
}
