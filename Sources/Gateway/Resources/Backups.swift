internal import Concurrency
internal import Files
internal import JSON
internal import SimpleXCrypto

/// Routes for backups of the data folder, and of single stores.
enum BackupsResource {
    static let routes: [Route] = [
        Route(
            .post,
            "/v1/backup",
            "createBackup",
            category: "Operations",
            access: .firstStore([.admin, .stores]),
            policy: .storeManagement.replacing(\.answers, .plain)
        ) { context throws(ProblemDetails) in
            let services = context.services
            let members = try context.parseBody(secrets: ["passphrase"])
            let target: String = try members.decodeValue("folder")
            let (store, passphrase): (String?, SecretBytes?) = (
                try members.decodeIfPresent("store"), try members.decodePassphrase("passphrase")
            )
            let base: String? = try members.decodeIfPresent("base")
            try context.refuseUnknownNames()
            guard let stores = services.storeHost, stores.firstStore != nil || store != nil else {
                throw ProblemDetails(.unknownRoute, "This gateway does not open its first store itself.")
            }
            guard store != StoreID.firstStore else {
                throw ProblemDetails(
                    .conflict,
                    "The first store cannot be copied alone: a copy of everything contains it."
                )
            }
            var backup = FolderBackup(services.configuration, target: try parseAbsolutePath(target, "folder"))
            if let base {
                guard passphrase == nil else {
                    throw ProblemDetails(
                        member: "base",
                        "cannot be given with passphrase: an encrypted copy shares no files."
                    )
                }
                backup.earlierCopy = try parseAbsolutePath(base, "base")
            }
            backup.storeID = store
            backup.encryptionSecret = passphrase.map(BackupSecret.init)
            backup.passwordCost = stores.settings.appPasswordCost
            let made = backup
            return try context.runOnce(.storeFolder(stores.folders.storeRequestAnswers)) {
                _ async throws(ProblemDetails) in
                do {
                    if let base = made.earlierCopy,
                        try await !runBlocking({ DiskFiles.isFile(base + "/" + CopyChecksums.fileName) })
                    {
                        throw ProblemDetails(
                            member: "base",
                            "is not a complete copy: it has no \(CopyChecksums.fileName)."
                        )
                    }
                    let made = try await stores.backUp(made)
                    var body = JSONObject([
                        ("folder", .string(target)), ("files", .integer(Int64(made.fileCount))),
                        ("bytes", .integer(made.byteCount)), ("shared", .integer(Int64(made.sharedFileCount))),
                    ])
                    if !made.faults.isEmpty { body["faults"] = .array(made.faults.map { .string($0) }) }
                    if !made.storesLeftOut.isEmpty { body["leftOut"] = .array(made.storesLeftOut.map { .string($0) }) }
                    if let elsewhere = made.storesElsewhere {
                        body["elsewhere"] = .array(elsewhere.map { .string($0) })
                    }
                    return HTTPResponse(status: 201, json: JSONValue.object(body).encodeText())
                } catch let problem as ProblemDetails {
                    throw problem
                } catch {
                    if WorkProgress.currentProgress?.isCancelled == true {
                        throw ProblemDetails.cancelledOperationProblem
                    }
                    stores.log.error("A backup could not be made.", metadata: ["error": "\(error)"])
                    throw ProblemDetails(error, "The backup could not be made: \(error)")
                }
            }
        }.withLongWork(.cancellable),
        Route(
            .post,
            "/v1/restore",
            "restoreStore",
            category: "Stores",
            access: .firstStore([.admin, .stores]),
            policy: .storeManagement,
            problems: [.wrongPassphrase]
        ) { context throws(ProblemDetails) in
            guard let stores = context.services.storeHost else {
                throw ProblemDetails(.unknownRoute, "This gateway has only one store.")
            }
            let members = try context.parseBody(secrets: ["passphrase"])
            let (path, passphrase): (String, SecretBytes?) = (
                try members.decodeValue("backup"), try members.decodePassphrase("passphrase")
            )
            try context.refuseUnknownNames()
            guard path.hasPrefix("/"), !path.contains("\0") else {
                throw ProblemDetails(member: "backup", "must be an absolute path.")
            }
            return try context.runOnce(.storeFolder(stores.folders.storeRequestAnswers)) {
                _ async throws(ProblemDetails) in
                do {
                    let store = try await stores.restoreStore(path, passphrase.map(BackupSecret.init))
                    var response = HTTPResponse(status: 201, json: StoresResource.makeJSON(store, stores).encodeText())
                    response.headers.append(("Location", "/v1/stores/\(store.id)"))
                    return response
                } catch let problem as ProblemDetails {
                    throw problem
                } catch {
                    if WorkProgress.currentProgress?.isCancelled == true {
                        throw ProblemDetails.cancelledOperationProblem
                    }
                    stores.log.error("A store could not be restored.", metadata: ["error": "\(error)"])
                    throw ProblemDetails(error, "The store could not be restored: \(error)")
                }
            }
        }.withLongWork(.cancellable),
    ]

    /// Returns an absolute path without repeated slashes.
    private static func parseAbsolutePath(_ path: String, _ member: String) throws(ProblemDetails) -> String {
        let parts = path.split(separator: "/")
        guard path.hasPrefix("/"), !path.contains("\0"), !parts.isEmpty, !parts.contains("..") else {
            throw ProblemDetails(member: member, "must be an absolute path.")
        }
        return "/" + parts.joined(separator: "/")
    }
}

extension ProblemDetails {
    /// The problem that ends a cancelled operation. The description of the operation shows its state instead of this
    /// problem.
    fileprivate static var cancelledOperationProblem: ProblemDetails {
        ProblemDetails(.conflict, "The operation was cancelled.")
    }
}
