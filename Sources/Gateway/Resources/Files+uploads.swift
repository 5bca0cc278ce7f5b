internal import ChatAPI
internal import ChatCore
internal import ChatStore
internal import Concurrency
internal import JSON
internal import SimpleXCrypto

/// Uploads of files for messages. A client sends the bytes of a file in one request, or in several requests by the IETF
/// draft "Resumable Uploads for HTTP" (`draft-ietf-httpbis-resumable-upload`), with `Upload-Complete`, `Upload-Offset`
/// and `Upload-Length`.
extension FilesResource {
    /// The header fields and the client of an upload.
    private struct UploadTerms: Sendable {
        var isComplete = true
        var offset: Int64?
        var length: Int64?
        var digest: [UInt8]?
        /// The id of the client's key; nil without a key.
        let keyID: String?
        /// Whether the client sees only a part of the store, and must not learn the names of other files.
        let hidesNames: Bool

        init(_ context: RouteContext) throws(ProblemDetails) {
            let (request, principal) = (context.request, context.principal)
            keyID = principal?.keyID
            hidesNames = principal?.userId != nil || principal?.chats != nil
            switch request.header("upload-complete") {
            case nil, "?1": isComplete = true
            case "?0": isComplete = false
            default: throw ProblemDetails(parameter: "Upload-Complete", "must be ?1 or ?0.")
            }
            offset = try UploadTerms.parseNumber("upload-offset", request)
            length = try UploadTerms.parseNumber("upload-length", request)
            if let length, length > ChatFiles.sizeLimit {
                throw ProblemDetails(.bodyTooLarge, "A file can have at most \(ChatFiles.sizeLimit) bytes.")
            }
            guard let text = request.header("repr-digest") else { return }
            guard text.hasPrefix("sha-256=:"), text.hasSuffix(":"),
                let bytes = try? Base64.decode(text.dropFirst(9).dropLast()), bytes.count == 32
            else {
                throw ProblemDetails(parameter: "Repr-Digest", "must be sha-256=:<base64>:.")
            }
            digest = bytes
        }

        private static func parseNumber(_ name: String, _ request: HTTPRequest) throws(ProblemDetails) -> Int64? {
            guard let text = request.header(name) else { return nil }
            guard let number = Int64(wholeNumber: text), number >= 0 else {
                throw ProblemDetails(parameter: name, "must be a whole number.")
            }
            return number
        }
    }

    // MARK: Routes

    static func receiveUpload(_ context: RouteContext, _ body: HTTPUpload) throws(ProblemDetails) -> HTTPReply {
        let user = try context.parseID("userId")
        let name = context.readParameter("name")
        let encrypts =
            context.readParameter("encrypted") == nil ? nil : try context.parseFlag("encrypted", default: true)
        try context.refuseUnknownNames()
        var terms = try UploadTerms(context)
        guard terms.offset ?? 0 == 0 else {
            throw ProblemDetails(
                .malformedRequest,
                "A new upload must begin at 0. An earlier upload is continued at its own URL."
            )
        }
        terms.offset = nil
        let phone = context.services.core as? RemoteHostCore
        guard phone == nil || terms.isComplete else {
            throw ProblemDetails(.malformedRequest, "A file for a phone must be sent in one request.")
        }
        let files: ChatFiles = if let phone { phone.uploadStorage } else { try context.requireController().chatFiles }
        let type = context.request.header("content-type") ?? ""
        var form: MultipartReader?
        if type.lowercased().hasPrefix("multipart/form-data") {
            guard let reader = MultipartReader(contentType: type) else {
                throw ProblemDetails(.malformedBody, "The form has no boundary.")
            }
            guard terms.isComplete else {
                throw ProblemDetails(.malformedRequest, "A form must be sent in one request.")
            }
            form = reader
        } else if name == nil {
            throw ProblemDetails(parameter: "name", "is missing: the name of the file.", .missing)
        }
        let (source, request) = (form, context.request)
        let sealed = try context.makeSealedAnswerRequest()
        return .later { [terms] in
            await answerConvertingErrors(request) {
                let body = BodyContents(body, form: source, isHashed: sealed != nil)
                return try await runUploadOnce(sealed, body, terms, files, context.services) {
                    try await storeBody(body, name: name, encrypts: encrypts, terms, files, user, phone)
                }
            }
        }
    }

    /// Runs an upload, unless an upload with the same idempotency key was answered before. If it was, the contents are
    /// read to their end, to check that the upload is a repetition. Then the stored answer is returned.
    private static func runUploadOnce(
        _ request: SealedAnswerRequest?,
        _ body: BodyContents,
        _ terms: UploadTerms,
        _ files: ChatFiles,
        _ services: GatewayServices,
        _ run: () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        guard let request else { return try await run() }
        guard services.idempotentRequests.beginRequest(request.keyHash) else {
            throw ProblemDetails(.requestInProgress)
        }
        defer { services.idempotentRequests.endRequest(request.keyHash) }
        func completeRequest() throws -> SealedAnswerRequest {
            let rest = Array("\(terms.isComplete) \(body.name ?? "")".utf8)
            return request.withBodyDigest(body: try body.finishDigest() + rest)
        }
        if let stored = try await services.core.findStoredRequest(request.keyHash), let box = stored.answer {
            while try await body.readNext() != nil {}
            let repeated = try completeRequest()
            guard stored.fingerprint == repeated.fingerprint else { throw ProblemDetails(.idempotencyKeyReused) }
            return withResumableHeaders(try repeated.openAnswer(in: box))
        }
        let response = try await run()
        // The file is complete, so the client gets its answer even if the answer cannot be kept.
        if let kept = try? completeRequest().makeRow(with: response) { try? await files.storeAnswer(kept) }
        return response
    }

    /// Adds the header fields that belong to the answer of an incomplete upload.
    private static func withResumableHeaders(_ response: HTTPResponse) -> HTTPResponse {
        guard case .bytes(let body) = response.content, let json = try? JSONValue(parsing: body),
            let offset = json["offset"]?.integerValue
        else { return response }
        var again = makeStateResponse(response.status, offset, json["length"]?.integerValue)
        again.headers += response.headers.filter { $0.name != "Content-Type" }
        return again
    }

    private static func storeBody(
        _ body: BodyContents,
        name: String?,
        encrypts: Bool?,
        _ terms: UploadTerms,
        _ files: ChatFiles,
        _ user: Int64,
        _ phone: RemoteHostCore?
    ) async throws -> HTTPResponse {
        // The name of a file in a form is known only after the first bytes of the file have been read, so they are read
        // now.
        let first = try await body.readNext()
        if let phone {
            let upload = try await files.beginUpload(forHost: name ?? body.name ?? "file", length: terms.length)
            return try await receiveBody(first, body, upload, terms, files, user) {
                try await phone.finishUpload(upload, digest: terms.digest, encrypts: encrypts)
            }
        }
        let upload = try await files.beginUpload(
            user: user,
            key: terms.keyID,
            name: name ?? body.name ?? "file",
            encrypts: encrypts,
            length: terms.length,
            isResumable: !terms.isComplete
        )
        return try await receiveBody(first, body, upload, terms, files, user)
    }

    static func resumeUpload(_ context: RouteContext, _ body: HTTPUpload) throws(ProblemDetails) -> HTTPReply {
        let (user, id) = (try context.parseID("userId"), context.parameters["uploadId"] ?? "")
        try context.refuseUnknownNames()
        let terms = try UploadTerms(context)
        let (files, request, owner) = (
            try context.requireController().chatFiles, context.request, context.uploadOwnerKeyID
        )
        return .later {
            await answerConvertingErrors(request) {
                let upload = try await files.resumeUpload(id, user: user, key: owner) {
                    body.endWithFailure(.takenOver)
                }
                guard upload.offset == terms.offset else {
                    let offset = upload.offset
                    try await files.pauseUpload(upload)
                    var problem =
                        terms.offset == nil
                        ? ProblemDetails(.malformedRequest, "Upload-Offset is missing.")
                        : ProblemDetails(.conflict, "The upload has \(offset) bytes.")
                    problem.headers = [("Upload-Offset", String(offset))]
                    throw problem
                }
                let body = BodyContents(body, form: nil)
                return try await receiveBody(
                    try await readFirstBytes(body, upload, files),
                    body,
                    upload,
                    terms,
                    files,
                    user
                )
            }
        }
    }

    /// Reads the first bytes of the file. If the client disconnects before these bytes arrive, the upload is kept.
    private static func readFirstBytes(
        _ body: BodyContents,
        _ upload: Upload,
        _ files: ChatFiles
    ) async throws -> [UInt8]? {
        do { return try await body.readNext() } catch {
            try await files.pauseUpload(upload)
            throw error
        }
    }

    static func showUpload(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (user, id) = (try context.parseID("userId"), context.parameters["uploadId"] ?? "")
        let (files, request, owner) = (
            try context.requireController().chatFiles, context.request, context.uploadOwnerKeyID
        )
        return .later {
            await answerConvertingErrors(request) {
                let upload = try await files.resumeUpload(id, user: user, key: owner)
                let (offset, length) = (upload.offset, upload.announcedLength)
                try await files.pauseUpload(upload)
                return makeStateResponse(200, offset, length)
            }
        }
    }

    static func cancelUpload(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (user, id) = (try context.parseID("userId"), context.parameters["uploadId"] ?? "")
        let (files, request, owner) = (
            try context.requireController().chatFiles, context.request, context.uploadOwnerKeyID
        )
        return .later {
            await answerConvertingErrors(request) {
                await files.cancelUpload(try await files.resumeUpload(id, user: user, key: owner))
                return HTTPResponse(status: 204)
            }
        }
    }

    // MARK: Steps

    /// Writes the bytes of the file that one request contains, and then ends or pauses the upload.
    /// - Parameter finish: ends an upload for a phone; nil for a file of the store.
    private static func receiveBody(
        _ first: [UInt8]?,
        _ body: BodyContents,
        _ upload: Upload,
        _ terms: UploadTerms,
        _ files: ChatFiles,
        _ user: Int64,
        finish: (() async throws -> (source: CryptoFile, size: Int64))? = nil
    ) async throws -> HTTPResponse {
        let isNew = upload.offset == 0 && terms.offset == nil
        do {
            var next = first
            while let part = next {
                guard upload.offset + Int64(part.count) <= upload.announcedLength ?? ChatFiles.sizeLimit else {
                    throw HTTPUpload.Failure.tooLarge
                }
                if !part.isEmpty { try await runBlocking { try upload.write(part) } }
                next = try await body.readNext()
            }
        } catch {
            if error is QuotaExceeded { files.countRefusal() }
            // An interrupted resumable upload is kept. After any other failure, the upload is cancelled.
            let failure = error as? HTTPUpload.Failure
            let isInterrupted = failure == .disconnected || failure == .takenOver || error is QuotaExceeded
            if upload.isResumable, isInterrupted {
                try await files.pauseUpload(upload)
            } else {
                await files.cancelUpload(upload)
            }
            throw error
        }
        guard terms.isComplete else {
            let (offset, length) = (upload.offset, upload.announcedLength)
            try await files.pauseUpload(upload)
            var response = makeStateResponse(isNew ? 201 : 200, offset, length)
            if isNew { response.headers.append(("Location", "/v1/users/\(user)/uploads/\(upload.id)")) }
            return response
        }
        let (source, size) =
            if let finish { try await finish() } else {
                try await files.finishUpload(upload, digest: terms.digest, hidesNames: terms.hidesNames)
            }
        guard let value = try? JSONEncoder().encodeValue(source) else { throw ProblemDetails(.internalError) }
        let answer: JSONValue = ["type": "fileUploaded", "fileSource": value, "fileSize": .integer(size)]
        return HTTPResponse(status: 201, json: answer.encodeText())
    }

    /// Makes the answer with the state of an incomplete upload.
    private static func makeStateResponse(_ status: Int, _ offset: Int64, _ length: Int64?) -> HTTPResponse {
        var answer: JSONObject = ["type": "fileUpload", "offset": .integer(offset)]
        if let length { answer["length"] = .integer(length) }
        var response = HTTPResponse(status: status, json: JSONValue.object(answer).encodeText())
        response.headers += [
            ("Upload-Complete", "?0"), ("Upload-Offset", String(offset)),
            ("Upload-Limit", "max-size=\(ChatFiles.sizeLimit)"),
        ]
        if let length { response.headers.append(("Upload-Length", String(length))) }
        return response
    }

    static func answerConvertingErrors(
        _ request: HTTPRequest,
        _ body: () async throws -> HTTPResponse
    ) async -> HTTPResponse {
        do { return try await body() } catch { return makeUploadProblem(error).response(for: request) }
    }

    private static func makeUploadProblem(_ error: any Error) -> ProblemDetails {
        switch error {
        case let problem as ProblemDetails: problem
        case let refusal as ChatFiles.Refusal: ProblemDetails(refusal)
        case let full as QuotaExceeded:
            ProblemDetails(
                quota: full.resource.rawValue,
                limit: full.limit,
                ProblemSentences.makeSentence(full.description)
            )
        case let fault as MultipartReader.Fault: ProblemDetails(.malformedBody, fault.text)
        case HTTPUpload.Failure.tooLarge:
            ProblemDetails(.bodyTooLarge, "The file is larger than announced, or than \(ChatFiles.sizeLimit) bytes.")
        case HTTPUpload.Failure.takenOver: ProblemDetails(.conflict, "Another request continues the upload.")
        // The client has disconnected, so it does not get this answer.
        case HTTPUpload.Failure.disconnected: ProblemDetails(.malformedRequest, "The body was not complete.")
        default: ProblemDetails(error, "The file could not be written or read.")
        }
    }
}

extension RouteContext {
    /// The id of the key that must have begun the upload; nil for a client that may continue the uploads of all keys.
    /// Without this check, a client that is limited to some chats could get any file by the URL of its upload.
    fileprivate var uploadOwnerKeyID: String? { principal?.chats == nil ? nil : principal?.keyID }
}

extension ProblemDetails {
    init(_ refusal: ChatFiles.Refusal) {
        switch refusal.reason {
        case .notFound: self.init(.notFound, "This gateway has no such file or upload.")
        case .busy: self.init(.conflict, "Another request is working on the upload.")
        case .tooManyUploads:
            self.init(.tooManyRequests, "Too many uploads are not finished.")
            headers = [("Retry-After", "60")]
        case .contentsDiffer: self.init(.invalidValue, "The contents differ from the announced digest or length.")
        case .damaged: self.init(.internalError, "The stored file is damaged: its contents have changed.")
        case .objectMissing:
            self.init(
                .internalError,
                "The file is missing in the object storage. Restore an earlier version of the object in the bucket."
            )
        case .temporarilyUnavailable(let seconds):
            self.init(away: seconds, "The file is in the object storage, which cannot be used now.")
        case .emptyUpload: self.init(.invalidValue, "The file is empty.")
        }
    }
}

/// The bytes of the file in a request: the whole body, or the file in a form.
private final class BodyContents {
    private let body: HTTPUpload
    private var form: MultipartReader?
    /// The file's name in the form; nil before it has arrived, and for a body without a form.
    private(set) var name: String?
    private let computesDigest: Bool
    private var runningDigest: IncrementalDigest?

    /// - Parameter isHashed: whether ``finishDigest()`` will be called.
    init(_ body: HTTPUpload, form: MultipartReader?, isHashed: Bool = false) {
        self.body = body
        self.form = form
        self.computesDigest = isHashed
    }

    /// Returns the SHA-256 of the bytes that were read.
    func finishDigest() throws -> [UInt8] { try runningDigest?.finalize() ?? [] }

    /// Returns the next bytes; nil at the end of the body.
    func readNext() async throws -> [UInt8]? {
        let bytes = try await readPart()
        if computesDigest, let bytes {
            if runningDigest == nil { runningDigest = try IncrementalDigest(.sha256) }
            try runningDigest?.update(bytes)
        }
        return bytes
    }

    private func readPart() async throws -> [UInt8]? {
        guard form != nil else { return try await body.readNext() }
        while let part = try await body.readNext() {
            let bytes = try form?.readFileBytes(part) ?? []
            name = form?.fileName ?? name
            if !bytes.isEmpty { return bytes }
        }
        try form?.checkEnd()
        return nil
    }
}
