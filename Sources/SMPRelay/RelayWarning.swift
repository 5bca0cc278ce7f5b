import RelayBase

/// A warning to the operator about a relay that has started.
package enum RelayWarning: Sendable, Hashable, CustomStringConvertible {
    /// Other machines can connect to the address, and no password is needed to create queues.
    case openToOtherMachines(host: String)
    /// The relay was used before, but its log is missing or empty, so all queues and messages are lost.
    case emptyLog(path: String)

    package var description: String {
        switch self {
        case .openToOtherMachines(let host):
            "the relay on \(host) can be reached by others, and anybody may create queues on it and send through it: give it a password for creating queues"
        case .emptyLog(let path):
            "the relay has an identity, but \(path) is missing or empty: it starts without any queue"
        }
    }

    /// Returns the warnings about a configuration and its folder, before the relay opens the folder.
    static func findWarnings(_ configuration: RelayConfiguration) -> [RelayWarning] {
        var warnings: [RelayWarning] = []
        if configuration.isOpenToOtherMachines { warnings.append(.openToOtherMachines(host: configuration.host)) }
        if RelayInspection.isLogLost(configuration.logPath, in: configuration.directory, LogRecord.logHeader) {
            warnings.append(.emptyLog(path: configuration.logPath))
        }
        return warnings
    }
}
