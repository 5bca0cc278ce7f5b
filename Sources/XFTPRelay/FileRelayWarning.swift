import RelayBase

/// A warning to the operator about a file relay that has started.
package enum FileRelayWarning: Sendable, Hashable, CustomStringConvertible {
    /// Other machines can connect to the address, and no password is needed to create files.
    case openToOtherMachines(host: String)
    /// The relay was used before, but its log is missing or empty, so all files are lost.
    case emptyLog(path: String)
    /// Uploaded files are missing in the relay's folder.
    case missingFiles(count: Int, folder: String)

    package var description: String {
        switch self {
        case .openToOtherMachines(let host):
            "the file relay on \(host) can be reached by others, and anybody may upload files to it: give it a password for creating files"
        case .emptyLog(let path):
            "the file relay has an identity, but \(path) is missing or empty: it starts without any file"
        case .missingFiles(let count, let folder):
            "\(count) files that were uploaded to the file relay are missing in \(folder)"
        }
    }

    /// Returns the warnings about a configuration and its folder, before the relay opens the folder.
    static func findWarnings(_ configuration: FileRelayConfiguration) -> [FileRelayWarning] {
        var warnings: [FileRelayWarning] = []
        if configuration.isOpenToOtherMachines { warnings.append(.openToOtherMachines(host: configuration.host)) }
        if RelayInspection.isLogLost(configuration.logPath, in: configuration.directory, FileLogRecord.logHeader) {
            warnings.append(.emptyLog(path: configuration.logPath))
        }
        return warnings
    }
}
