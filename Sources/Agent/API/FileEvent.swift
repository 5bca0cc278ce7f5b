public import XFTP

/// An event of a file. ``sent(sender:recipients:)``, ``received(_:)`` and the two errors are emitted again after each
/// start until ``Agent/forgetFile(_:)``.
public enum FileEvent: Sendable {
    /// Number of bytes of the encrypted file that are on servers. It is emitted at most ten times a second.
    case sendProgress(sent: Int64, total: Int64)
    /// The whole file is on servers. The sender's description serves to delete the file there.
    /// Each recipient gets one of the other descriptions.
    case sent(sender: FileDescription, recipients: [FileDescription])
    /// The file cannot be sent at present. Sending is tried again.
    case sendWarning(AgentError)
    /// Sending the file was given up.
    case sendError(AgentError)
    /// Number of bytes of the encrypted file that were received. It is emitted at most ten times a second.
    case receiveProgress(received: Int64, total: Int64)
    /// The whole file is at its target path and synced to the disk.
    case received(LocalFile)
    case receiveWarning(AgentError)
    case receiveError(AgentError)
}

/// Reason why a file cannot be sent or received; `FileErrorType` of the API.
public enum AgentFileError: Hashable, Sendable {
    /// Addresses of servers that are not the user's and would learn the address of this machine.
    case notApproved([String])
    case size
    /// The redirect leads to a file that does not match the redirect.
    case redirect(String)
    /// A file on this machine cannot be read or written, or the received data does not decrypt.
    case fileIO(String)
    case noFile
}
