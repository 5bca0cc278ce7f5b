internal import ChatAPI

extension ChatController {
    /// `/_db delete`: both databases, and all files.
    func deleteStorage() async throws -> ChatResponse {
        try await maintaining {
            let (replacement, temporary) = (replacement, folders.paths.temporary)
            try await Self.blocking { try replacement.begin() }
            try await replaceStore(.removed, key: nil)
            try await Self.blocking {
                for name in DiskFiles.list(temporary) { DiskFiles.remove(temporary + "/" + name) }
            }
            return .cmdOk(user_: nil)
        }
    }
}
