internal import ChatAPI
internal import JSON
internal import ChatCore
internal import JSON
internal import QR

/// Routes for phones whose profiles are served by this gateway. The profiles of a phone have the same routes as the
/// profiles of this gateway, under `/v1/remote-hosts/{remoteHostId}`.
enum RemoteHostsResource {
    static let routes: [Route] = [
        .makeCommandRoute(
            .get,
            "/v1/remote-hosts",
            "listRemoteHosts",
            .listRemoteHosts,
            category: "RemoteControl",
            policy: .wholeStore,
            success: .page(ListPages.selectRemoteHosts)
        ) { context throws(ProblemDetails) in
            _ = try context.parsePage()
            return .remoteControl(.listRemoteHosts)
        },
        .makeCommandRoute(
            .post,
            "/v1/remote-hosts",
            "startRemoteHostSession",
            .startRemoteHost,
            category: "RemoteControl",
            policy: .wholeStore,
            success: .accepted
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .remoteControl(
                .startRemoteHost(
                    remoteHostId: try body.decodeIfPresent("remoteHostId"),
                    multicast: try body.decodeIfPresent("multicast") ?? false,
                    address: try body.decodeIfPresent("address"),
                    port: try body.decodeIfPresent("port")
                )
            )
        },
        .makeCommandRoute(
            .put,
            "/v1/remote-hosts/current",
            "switchRemoteHost",
            .switchRemoteHost,
            category: "RemoteControl",
            policy: .wholeStore
        ) { context throws(ProblemDetails) in
            .remoteControl(.switchRemoteHost(remoteHostId: try context.parseBody().decodeIfPresent("remoteHostId")))
        },
        .makeCommandRoute(
            .delete,
            "/v1/remote-hosts/{remoteHostId}",
            "deleteRemoteHost",
            .deleteRemoteHost,
            category: "RemoteControl",
            policy: .wholeStore
        ) { context throws(ProblemDetails) in
            .remoteControl(.deleteRemoteHost(remoteHostId: try context.parseID("remoteHostId")))
        },
        .makeCommandRoute(
            .delete,
            "/v1/remote-hosts/{remoteHostId}/session",
            "stopRemoteHostSession",
            .stopRemoteHost,
            category: "RemoteControl",
            policy: .wholeStore
        ) { context throws(ProblemDetails) in
            let isNew = context.parameters["remoteHostId"] == "new"
            return .remoteControl(.stopRemoteHost(remoteHostId: isNew ? nil : try context.parseID("remoteHostId")))
        },
        makeSessionRoute("", "getRemoteHostSession") { status, _ throws(ProblemDetails) in
            guard let body = try? JSONEncoder().encode(status) else { throw ProblemDetails(.internalError) }
            return HTTPResponse(json: body)
        },
        makeSessionRoute("/qr.svg", "getRemoteHostQrCode") { status, request throws(ProblemDetails) in
            let (code, isText) = (try makeQRCode(status), request.header("accept") == "text/plain")
            return HTTPResponse(
                text: isText ? code.terminalText : code.svg,
                type: isText ? "text/plain; charset=utf-8" : "image/svg+xml"
            )
        },
        makeSessionRoute("/qr.png", "getRemoteHostQrImage") { status, _ throws(ProblemDetails) in
            HTTPResponse(headers: [("Content-Type", "image/png")], content: .bytes(try makeQRCode(status).makePNG()))
        },
        .makeCommandRoute(
            .post,
            "/v1/remote-hosts/{remoteHostId}/stored-files",
            "storeRemoteHostFile",
            .storeRemoteFile,
            category: "RemoteControl",
            policy: .wholeStore
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .remoteControl(
                .storeRemoteFile(
                    remoteHostId: try context.parseID("remoteHostId"),
                    storeEncrypted: try body.decodeIfPresent("storeEncrypted"),
                    localPath: try body.decodeValue("localPath")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/remote-hosts/{remoteHostId}/fetched-files",
            "fetchRemoteHostFile",
            .getRemoteFile,
            category: "RemoteControl",
            policy: .wholeStore
        ) { context throws(ProblemDetails) in
            .remoteControl(
                .getRemoteFile(
                    remoteHostId: try context.parseID("remoteHostId"),
                    file: try context.parseBody().decodeValue("file")
                )
            )
        },
    ]

    /// Makes a route that shows the session with a phone. The id `new` means the session that is offered to a new
    /// phone.
    private static func makeSessionRoute(
        _ path: String,
        _ operationID: String,
        _ answer: @escaping @Sendable (RemoteHostStatus, HTTPRequest) throws(ProblemDetails) -> HTTPResponse
    ) -> Route {
        Route(
            .get,
            "/v1/remote-hosts/{remoteHostId}/session" + path,
            operationID,
            category: "RemoteControl",
            access: .key(Scopes.requiredScopes(for: .listRemoteHosts)),
            policy: .wholeStore
        ) { context throws(ProblemDetails) in
            let id: Int64? = context.parameters["remoteHostId"] == "new" ? nil : try context.parseID("remoteHostId")
            return .later {
                do throws(ProblemDetails) {
                    guard let status = try await context.requireController().readRemoteHostStatus(id) else {
                        throw ProblemDetails(.notFound, "There is no such device.")
                    }
                    var response = try answer(status, context.request)
                    // The answer may contain an offered link, which is secret, so it must not be stored by caches.
                    response.headers += [("Cache-Control", "no-store")]
                    return response
                } catch {
                    return error.response(for: context.request)
                }
            }
        }
    }

    private static func makeQRCode(_ status: RemoteHostStatus) throws(ProblemDetails) -> QRCode {
        guard let link = status.link, let code = QRCode(link) else {
            throw ProblemDetails(.notFound, "There is no link to scan: offer a session to a phone first.")
        }
        return code
    }
}
