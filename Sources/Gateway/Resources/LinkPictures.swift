internal import ChatAPI
internal import ChatCore
internal import QR

/// Routes for links as QR codes, which phones can read with their cameras: `…/qr.svg`.
enum LinkPicturesResource {
    static let routes: [Route] = [
        makePictureRoute(
            "/v1/users/{userId}/address",
            "getAddressQrCode",
            category: "Address",
            policy: .secretData,
            .showMyAddress
        ) { context throws(ProblemDetails) in
            .address(.showMyAddress(userId: try context.parseID("userId")))
        } link: { response in
            guard case .userContactLink(_, let address) = response else { return nil }
            return address.connLinkContact
        },
        makePictureRoute(
            "/v1/users/{userId}/groups/{groupId}/link",
            "getGroupLinkQrCode",
            category: "Groups",
            policy: .secretData,
            .getGroupLink
        ) { context throws(ProblemDetails) in
            .groups(.groupInfo(groupId: try context.parseID("groupId")))
        } or: { context throws(ProblemDetails) in
            .groups(.getGroupLink(groupId: try context.parseID("groupId")))
        } link: { response in
            switch response {
            // The profile of a channel contains its link, so all members may see the link.
            case .groupInfo(_, let group):
                group.groupProfile.publicGroup.map { CreatedConnLink(connFullLink: $0.groupLink) }
            case .groupLink(_, _, let link): link.connLinkContact
            default: nil
            }
        },
        makePictureRoute(
            "/v1/users/{userId}/connections/{connId}",
            "getInvitationQrCode",
            category: "Contacts",
            policy: .storeData,
            .getChat
        ) { context throws(ProblemDetails) in
            let connection = ChatRef(chatType: .contactConnection, chatId: try context.parseID("connId"))
            return .messages(.getChat(chat: connection, contentTag: nil, pagination: .initial(count: 1), search: nil))
        } link: { response in
            guard case .apiChat(_, let chat, _) = response, case .contactConnection(let connection) = chat.chatInfo
            else { return nil }
            return connection.connLinkInv
        },
    ]

    /// Makes a route for a picture of a link. The link is in the response to the first command. If that response has no
    /// link, the second command runs.
    private static func makePictureRoute(
        _ place: String,
        _ operationID: String,
        category: String,
        policy: RoutePolicy,
        _ command: CommandName,
        _ build: @escaping @Sendable (RouteContext) throws(ProblemDetails) -> ChatCommand,
        or other: (@Sendable (RouteContext) throws(ProblemDetails) -> ChatCommand)? = nil,
        link: @escaping @Sendable (ChatResponse) -> CreatedConnLink?
    ) -> Route {
        Route(
            .get,
            place + "/qr.svg",
            operationID,
            category: category,
            access: .key(Scopes.requiredScopes(for: command)),
            policy: policy
        ) { context throws(ProblemDetails) in
            guard let principal = context.principal else { throw ProblemDetails(.unauthorized) }
            let (user, command, second) = (try context.parseID("userId"), try build(context), try other?(context))
            return .later {
                func answer(_ command: ChatCommand) async -> APIResult<ChatResponse>? {
                    await context.services.makeAnswer(command, for: principal.keyID) {
                        await context.services.core.runCommand(
                            command,
                            as: user,
                            with: principal.commandRights,
                            claim: nil
                        )
                    }
                }
                var answered = await answer(command)
                if let second, case .result(let response)? = answered, link(response) == nil {
                    answered = await answer(second)
                }
                do throws(ProblemDetails) {
                    guard let answered else { throw .tooMuchUnreadProblem }
                    return try context.makePicture(of: answered, link)
                } catch {
                    return error.response(for: context.request)
                }
            }
        }
    }
}

extension RouteContext {
    fileprivate func makePicture(
        of answer: APIResult<ChatResponse>,
        _ link: (ChatResponse) -> CreatedConnLink?
    ) throws(ProblemDetails) -> HTTPResponse {
        switch answer {
        case .error(let error): throw ProblemDetails(error)
        case .result(let response):
            guard let link = link(response) else { throw ProblemDetails(.notFound, "There is no link.") }
            // The picture has the short link if there is one, because phones recognize a short text more easily.
            guard let code = QRCode(link.connShortLink ?? link.connFullLink) else {
                throw ProblemDetails(.notFound, "The link is too long for a QR code, and has no short form.")
            }
            let isText = request.header("accept") == "text/plain"
            var picture = HTTPResponse(
                text: isText ? code.terminalText : code.svg,
                type: isText ? "text/plain; charset=utf-8" : "image/svg+xml"
            )
            // The link in the picture is secret, so the picture must not be stored by caches.
            picture.headers += [("Cache-Control", "no-store"), ("Vary", "Accept")]
            return picture
        }
    }
}
