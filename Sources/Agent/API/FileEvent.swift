package import XFTP

/// An event of a file. Each start emits ``sent(sender:recipients:)``, ``received(_:)``, ``sendError(_:)`` and
/// ``receiveError(_:)`` again until the caller has called ``Agent/forgetFile(_:)``.
package enum FileEvent: Sendable {
    /// Number of bytes of the encrypted file that are on servers. The agent emits the event at most ten times a second.
    case sendProgress(sent: Int64, total: Int64)
    /// The whole file is on servers. The sender's description can be used to delete the file there. Each recipient gets
    /// one of the other descriptions.
    case sent(sender: FileDescription, recipients: [FileDescription])
    /// The file cannot be sent at present. The agent tries again.
    case sendWarning(AgentError)
    /// The agent has given up the sending of the file.
    case sendError(AgentError)
    /// Number of received bytes of the encrypted file. The agent emits the event at most ten times a second.
    case receiveProgress(received: Int64, total: Int64)
    /// The whole file is at its target path and synced to the disk.
    case received(LocalFile)
    case receiveWarning(AgentError)
    case receiveError(AgentError)
}

/// Reason why a file cannot be sent or received; `FileErrorType` of the API.
package enum AgentFileError: Hashable, Sendable {
    /// Servers that do not belong to the user would learn the IP address of this machine without the user's approval.
    /// The value contains the addresses of these servers.
    case notApproved([String])
    case size
    /// A redirect (a description that leads to another description) cannot be followed, for example because the size or
    /// digest of the other description does not match.
    case redirect(String)
    /// A file on this machine cannot be read or written, or the received data does not decrypt.
    case fileIO(String)
    case noFile
}
