internal import ChatAPI

/// The databases as a whole.
enum Database {
    static let routes: [Route] = [
        .command(.put, "/v1/database/encryption", "apiStorageEncryption", room: "Database", access: .key(.admin)) { context throws(ProblemDetails) in
            .database(.storageEncryption(config: try context.body().whole()))
        },
        .command(.post, "/v1/database/encryption/test", "testStorageEncryption", room: "Database", access: .key(.admin)) { context throws(ProblemDetails) in
            .database(.testStorageEncryption(key: try context.body().value("key")))
        },
        .command(.post, "/v1/database/export", "apiExportArchive", room: "Database", access: .key(.admin)) { context throws(ProblemDetails) in
            .database(.exportArchive(config: try context.body().whole(as: ArchiveConfig.self)))
        },
        .command(.post, "/v1/database/import", "apiImportArchive", room: "Database", access: .key(.admin)) { context throws(ProblemDetails) in
            .database(.importArchive(config: try context.body().whole()))
        },
        .command(.delete, "/v1/database", "apiDeleteStorage", room: "Database", access: .key(.admin)) { _ throws(ProblemDetails) in
            .database(.deleteStorage)
        },
    ]
}
