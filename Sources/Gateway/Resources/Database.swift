/// The databases as a whole.
enum Database {
    static let routes: [Route] = [
        Route(.put, "/v1/database/encryption", "apiStorageEncryption", room: "Database", access: .key(.admin)),
        Route(.post, "/v1/database/encryption/test", "testStorageEncryption", room: "Database", access: .key(.admin)),
        Route(.post, "/v1/database/export", "apiExportArchive", room: "Database", access: .key(.admin)),
        Route(.post, "/v1/database/import", "apiImportArchive", room: "Database", access: .key(.admin)),
        Route(.delete, "/v1/database", "apiDeleteStorage", room: "Database", access: .key(.admin)),
    ]
}
