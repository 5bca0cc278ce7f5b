internal import ChatAPI
internal import JSON

/// Routes for invitations, contacts and contact requests.
enum ContactsResource {
    static let routes: [Route] = [
        .command(
            .post,
            "/v1/users/{userId}/connections/invitations",
            "createInvitation",
            .addContact,
            category: "Contacts",
            policy: .data,
            success: .created { response, context in
                guard case .invitation(_, _, let connection) = response else { return nil }
                return "/v1/users/\(context.parameters["userId"] ?? "")/chats/contactConnection/\(connection.pccConnId)"
            }
        ) { context throws(ProblemDetails) in
            .contacts(
                .addContact(
                    userId: try context.parseID("userId"),
                    incognito: try context.parseBody().decodeIfPresent("incognito") ?? false
                )
            )
        },
        .command(
            .post,
            "/v1/users/{userId}/connections",
            "createConnection",
            .connect,
            category: "Contacts",
            policy: .data,
            success: .accepted
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .contacts(
                .connect(
                    userId: try context.parseID("userId"),
                    incognito: try body.decodeIfPresent("incognito") ?? false,
                    connLink: try body.decodeConnLink()
                )
            )
        },
        .command(
            .post,
            "/v1/users/{userId}/connections/plan",
            "planConnection",
            .connectPlan,
            category: "Contacts",
            policy: .data
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .contacts(
                .connectPlan(
                    userId: try context.parseID("userId"),
                    connLink: try body.decodeValue("connLink"),
                    resolveMode: try body.decodeIfPresent("resolveMode") ?? .unknown,
                    linkOwnerSig: try body.decodeIfPresent("linkOwnerSig")
                )
            )
        },
        .command(
            .post,
            "/v1/users/{userId}/contacts/prepared",
            "prepareContact",
            .prepareContact,
            category: "Contacts",
            policy: .data
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .contacts(
                .prepareContact(
                    userId: try context.parseID("userId"),
                    connLink: try body.decodeConnLink(),
                    verifiedDomain: try body.decodeIfPresent("verifiedDomain"),
                    contactShortLinkData: try body.decodeValue("contactShortLinkData")
                )
            )
        },
        .command(
            .post,
            "/v1/users/{userId}/contacts/{contactId}/connect",
            "connectPreparedContact",
            .connectPreparedContact,
            category: "Contacts",
            policy: .data,
            success: .accepted
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .contacts(
                .connectPreparedContact(
                    contactId: try context.parseID("contactId"),
                    incognito: try body.decodeIfPresent("incognito") ?? false,
                    msg: try body.decodeNewContent("msg")
                )
            )
        },
        .command(
            .post,
            "/v1/users/{userId}/contacts/{contactId}/connect-via-address",
            "connectContactByAddress",
            .connectContactViaAddress,
            category: "Contacts",
            policy: .data,
            success: .accepted
        ) { context throws(ProblemDetails) in
            .contacts(
                .connectContactViaAddress(
                    userId: try context.parseID("userId"),
                    incognito: try context.parseBody().decodeIfPresent("incognito") ?? false,
                    contactId: try context.parseID("contactId")
                )
            )
        },
        .command(
            .post,
            "/v1/users/{userId}/contact-requests/{contactReqId}/accept",
            "acceptContactRequest",
            .acceptContact,
            category: "Contacts",
            policy: .data,
            success: .accepted
        ) { context throws(ProblemDetails) in
            .contacts(
                .acceptContact(
                    incognito: try context.parseBody().decodeIfPresent("incognito") ?? false,
                    contactReqId: try context.parseID("contactReqId")
                )
            )
        },
        .command(
            .post,
            "/v1/users/{userId}/contact-requests/{contactReqId}/reject",
            "rejectContactRequest",
            .rejectContact,
            category: "Contacts",
            policy: .data
        ) { context throws(ProblemDetails) in
            .contacts(.rejectContact(contactReqId: try context.parseID("contactReqId")))
        },
        .command(
            .delete,
            "/v1/users/{userId}/chats/{chatType}/{chatId}",
            "deleteChat",
            .deleteChat,
            category: "Contacts",
            policy: .chat
        ) { context throws(ProblemDetails) in
            .contacts(.deleteChat(chat: try context.parseChat(), mode: try context.parseChatDeleteMode()))
        },
        .command(
            .post,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/clear",
            "clearChat",
            .clearChat,
            category: "Contacts",
            policy: .chat
        ) { context throws(ProblemDetails) in
            .contacts(.clearChat(chat: try context.parseChat()))
        },
        .command(
            .get,
            "/v1/users/{userId}/contacts",
            "listContacts",
            .listContacts,
            category: "Contacts",
            policy: .data,
            cached: true,
            success: .page(ListPages.selectContacts),
            finishing: FieldMask.makeFinisher("contacts", of: "Contact")
        ) { context throws(ProblemDetails) in
            _ = try context.parsePage()
            for name in ["name", "search"] { _ = context.readParameter(name) }
            return .contacts(.listContacts(userId: try context.parseID("userId")))
        },
        .command(
            .get,
            "/v1/users/{userId}/contacts/{contactId}",
            "getContact",
            .contactInfo,
            category: "Contacts",
            policy: .chat,
            patched: patchedContact
        ) { context throws(ProblemDetails) in
            .contacts(.contactInfo(contactId: try context.parseID("contactId")))
        },
        .patch(
            "/v1/users/{userId}/contacts/{contactId}",
            "updateContact",
            [.setContactAlias, .setContactPrefs, .setContactCustomData, .changePreparedContactUser],
            category: "Contacts",
            policy: .data,
            of: patchedContact
        ) { context, patch throws(ProblemDetails) in
            let id = try context.parseID("contactId")
            patch.setOrDelete("alias") { .contacts(.setContactAlias(contactId: id, localAlias: $0 ?? "")) }
            patch.setOrDelete("preferences") {
                .contacts(.setContactPrefs(contactId: id, preferences: $0 ?? Preferences()))
            }
            patch.setOrDelete("customData") { (data: FreeObject?) in
                .contacts(.setContactCustomData(contactId: id, customData: data?.members))
            }
            patch.set("userId") { [.contacts(.changePreparedContactUser(contactId: id, newUserId: $0))] }
        },
        .patch(
            "/v1/users/{userId}/connections/{connId}",
            "updateConnection",
            [.setConnectionAlias, .setConnectionIncognito, .changeConnectionUser],
            category: "Contacts",
            policy: .data,
            of: patchedConnection
        ) { context, patch throws(ProblemDetails) in
            let id = try context.parseID("connId")
            patch.setOrDelete("alias") { .contacts(.setConnectionAlias(connId: id, localAlias: $0 ?? "")) }
            patch.set("incognito") { [.contacts(.setConnectionIncognito(connId: id, incognito: $0))] }
            patch.set("userId") { [.contacts(.changeConnectionUser(connId: id, userId: $0))] }
        },
        .command(
            .post,
            "/v1/users/{userId}/contacts/{contactId}/enable",
            "enableContact",
            .enableContact,
            category: "Contacts",
            policy: .data
        ) { context throws(ProblemDetails) in
            .contacts(.enableContact(contactId: try context.parseID("contactId")))
        },
    ]
}

extension ContactsResource {
    /// The values of a contact that clients change.
    private static let patchedContact = PatchedResource { context throws(ProblemDetails) in
        .contacts(.contactInfo(contactId: try context.parseID("contactId")))
    } changeableValues: { response in
        guard case .contactInfo(_, let contact, _, _) = response else { return [] }
        return [
            ("alias", contact.profile.localAlias), ("preferences", contact.userPreferences),
            ("customData", contact.customData),
        ]
    }

    /// The values of a connection that clients can change, in the answer with its chat.
    private static let patchedConnection = PatchedResource { context throws(ProblemDetails) in
        let chat = ChatRef(chatType: .contactConnection, chatId: try context.parseID("connId"), chatScope: nil)
        return .messages(.getChat(chat: chat, contentTag: nil, pagination: .initial(count: 1), search: nil))
    } changeableValues: {
        MessagesResource.changeableValues($0)
    }
}

extension RouteContext {
    /// Reads `mode`, which is `full` (default), `entity` or `messages`, and `notify`: whether the contact is notified.
    fileprivate func parseChatDeleteMode() throws(ProblemDetails) -> ChatDeleteMode {
        let notify = try parseFlag("notify", default: true)
        switch readParameter("mode") {
        case nil, "full": return .full(notify: notify)
        case "entity": return .entity(notify: notify)
        case "messages": return .messages
        default: throw ProblemDetails(parameter: "mode", "must be full, entity or messages.")
        }
    }
}

extension RequestBody {
    /// Reads `connLink`: a link, or the object `{"connFullLink","connShortLink"}` from the answer with an invitation.
    func decodeConnLink() throws(ProblemDetails) -> CreatedConnLink {
        if let link = readJSON("connLink")?.stringValue { return CreatedConnLink(connFullLink: link) }
        return try decodeValue("connLink")
    }
}
