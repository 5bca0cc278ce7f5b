internal import ChatAPI
internal import Concurrency
internal import Files

extension RunningCommand {
    /// `/_db delete`: both databases, and all files.
    func deleteStorage() async throws -> ChatResponse {
        try await maintaining {
            let (replacement, temporary) = (replacement, folders.paths.temporary)
            try await blocking { try replacement.begin() }
            try await replaceStore(.removed, key: nil, leavesObjects: true)
            try await blocking {
                for name in DiskFiles.list(temporary) { DiskFiles.remove(temporary + "/" + name) }
            }
            return .cmdOk(user_: nil)
        }
    }
}
