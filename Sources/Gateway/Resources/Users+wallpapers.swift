internal import ChatCore
internal import ChatStore
internal import JSON
internal import SimpleXCrypto

/// Routes for own pictures as wallpapers of chats. Themes name the pictures (`imageFile`).
extension UsersResource {
    private static let wallpapersPath = "/v1/users/{userId}/wallpapers"

    static let wallpaperRoutes: [Route] = [
        .makeUploadRoute(
            .post,
            wallpapersPath,
            "uploadWallpaper",
            category: "Users",
            access: .key(Scopes.requiredScopes(for: .setUserUIThemes)),
            policy: .wholeStore,
            limit: Int64(ChatWallpapers.maxPictureBytes)
        ) { context, body throws(ProblemDetails) in
            try uploadWallpaper(context, body)
        },
        Route(
            .get,
            wallpapersPath + "/{imageFile}",
            "downloadWallpaper",
            category: "Users",
            access: .key(.read),
            policy: .wholeStore
        ) { context throws(ProblemDetails) in
            let (user, name) = (try context.parseID("userId"), context.parameters["imageFile"] ?? "")
            let (wallpapers, request) = (try context.requireController().chatWallpapers, context.request)
            return context.replyLater { () async throws(ProblemDetails) in
                do {
                    let (content, format) = try await wallpapers.readPicture(name, user: user)
                    let tag = "\"\(Hex.encode(Digest.sha256(content).prefix(12)))\""
                    let cacheHeaders = [("ETag", tag), ("Cache-Control", "private, no-cache")]
                    guard !request.hasMatchingTag(tag) else { return HTTPResponse(status: 304, headers: cacheHeaders) }
                    return HTTPResponse(
                        headers: cacheHeaders + [
                            ("Content-Type", format.mediaType), ("X-Content-Type-Options", "nosniff"),
                            // With this header field, browsers run no scripts in the file.
                            ("Content-Security-Policy", "default-src 'none'; sandbox"),
                        ],
                        content: .bytes(content)
                    )
                } catch {
                    throw makeWallpaperProblem(error)
                }
            }
        },
    ]

    private static func uploadWallpaper(
        _ context: RouteContext,
        _ body: HTTPUpload
    ) throws(ProblemDetails) -> HTTPReply {
        let user = try context.parseID("userId")
        try context.refuseUnknownNames()
        let (wallpapers, sealed) = (
            try context.requireController().chatWallpapers, try context.makeSealedAnswerRequest()
        )
        return context.replyLater { () async throws(ProblemDetails) in
            let content: [UInt8]
            do throws(HTTPUpload.Failure) { content = try await readWhole(body) } catch {
                throw makeWallpaperProblem(error)
            }
            func store(_ request: SealedAnswerRequest?) async throws(ProblemDetails) -> HTTPResponse {
                do {
                    let name = try ChatWallpapers.makeName(of: content)
                    var response = HTTPResponse(
                        status: 201,
                        json: JSONValue.object(["imageFile": .string(name)]).encodeText()
                    )
                    response.headers.append(("Location", "/v1/users/\(user)/wallpapers/\(name)"))
                    try await wallpapers.storePicture(
                        content,
                        user: user,
                        answered: try request?.makeRow(with: response)
                    )
                    return response
                } catch {
                    throw makeWallpaperProblem(error)
                }
            }
            guard let sealed else { return try await store(nil) }
            var isStored = false
            let response = try await context.runOnce(
                sealed.withBodyDigest(body: Digest.sha256(content)),
                .database
            ) { request throws(ProblemDetails) in
                isStored = true
                return try await store(request)
            }
            // A picture is deleted when no theme names it any more. So the picture may have been deleted since the
            // first answer, and is then stored again.
            if !isStored { _ = try await store(nil) }
            return response
        }
    }

    /// Reads a whole body into memory. The route limits the size of the body.
    private static func readWhole(_ body: HTTPUpload) async throws(HTTPUpload.Failure) -> [UInt8] {
        var content: [UInt8] = []
        while let part = try await body.readNext() {
            guard content.count + part.count <= ChatWallpapers.maxPictureBytes else { throw .tooLarge }
            content += part
        }
        return content
    }

    private static func makeWallpaperProblem(_ error: any Error) -> ProblemDetails {
        switch error {
        case let problem as ProblemDetails: problem
        case ChatWallpapers.Refusal.notFound: ProblemDetails(.notFound, "There is no such profile, or no such picture.")
        case ChatWallpapers.Refusal.notAPicture:
            ProblemDetails(.invalidValue, "The body must be a JPEG, PNG, GIF or WebP picture.")
        case ChatWallpapers.Refusal.tooLarge, HTTPUpload.Failure.tooLarge:
            ProblemDetails(.bodyTooLarge, "A wallpaper can have at most \(ChatWallpapers.maxPictureBytes) bytes.")
        case ChatWallpapers.Refusal.tooManyPictures:
            ProblemDetails(
                quota: "wallpapers",
                limit: ChatWallpapers.maxPicturesPerUser,
                "A profile can have at most \(ChatWallpapers.maxPicturesPerUser) wallpapers."
            )
        // The client has disconnected, so it does not get this answer.
        case HTTPUpload.Failure.disconnected: ProblemDetails(.malformedRequest, "The body was not complete.")
        case let full as QuotaExceeded:
            ProblemDetails(
                quota: full.resource.rawValue,
                limit: full.limit,
                ProblemSentences.makeSentence(full.description)
            )
        default: ProblemDetails(error, "The wallpaper could not be written or read.")
        }
    }
}
