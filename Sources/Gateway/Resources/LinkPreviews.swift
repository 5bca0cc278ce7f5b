internal import JSON

/// Routes for previews of links. The sender makes the preview, so that no recipient has to open the page.
enum LinkPreviewsResource {
    static let routes: [Route] = [
        Route(
            .post,
            "/v1/users/{userId}/link-preview",
            "readLinkPreview",
            category: "Messages",
            access: .key(.write),
            policy: .storeData,
            problems: [.pageUnreadable, .pageTimeout],
            handler: readPreview
        ).markedEffectFree()
    ]

    private static func readPreview(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        _ = try context.parseID("userId")
        let body = try context.parseBody()
        let uri: String = try body.decodeValue("uri")
        let (reader, request, core) = (context.services.previewReader, context.request, context.services.core)
        return .later {
            guard let reader else {
                return ProblemDetails(.conflict, "This gateway reads no pages: it was started without --link-previews.")
                    .response(for: request)
            }
            // Pages are not read while a SOCKS proxy is set. A user with a proxy does not want the servers of linked
            // pages to learn the address of this machine.
            guard
                case .result(.networkConfig(let network)) = await core.runCommand(
                    .settings(.getNetworkConfig),
                    as: nil,
                    with: .all,
                    claim: nil
                )
            else {
                return ProblemDetails(.unavailable, "Pages are not read now, because the proxy setting cannot be read.")
                    .response(for: request)
            }
            guard network.socksProxy == nil else {
                return ProblemDetails(
                    .conflict,
                    "Pages are not read while a SOCKS proxy is set: the gateway would not use the proxy for them."
                ).response(for: request)
            }
            do throws(LinkPreviewReader.Failure) { return makeAnswer(try await reader.makePreview(of: uri)) } catch {
                return makeProblem(error).response(for: request)
            }
        }
    }

    private static func makeAnswer(_ preview: PagePreview) -> HTTPResponse {
        var members = JSONObject([
            (
                "preview",
                .object(
                    JSONObject([
                        ("uri", .string(preview.uri)), ("title", .string(preview.title)),
                        ("description", .string(preview.description)), ("image", .string("")),
                    ])
                )
            )
        ])
        members["picture"] = preview.picture.map { .string($0) }
        return HTTPResponse(json: JSONValue.object(members).encodeText())
    }

    private static func makeProblem(_ failure: LinkPreviewReader.Failure) -> ProblemDetails {
        switch failure {
        case .badLink(let reason): return ProblemDetails(member: "uri", "\(reason)")
        case .unreadablePage(let reason): return ProblemDetails(.pageUnreadable, "The page cannot be read: \(reason).")
        case .timeout: return ProblemDetails(.pageTimeout, "The page did not come in time.")
        case .busy:
            var problem = ProblemDetails(.tooManyRequests, "Too many pages are being read at the same time.")
            problem.headers = [("Retry-After", "1")]
            return problem
        }
    }
}
