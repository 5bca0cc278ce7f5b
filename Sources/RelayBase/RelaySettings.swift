package import Descriptors
package import SimpleXCrypto

/// The settings that each relay has.
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
    /// The path of the log.
    var logPath: String { get }
}

extension RelaySettings {
    /// Whether anybody on another machine can create queues or files.
    package var isOpenToOtherMachines: Bool { createPassword == nil && !SourceAddress.isLoopbackHost(host: host) }

    /// A count of connections with the limits of the settings.
    package var makeConnectionCount: ConnectionCount {
        ConnectionCount(limit: maxConnections, perAddress: maxConnectionsPerAddress)
    }
}
