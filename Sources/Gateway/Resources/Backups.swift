internal import Concurrency
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
            policy: .stores.with(\.answers, .plain)
        ) { context throws(ProblemDetails) in
            let services = context.services
            let members = try context.body(secrets: ["passphrase"])
            let target: String = try members.value("folder")
            let (store, passphrase): (String?, SecretBytes?) = (
                try members.optional("store"), try members.passphrase("passphrase")
            )
            try context.refuseUnknown()
            guard let stores = services.stores, stores.first != nil || store != nil else {
                throw ProblemDetails(.unknownRoute, "This gateway does not open its first store itself.")
            }
            guard store != StoresResource.first else {
                throw ProblemDetails(
                    .conflict,
                    "The first store cannot be copied alone: a copy of everything contains it."
                )
            }
            var backup = try FolderBackup(services.configuration, target: target)
            backup.store = store
            backup.secret = passphrase.map(BackupSecret.init)
            backup.cost = stores.settings.passwordCost
            let made = backup
            return try context.once(.stores(stores.folders.requests)) { _ async throws(ProblemDetails) in
                do {
                    let made = try await stores.backUp(made)
                    var body = JSONObject([
                        ("folder", .string(target)), ("files", .integer(Int64(made.files))),
                        ("bytes", .integer(made.bytes)),
                    ])
                    if !made.faults.isEmpty { body["faults"] = .array(made.faults.map { .string($0) }) }
                    if let elsewhere = made.elsewhere { body["elsewhere"] = .array(elsewhere.map { .string($0) }) }
                    return HTTPResponse(status: 201, json: JSONValue.object(body).encoded())
                } catch let problem as ProblemDetails {
                    throw problem
                } catch {
                    if WorkProgress.current?.isCancelled == true { throw ProblemDetails.cancelled }
                    stores.log.error("A backup could not be made.", metadata: ["error": "\(error)"])
                    throw ProblemDetails(error, "The backup could not be made: \(error)")
                }
            }
        }.doing(.cancellable),
        Route(
            .post,
            "/v1/restore",
            "restoreStore",
            category: "Stores",
            access: .firstStore([.admin, .stores]),
            policy: .stores,
            problems: [.wrongPassphrase]
        ) { context throws(ProblemDetails) in
            guard let stores = context.services.stores else {
                throw ProblemDetails(.unknownRoute, "This gateway has only one store.")
            }
            let members = try context.body(secrets: ["passphrase"])
            let (path, passphrase): (String, SecretBytes?) = (
                try members.value("backup"), try members.passphrase("passphrase")
            )
            try context.refuseUnknown()
            guard path.hasPrefix("/"), !path.contains("\0") else {
                throw ProblemDetails(member: "backup", "must be an absolute path.")
            }
            return try context.once(.stores(stores.folders.requests)) { _ async throws(ProblemDetails) in
                do {
                    let store = try await stores.restore(path, passphrase.map(BackupSecret.init))
                    var response = HTTPResponse(status: 201, json: StoresResource.json(store, stores).encoded())
                    response.headers.append(("Location", "/v1/stores/\(store.id)"))
                    return response
                } catch let problem as ProblemDetails {
                    throw problem
                } catch {
                    if WorkProgress.current?.isCancelled == true { throw ProblemDetails.cancelled }
                    stores.log.error("A store could not be restored.", metadata: ["error": "\(error)"])
                    throw ProblemDetails(error, "The store could not be restored: \(error)")
                }
            }
        }.doing(.cancellable),
    ]
}

extension ProblemDetails {
    /// The problem of a cancelled operation. Its description shows the state in place of the problem.
    fileprivate static var cancelled: ProblemDetails { ProblemDetails(.conflict, "The operation was cancelled.") }
}

extension FolderBackup {
    fileprivate init(_ configuration: GatewayConfiguration, target: String) throws(ProblemDetails) {
        let parts = target.split(separator: "/")
        guard target.hasPrefix("/"), !target.contains("\0"), !parts.isEmpty, !parts.contains("..") else {
            throw ProblemDetails(member: "folder", "must be an absolute path.")
        }
        // The path of the data folder stays as it was given, because the paths of the stores and relays begin with it.
        self.init(
            folder: configuration.folder,
            target: "/" + parts.joined(separator: "/"),
            growing: configuration.growingFiles
        )
        checks = configuration.copyChecks
    }
}
