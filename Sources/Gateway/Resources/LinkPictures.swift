internal import ChatAPI
internal import ChatCore
internal import QR

/// Links as QR codes, for the camera of a phone: `…/qr.svg`.
enum LinkPictures {
    static let routes: [Route] = [
        picture("/v1/users/{userId}/address", "addressQR", room: "Address", .showMyAddress) { context throws(ProblemDetails) in
            .address(.showMyAddress(userId: try context.id("userId")))
        } link: { response, _ in
            guard case .userContactLink(_, let address) = response else { return nil }
            return address.connLinkContact
        },
        picture("/v1/users/{userId}/groups/{groupId}/link", "groupLinkQR", room: "Groups", .getGroupLink) { context throws(ProblemDetails) in
            .groups(.getGroupLink(groupId: try context.id("groupId")))
        } link: { response, _ in
            guard case .groupLink(_, _, let link) = response else { return nil }
            return link.connLinkContact
        },
        picture("/v1/users/{userId}/connections/{connId}", "invitationQR", room: "Contacts", .getChats) { context throws(ProblemDetails) in
            .messages(.getChats(userId: try context.id("userId"), pendingConnections: true, pagination: .last(count: 1_000_000), query: nil))
        } link: { response, context in
            guard case .apiChats(_, let chats) = response, let id = try? context.id("connId") else { return nil }
            return chats.lazy.compactMap { chat -> CreatedConnLink? in
                guard case .contactConnection(let connection) = chat.chatInfo, connection.pccConnId == id else { return nil }
                return connection.connLinkInv
            }.first
        },
    ]

    /// A picture of the link that a command returns.
    private static func picture(
        _ place: String, _ operationID: String, room: String, _ command: CommandName,
        _ build: @escaping @Sendable (RouteContext) throws(ProblemDetails) -> ChatCommand,
        link: @escaping @Sendable (ChatResponse, RouteContext) -> CreatedConnLink?
    ) -> Route {
        Route(.get, place + "/qr.svg", operationID, room: room, access: .key(Scopes.required(for: command))) { context throws(ProblemDetails) in
            guard let principal = context.principal else { throw ProblemDetails(.unauthorized) }
            let (user, command) = (try context.id("userId"), try build(context))
            return .later {
                switch await context.services.core.send(command, as: user, with: principal.rights, claim: nil) {
                case .error(let error): return ProblemDetails(error).response(for: context.request)
                case .result(let response):
                    guard let link = link(response, context) else {
                        return ProblemDetails(.notFound, "There is no link.").response(for: context.request)
                    }
                    // Phones read a short text more easily.
                    guard let code = QRCode(link.connShortLink ?? link.connFullLink) else {
                        return ProblemDetails(.notFound, "The link is too long for a QR code, and has no short form.").response(for: context.request)
                    }
                    let isText = context.request.header("accept") == "text/plain"
                    var response = HTTPResponse(text: isText ? code.terminal : code.svg, type: isText ? "text/plain; charset=utf-8" : "image/svg+xml")
                    // It is a secret like the link itself.
                    response.headers += [("Cache-Control", "no-store"), ("Vary", "Accept")]
                    return response
                }
            }
        }
    }
}
