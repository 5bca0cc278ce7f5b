internal import Agent
internal import ChatAPI
internal import Concurrency
internal import Files
internal import SimpleXCrypto
internal import SQLCipher

extension RunningCommand {
    /// Makes new databases of those that an app has exported, in their place.
    /// - Returns: what was taken over; nil for an archive that is not an app's.
    func takeOverApp(_ path: String, _ passphrase: String?, _ replacement: StoreReplacement, _ key: DatabaseKey) async throws -> MovedCounts? {
        do {
            guard let chat = try await open(replacement.chat, passphrase) else { return nil }
            guard let agent = try await open(replacement.agent, passphrase) else { throw DatabaseError.wrongKey }
            let (newChat, newAgent) = (replacement.folder + "/new_chat.db", replacement.folder + "/new_agent.db")
            var (counts, connections) = try await AppChatImport.run(chat, to: newChat, key: key)
            counts.add(try await Agent.takeOver(agent, to: newAgent, key: key, connections: connections))
            try await blocking {
                for (new, old) in [(newChat, replacement.chat), (newAgent, replacement.agent)] {
                    DiskFiles.remove(Self.scratch(old))
                    DiskFiles.remove(old)
                    try DiskFiles.rename(new, to: old)
                }
            }
            return counts
        } catch let error as DatabaseError {
            throw ChatFailure(ChatError.errorDatabase(databaseError: error.reported(path, ChatDatabaseError.errorOpen)))
        } catch let error as AppArchiveError {
            throw ChatFailure(ChatErrorType.exception(message: "\(path): \(error.sentence)"))
        }
    }

    private func open(_ path: String, _ passphrase: String?) async throws -> AppDatabase? {
        try await blocking { try AppDatabase(path, passphrase: passphrase, scratch: Self.scratch(path)) }
    }

    private static func scratch(_ path: String) -> String { path + ".scratch" }
}

extension AppArchiveError {
    fileprivate var sentence: String {
        switch self {
        case .newer(let migration): "a later version of the app has written it: it has the migration \(migration)"
        case .older(let migration): "an app before version 6.4 has written it: the migration \(migration) is missing"
        case .unreadable: "a key or a queue of the app cannot be read"
        }
    }
}

extension MovedCounts {
    /// What was left behind, as the answer lists it.
    var archiveErrors: [ArchiveError] {
        left.sorted { $0.key < $1.key }.map { .import(importError: "left behind: \($0.value) × \($0.key)") }
    }
}
