internal import ChatAPI
internal import ChatCore
internal import JSON

/// Routes for maintenance of a store's databases: export, import, encryption, deletion.
enum DatabaseResource {
    static let routes: [Route] =
        [
            .makeCommandRoute(
                .put,
                "/v1/database/encryption",
                "setDatabaseEncryption",
                .storageEncryption,
                category: "Database",
                policy: .wholeStore,
                problems: [.wrongPassphrase]
            ) { context throws(ProblemDetails) in
                .database(.storageEncryption(config: try context.parseBody().decodeWholeBody()))
            }.withLongWork(.cancellable),
            .makeCommandRoute(
                .post,
                "/v1/database/encryption/test",
                "testDatabaseKey",
                .testStorageEncryption,
                category: "Database",
                policy: .wholeStore,
                problems: [.wrongPassphrase]
            ) { context throws(ProblemDetails) in
                .database(.testStorageEncryption(key: try context.parseBody().decodeValue("key")))
            },
            .makeCommandRoute(
                .post,
                "/v1/database/export",
                "exportArchive",
                .exportArchive,
                category: "Database",
                policy: .wholeStore,
                problems: [.wrongPassphrase]
            ) { context throws(ProblemDetails) in
                var config = try parseArchive(context)
                config.whileRunning = true
                return .database(.exportArchive(config: config))
            }.withLongWork(.cancellable),
            .makeCommandRoute(
                .post,
                "/v1/database/import",
                "importArchive",
                .importArchive,
                category: "Database",
                policy: .wholeStore,
                problems: [.wrongPassphrase]
            ) { context throws(ProblemDetails) in
                .database(.importArchive(config: try parseArchive(context)))
            }.withLongWork(.cancellable),
            .makeCommandRoute(
                .delete,
                "/v1/database",
                "deleteDatabase",
                .deleteStorage,
                category: "Database",
                policy: .wholeStore,
                problems: [.wrongPassphrase]
            ) { _ throws(ProblemDetails) in
                .database(.deleteStorage)
            },
            Route(
                .delete,
                "/v1/database/files",
                "deleteFiles",
                category: "Database",
                access: .key(.admin),
                policy: .wholeStore
            ) { context throws(ProblemDetails) in
                let files = try context.requireController().chatFiles
                return context.replyLater { () async throws(ProblemDetails) in
                    let count: Int64
                    do { count = try await files.deleteAllContents() } catch {
                        throw ProblemDetails(error, "The files were not deleted.")
                    }
                    return HTTPResponse(json: JSONValue.object(JSONObject([("files", .integer(count))])).encodeText())
                }
            },
        ] + ArchivesResource.routes + MigrationsResource.routes

    /// Reads the archive in a body. A name without a path means one of the archives that clients send and fetch.
    private static func parseArchive(_ context: RouteContext) throws(ProblemDetails) -> ArchiveConfig {
        var config = try context.parseBody().decodeWholeBody(as: ArchiveConfig.self)
        if ChatArchives.isArchiveName(config.archivePath), let archives = context.services.core.controller?.archives {
            config.archivePath = archives.path(of: config.archivePath)
        }
        return config
    }
}
