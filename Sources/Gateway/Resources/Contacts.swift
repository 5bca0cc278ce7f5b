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
                    userId: try context.id("userId"),
                    incognito: try context.body().optional("incognito") ?? false
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
            let body = try context.body()
            return .contacts(
                .connect(
                    userId: try context.id("userId"),
                    incognito: try body.optional("incognito") ?? false,
                    connLink: try body.connLink()
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
            let body = try context.body()
            return .contacts(
                .connectPlan(
                    userId: try context.id("userId"),
                    connLink: try body.value("connLink"),
                    resolveMode: try body.optional("resolveMode") ?? .unknown,
                    linkOwnerSig: try body.optional("linkOwnerSig")
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
            let body = try context.body()
            return .contacts(
                .prepareContact(
                    userId: try context.id("userId"),
                    connLink: try body.connLink(),
                    verifiedDomain: try body.optional("verifiedDomain"),
                    contactShortLinkData: try body.value("contactShortLinkData")
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
            let body = try context.body()
            return .contacts(
                .connectPreparedContact(
                    contactId: try context.id("contactId"),
                    incognito: try body.optional("incognito") ?? false,
                    msg: try body.newContent("msg")
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
                    userId: try context.id("userId"),
                    incognito: try context.body().optional("incognito") ?? false,
                    contactId: try context.id("contactId")
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
                    incognito: try context.body().optional("incognito") ?? false,
                    contactReqId: try context.id("contactReqId")
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
            .contacts(.rejectContact(contactReqId: try context.id("contactReqId")))
        },
        .command(
            .delete,
            "/v1/users/{userId}/chats/{chatType}/{chatId}",
            "deleteChat",
            .deleteChat,
            category: "Contacts",
            policy: .chat
        ) { context throws(ProblemDetails) in
            .contacts(.deleteChat(chat: try context.chat(), mode: try context.chatDeleteMode()))
        },
        .command(
            .post,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/clear",
            "clearChat",
            .clearChat,
            category: "Contacts",
            policy: .chat
        ) { context throws(ProblemDetails) in
            .contacts(.clearChat(chat: try context.chat()))
        },
        .command(
            .get,
            "/v1/users/{userId}/contacts",
            "listContacts",
            .listContacts,
            category: "Contacts",
            policy: .data,
            cached: true,
            success: .page(ListPages.contacts),
            finishing: FieldMask.finishing("contacts", of: "Contact")
        ) { context throws(ProblemDetails) in
            _ = try context.page()
            for name in ["name", "search"] { _ = context.parameter(name) }
            return .contacts(.listContacts(userId: try context.id("userId")))
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
            .contacts(.contactInfo(contactId: try context.id("contactId")))
        },
        .patch(
            "/v1/users/{userId}/contacts/{contactId}",
            "updateContact",
            [.setContactAlias, .setContactPrefs, .setContactCustomData, .changePreparedContactUser],
            category: "Contacts",
            policy: .data,
            of: patchedContact
        ) { context, patch throws(ProblemDetails) in
            let id = try context.id("contactId")
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
            let id = try context.id("connId")
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
            .contacts(.enableContact(contactId: try context.id("contactId")))
        },
    ]
}

extension ContactsResource {
    /// The values of a contact that clients change.
    private static let patchedContact = PatchedResource { context throws(ProblemDetails) in
        .contacts(.contactInfo(contactId: try context.id("contactId")))
    } values: { response in
        guard case .contactInfo(_, let contact, _, _) = response else { return [] }
        return [
            ("alias", contact.profile.localAlias), ("preferences", contact.userPreferences),
            ("customData", contact.customData),
        ]
    }

    /// The values of a connection that clients can change, in the answer with its chat.
    private static let patchedConnection = PatchedResource { context throws(ProblemDetails) in
        let chat = ChatRef(chatType: .contactConnection, chatId: try context.id("connId"), chatScope: nil)
        return .messages(.getChat(chat: chat, contentTag: nil, pagination: .initial(count: 1), search: nil))
    } values: {
        MessagesResource.values($0)
    }
}

extension RouteContext {
    /// Reads `mode`, which is `full` (default), `entity` or `messages`, and `notify`: whether the contact is notified.
    fileprivate func chatDeleteMode() throws(ProblemDetails) -> ChatDeleteMode {
        let notify = try flag("notify", default: true)
        switch parameter("mode") {
        case nil, "full": return .full(notify: notify)
        case "entity": return .entity(notify: notify)
        case "messages": return .messages
        default: throw ProblemDetails(parameter: "mode", "must be full, entity or messages.")
        }
    }
}

extension RequestBody {
    /// Reads `connLink`: a link, or the object `{"connFullLink","connShortLink"}` from the answer with an invitation.
    func connLink() throws(ProblemDetails) -> CreatedConnLink {
        if let link = json("connLink")?.stringValue { return CreatedConnLink(connFullLink: link) }
        return try value("connLink")
    }
}
