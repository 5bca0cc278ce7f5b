internal import ChatAPI
internal import ChatCore
internal import Concurrency
internal import JSON

/// Routes for the migration of all profiles of a store to or from another device, by a link as the apps make it.
enum MigrationsResource {
    private static let path = "/v1/database/migration"

    static let routes: [Route] = [
        makeRoute(.get, path, "getMigration", policy: .wholeStore, readMigration),
        makeRoute(
            .post,
            path,
            "createMigration",
            policy: .wholeStore.replacing(\.answers, .secret),
            problems: [.relayUnreachable, .relayTimeout, .quotaExceeded, .chatError],
            createMigration
        ).withLongWork(.cancellable),
        makeRoute(
            .post,
            path + "/finish",
            "finishMigration",
            policy: .wholeStore,
            problems: [.invalidValue, .chatError],
            finishMigration
        ),
        makeRoute(.delete, path, "cancelMigration", policy: .wholeStore, cancelMigration),
        makeRoute(
            .post,
            path + "/receive",
            "receiveMigration",
            policy: .wholeStore,
            problems: [.wrongPassphrase, .relayUnreachable, .relayTimeout, .quotaExceeded, .chatError],
            receiveMigration
        ).withLongWork(.cancellable),
    ]

    private static func makeRoute(
        _ method: HTTPMethod,
        _ template: String,
        _ id: String,
        policy: RoutePolicy,
        problems: Set<ProblemDetails.Code> = [],
        _ handler: @escaping @Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply
    ) -> Route {
        Route(
            method,
            template,
            id,
            category: "Database",
            access: .key(.admin),
            policy: policy,
            problems: problems,
            handler: handler
        )
    }

    private static func readMigration(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let migration = try context.makeMigration()
        return context.replyLater { () async throws(ProblemDetails) in
            let state = try await convertErrors { try await migration.state }
            return HTTPResponse(json: JSONValue.object(makeJSON(state)).encodeText())
        }
    }

    private static func makeJSON(_ state: DeviceMigration.State) -> JSONObject {
        switch state {
        case .none: JSONObject([("state", "none")])
        case .running: JSONObject([("state", "running")])
        case .ready(let size, let time):
            JSONObject([
                ("state", "ready"), ("size", .integer(size)), ("createdAt", .string(Timestamp(seconds: time).fullText)),
            ])
        }
    }

    // MARK: To another device

    private static func createMigration(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let body = try context.parseBody(secrets: ["passphrase"])
        guard let passphrase = try body.decodePassphraseText() else {
            throw ProblemDetails(member: "passphrase", "is missing.", .missing)
        }
        let format: ArchiveFormat = try body.decodeIfPresent("format") ?? .app
        try context.refuseUnknownNames()
        let migration = try context.makeMigration()
        let archive = ArchiveConfig(archivePath: migration.archivePath, passphrase: passphrase, format: format)
        return try context.runOnce(.memory) { _ async throws(ProblemDetails) in
            let wasRunning = context.isCoreRunning
            try await convertErrors { try await migration.beginMigration() }
            do throws(ProblemDetails) {
                _ = try await context.runCoreCommand(to: .lifecycle(.stopChat))
                let exported = try await context.runCoreCommand(to: .database(.exportArchive(config: archive)))
                let (link, size) = try await convertErrors { try await migration.uploadArchive() }
                var members = makeJSON(try await convertErrors { try await migration.state })
                members["size"] = .integer(size)
                members["link"] = .string(link.text)
                members["archiveErrors"] = exported.exportErrors
                var response = HTTPResponse(status: 201, json: JSONValue.object(members).encodeText())
                response.headers += [("Location", path), ("Cache-Control", "no-store")]
                return response
            } catch {
                await migration.endMigration()
                if wasRunning { await context.startChat() }
                throw error
            }
        }
    }

    private static func finishMigration(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let migration = try context.makeMigration()
        return try context.runOnce(.memory) { _ async throws(ProblemDetails) in
            try await convertErrors { try await migration.withdrawArchive() }
            _ = try await context.runCoreCommand(to: .lifecycle(.stopChat))
            _ = try await context.runCoreCommand(to: .database(.deleteStorage))
            await migration.endMigration()
            await context.startChat()
            return HTTPResponse(json: JSONValue.object(makeJSON(.none)).encodeText())
        }
    }

    private static func cancelMigration(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let migration = try context.makeMigration()
        return context.replyLater { () async throws(ProblemDetails) in
            try await convertErrors { try await migration.withdrawArchive() }
            await migration.endMigration()
            await context.startChat()
            return HTTPResponse(status: 204)
        }
    }

    // MARK: From another device

    private static func receiveMigration(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let body = try context.parseBody(secrets: ["passphrase"])
        let text: String = try body.decodeValue("link")
        let passphrase = try body.decodePassphraseText()
        let usesProxy: Bool? = try body.decodeIfPresent("usesProxy")
        try context.refuseUnknownNames()
        let link: MigrationLink
        do throws(MigrationFailure) { link = try MigrationLink(text) } catch { throw makeProblem(error) }
        let migration = try context.makeMigration()
        let archive = ArchiveConfig(archivePath: migration.archivePath, passphrase: passphrase)
        return try context.runOnce(.memory) { _ async throws(ProblemDetails) in
            let network = try await convertErrors {
                try await migration.resolveNetwork(of: link, usesProxy: usesProxy)
            }
            let wasRunning = context.isCoreRunning
            try await convertErrors { try await migration.beginReceiving() }
            let imported: ChatResponse
            do throws(ProblemDetails) {
                try await convertErrors { try await migration.downloadArchive(link, over: network) }
                _ = try await context.runCoreCommand(to: .lifecycle(.stopChat))
                try await convertErrors { try await migration.keepNetworkConfig(network) }
                imported = try await context.runCoreCommand(to: .database(.importArchive(config: archive)))
            } catch {
                await migration.endMigration()
                if wasRunning { await context.startChat() }
                throw error
            }
            await migration.endMigration()
            await context.startChat()
            return try context.makeAnswer(imported, .ok)
        }
    }

    // MARK: Problems

    /// Runs `body`, and throws its error as a problem.
    private static func convertErrors<T: Sendable>(
        _ body: @Sendable () async throws -> T
    ) async throws(ProblemDetails) -> T {
        do { return try await body() } catch { throw makeProblem(error) }
    }

    private static func makeProblem(_ error: any Error) -> ProblemDetails {
        switch error {
        case let failure as MigrationFailure: makeProblem(failure)
        case is CancellationError: ProblemDetails(.conflict, "The migration was cancelled.")
        case ChatArchives.Refusal.notEnoughDiskSpace:
            ProblemDetails(.storageFull, "The disk has no room for the archive.")
        case ChatArchives.Refusal.limitExceeded(let limit):
            ProblemDetails(
                quota: "archiveBytes",
                limit: limit,
                "The archives of the store can have at most \(limit) bytes together."
            )
        default: ProblemDetails(error, "The migration has failed.")
        }
    }

    private static func makeProblem(_ failure: MigrationFailure) -> ProblemDetails {
        switch failure {
        case .alreadyMigrating:
            ProblemDetails(.conflict, "A migration of this store has begun already: \(path) shows its state.")
        case .noMigration: ProblemDetails(.conflict, "There is no migration that could be finished or cancelled.")
        case .hasProfiles:
            ProblemDetails(
                .conflict,
                "The store has profiles, which the migration would replace: create a store for it, or delete the database first."
            )
        case .unusableLink(let reason): ProblemDetails(member: "link", reason + ".")
        case .proxyChoiceRequired:
            ProblemDetails(member: "usesProxy", "is missing: the link has the address of a SOCKS proxy.", .missing)
        case .archiveMissing:
            ProblemDetails(
                member: "link",
                "is no longer valid: the migration was finished or cancelled, or the link has expired."
            )
        case .archiveDamaged: ProblemDetails(.invalidValue, "The downloaded archive is damaged.")
        case .serverUnreachable(let reason):
            ProblemDetails(.relayUnreachable, "A file server cannot be used: \(reason).")
        case .timeout: ProblemDetails(.relayTimeout, "The file servers did not answer in time.")
        case .stopped: ProblemDetails(.unavailable, "The migration was stopped.")
        case .coreError(let error): ProblemDetails(error)
        }
    }
}

extension RequestBody {
    fileprivate func decodePassphraseText() throws(ProblemDetails) -> String? {
        try decodePassphrase("passphrase")?.withBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension ChatResponse {
    /// The errors of an export: the files that are missing in the archive.
    fileprivate var exportErrors: JSONValue {
        guard case .archiveExported(let errors) = self else { return [] }
        return .array(errors.compactMap { try? JSONEncoder().encodeValue($0) })
    }
}

extension RouteContext {
    fileprivate func makeMigration() throws(ProblemDetails) -> DeviceMigration {
        DeviceMigration(try requireController(), group: services.eventLoopGroup)
    }

    fileprivate var isCoreRunning: Bool { if case .running = services.core.status { true } else { false } }

    fileprivate func runCoreCommand(to command: ChatCommand) async throws(ProblemDetails) -> ChatResponse {
        switch await services.core.runCommand(command, as: nil, with: .all, claim: nil) {
        case .result(let response): return response
        case .error(let error): throw ProblemDetails(error)
        }
    }

    fileprivate func startChat() async {
        let command = LifecycleCommand.startChat(mainApp: true, enableSndFiles: true)
        _ = await services.core.runCommand(.lifecycle(command), as: nil, with: .all, claim: nil)
    }
}
