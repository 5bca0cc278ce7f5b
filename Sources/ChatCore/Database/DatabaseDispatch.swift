internal import ChatAPI

extension RunningCommand {
    func run(_ command: DatabaseCommand) async throws -> ChatResponse {
        switch command {
        case .storageEncryption(let config): try await changeEncryption(config)
        case .testStorageEncryption(let key): try await testEncryption(key)
        case .exportArchive(let config): try await exportArchive(config)
        case .importArchive(let config): try await importArchive(config)
        case .deleteStorage: try await deleteStorage()
        }
    }
}
