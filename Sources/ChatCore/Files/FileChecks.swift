internal import Agent
internal import ChatAPI
internal import XFTP

/// Checks before a file is received.
enum FileChecks {
    /// The number of bytes by which a file on the servers may exceed the announced size. A file on the servers is
    /// larger, since it is encrypted and divided into chunks.
    private static let maxBytesOverAnnouncedSize: Int64 = 10 << 20

    /// Parses and checks the description of a file for recipients.
    /// - Parameter expected: the size in bytes that the message has announced.
    /// - Throws: `invalidFileDescription`, or `fileRcvChunk` for a file that is larger than announced.
    static func parseDescription(_ text: String, expected: Int64) throws -> FileDescription {
        let description: FileDescription
        do { description = try FileDescription(parsing: text) } catch {
            throw ChatFailure(ChatErrorType.invalidFileDescription(message: "\(error)"))
        }
        guard description.party == .recipient else {
            throw ChatFailure(ChatErrorType.invalidFileDescription(message: "not the description of a recipient"))
        }
        guard
            max(description.size, description.finalSize) <= min(expected, FileRecord.maxSize)
                + maxBytesOverAnnouncedSize
        else {
            throw ChatFailure(
                ChatErrorType.fileRcvChunk(message: "the description names a larger file than the invitation")
            )
        }
        return description
    }

    /// Checks that the user has approved all servers of the description, since each request reveals the address of this
    /// machine to a server.
    /// - Throws: `fileNotApproved`, with the servers that are not approved.
    static func requireApprovedServers(
        _ description: FileDescription,
        of fileId: Int64,
        _ user: UserRecord,
        _ agent: Agent
    ) async throws {
        let unknown = try await agent.findUnapprovedServers(of: description, for: user.agentUserId)
        guard unknown.isEmpty else {
            throw ChatFailure(
                ChatErrorType.fileNotApproved(fileId: fileId, unknownServers: unknown.map { $0.withoutPassword.str })
            )
        }
    }
}
