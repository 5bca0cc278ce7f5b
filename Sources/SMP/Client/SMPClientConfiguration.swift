package import Concurrency
package import NIOCore
package import Transport

/// The settings of a client, such as time limits and versions.
package struct SMPClientConfiguration: Sendable {
    /// The settings of connections to relays.
    package var transport = TransportConfiguration()
    /// Time without received bytes after which a session sends a PING; zero for no PING.
    package var pingInterval: TimeAmount = .seconds(60)
    /// Number of timeouts in sequence, without any received byte, after which the session is closed; 0 for no limit.
    package var maxSilentTimeouts = 2
    /// A gate that is closed while there is no network. The client waits at the gate before it reconnects; nil for no
    /// gate.
    package var networkGate: NetworkGate?
    /// Maximal number of queues in one batch of subscriptions.
    package var subscriptionBatchSize = 900
    /// The delays between attempts to reconnect.
    package var reconnectBackoff = Backoff(
        initial: .milliseconds(500),
        factor: 1.7,
        limit: .seconds(120),
        jitter: 0.75...1.25
    )
    package var versions = SupportedVersions.client
    /// Whether TLS offers the protocol `smp/1`. Without this offer relays speak version 6.
    package var offersApplicationProtocol = true
    /// Whether the client is a relay that forwards the commands of its clients. Blocks are then encrypted only by TLS.
    package var isProxy = false
    /// The certificate of a client that is a service. It is not sent to relays before version 16.
    package var serviceCredentials: ServiceCredentials?

    package init() {}

    package func connectTimeout(_ patience: Patience) -> TimeAmount {
        switch patience {
        case .background: transport.connectTimeout
        case .interactive: (transport.interactiveConnectTimeout ?? transport.connectTimeout).scaledForAttempt
        }
    }

    package func responseTimeout(_ patience: Patience) -> TimeAmount {
        switch patience {
        case .background: transport.responseTimeout
        case .interactive: (transport.interactiveResponseTimeout ?? transport.responseTimeout).scaledForAttempt
        }
    }
}

extension TimeAmount {
    /// This time limit, lengthened according to the number of earlier attempts of the present command.
    fileprivate var scaledForAttempt: TimeAmount {
        let (numerator, denominator) = CommandAttempt.timeoutFactor
        let (longer, isTooLong) = nanoseconds.multipliedReportingOverflow(by: numerator)
        return isTooLong ? self : .nanoseconds(longer / denominator)
    }
}
