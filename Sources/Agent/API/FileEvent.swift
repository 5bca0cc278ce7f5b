public import XFTP

/// News of a file. ``sent(sender:recipients:)``, ``received(_:)`` and the two errors come again after each start until ``Agent/forgetFile(_:)``.
public enum FileEvent: Sendable {
    /// Bytes of the encrypted file that are on servers. At most ten a second.
    case sendProgress(sent: Int64, total: Int64)
    /// The whole file is on servers. The sender's description serves to delete the file there.
    /// Each recipient gets one of the other descriptions.
    case sent(sender: FileDescription, recipients: [FileDescription])
    /// The file cannot be sent at present. Sending is tried again.
    case sendWarning(AgentError)
    /// Sending the file was given up.
    case sendError(AgentError)
    /// Bytes of the encrypted file that have come. At most ten a second.
    case receiveProgress(received: Int64, total: Int64)
    /// The whole file is at its target path and synced to the disk.
    case received(LocalFile)
    case receiveWarning(AgentError)
    case receiveError(AgentError)
}

/// Reason why a file cannot be sent or received; `FileErrorType` of the API.
public enum AgentFileError: Hashable, Sendable {
    /// Servers, by their addresses, that are not the user's and would learn the address of this machine.
    case notApproved([String])
    case size
    /// The redirect leads to a file that does not match the redirect.
    case redirect(String)
    /// A file on this machine cannot be read or written, or what was received does not decrypt.
    case fileIO(String)
    case noFile
}
