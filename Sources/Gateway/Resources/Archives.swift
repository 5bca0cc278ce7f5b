internal import ChatCore
internal import Concurrency
internal import JSON

/// Routes for the contents of a store's archives. A client that cannot access the files of the machine sends archives
/// for an import, and fetches exported archives.
enum ArchivesResource {
    private static let itemPath = "/v1/database/archives/{archiveName}"
    /// The policy of the routes for one archive. A user chooses the name of an archive, so the log must not contain the
    /// name.
    private static let itemPolicy = RoutePolicy.wholeStore.replacing(\.loggedPath, .withoutParameters)
    /// Maximal number of bytes in an archive. The limits of the store and the disk usually allow less.
    private static let maxArchiveBytes: Int64 = 1 << 40

    static let routes: [Route] = [
        Route(
            .get,
            "/v1/database/archives",
            "listArchives",
            category: "Database",
            access: .key(.admin),
            policy: .wholeStore
        ) { context throws(ProblemDetails) in
            let (archives, page) = (try context.requireController().archives, try context.parsePage())
            return answerBlocking(context) {
                let list = try await runBlocking { archives.listArchives() }
                let (shown, ends) = page.selectPage(of: list) { ListPlace(text: $0.name) }
                return HTTPResponse("archives", shown.map { makeJSON($0.name, $0.size) }, ends, context)
            }
        },
        Route(
            .get,
            itemPath,
            "downloadArchive",
            category: "Database",
            access: .key(.admin),
            policy: itemPolicy.replacing(\.acceptedCredentials, .ticket)
        ) { context throws(ProblemDetails) in
            let (archives, name, request) = (
                try context.requireController().archives, try parseName(context), context.request
            )
            return answerBlocking(context) {
                try FilesResource.makeResponse(try await runBlocking { try archives.openContents(of: name) }, request)
            }
        },
        .makeUploadRoute(
            .put,
            itemPath,
            "uploadArchive",
            category: "Database",
            access: .key(.admin),
            policy: itemPolicy,
            problems: [.preconditionFailed],
            limit: maxArchiveBytes
        ) { context, body throws(ProblemDetails) in
            let (archives, name) = (try context.requireController().archives, try parseName(context))
            try context.refuseUnknownNames()
            return answerBlocking(context) {
                let upload = try await runBlocking { try archives.beginUpload() }
                do {
                    // `beginUpload` allows one upload at a time, so no other upload can add an archive with this name.
                    let isKnown = try await runBlocking { archives.listArchives().contains { $0.name == name } }
                    if isKnown { try context.request.checkMayReplace() }
                    while let part = try await body.readNext() { try await runBlocking { try upload.write(part) } }
                    let isNew = try await runBlocking { try archives.finishUpload(upload, as: name) }
                    return HTTPResponse(
                        status: isNew ? 201 : 200,
                        json: makeJSON(name, upload.receivedBytes).encodeText()
                    )
                } catch {
                    await runCleanup { upload.discard() }
                    throw error
                }
            }
        },
        Route(
            .delete,
            itemPath,
            "deleteArchive",
            category: "Database",
            access: .key(.admin),
            policy: itemPolicy
        ) { context throws(ProblemDetails) in
            let (archives, name) = (try context.requireController().archives, try parseName(context))
            return answerBlocking(context) {
                try await runBlocking { try archives.remove(name) }
                return HTTPResponse(status: 204)
            }
        },
    ]

    private static func makeJSON(_ name: String, _ size: Int64) -> JSONValue {
        ["name": .string(name), "size": .integer(size)]
    }

    private static func parseName(_ context: RouteContext) throws(ProblemDetails) -> String {
        guard let name = context.parameters["archiveName"], ChatArchives.isArchiveName(name) else {
            throw ProblemDetails(
                .invalidParameter,
                "The name of an archive must have 1 to 128 letters, digits, dots, underscores and dashes, and must not begin with a dot."
            )
        }
        return name
    }

    private static func answerBlocking(
        _ context: RouteContext,
        _ body: @escaping @Sendable () async throws -> HTTPResponse
    ) -> HTTPReply {
        context.replyLater { () async throws(ProblemDetails) in
            do { return try await body() } catch {
                throw switch error {
                case let problem as ProblemDetails: problem
                case ChatArchives.Refusal.notFound: ProblemDetails(.notFound, "There is no such archive.")
                case ChatArchives.Refusal.uploadInProgress: ProblemDetails(.conflict, "Another archive is being sent.")
                case ChatArchives.Refusal.notEnoughDiskSpace:
                    ProblemDetails(.storageFull, "The disk has no room for the archive.")
                case ChatArchives.Refusal.limitExceeded(let limit):
                    ProblemDetails(
                        quota: "archiveBytes",
                        limit: limit,
                        "The archives of the store can have at most \(limit) bytes together."
                    )
                case HTTPUpload.Failure.tooLarge:
                    ProblemDetails(.bodyTooLarge, "An archive can have at most \(maxArchiveBytes) bytes.")
                // The client has disconnected, so it does not get this answer.
                case HTTPUpload.Failure.disconnected: ProblemDetails(.malformedRequest, "The body was not complete.")
                default: ProblemDetails(error, "The archive could not be written or read.")
                }
            }
        }
    }
}
