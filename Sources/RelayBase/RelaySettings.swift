package import Descriptors
package import SimpleXCrypto

/// The settings that relays of each kind (messages and files) have.
package protocol RelaySettings: Sendable {
    var directory: String { get }
    var host: String { get }
    var port: Int { get }
    var publicHost: String? { get }
    var createPassword: String? { get }
    var metricsPort: Int? { get }
    var metricsHost: String { get }
    var idleTimeoutSeconds: Int64 { get }
    var firstByteTimeoutSeconds: Int64 { get }
    var maxConnections: Int { get }
    var maxConnectionsPerAddress: Int { get }
    var compactionThresholdBytes: Int64 { get }
    var keyAlgorithm: SignatureAlgorithm { get }
    /// The path of the relay's log.
    var logPath: String { get }
}

extension RelaySettings {
    /// Whether anybody on another machine can create queues or files.
    package var isOpenToOtherMachines: Bool { createPassword == nil && !SourceAddress.isLoopbackHost(host) }

    /// Makes a limiter of connections with the limits in these settings.
    package func makeConnectionLimiter() -> ConnectionLimiter {
        ConnectionLimiter(limit: maxConnections, perAddress: maxConnectionsPerAddress)
    }
}
