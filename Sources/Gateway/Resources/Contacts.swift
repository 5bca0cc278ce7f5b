internal import ChatAPI
internal import JSON

/// Routes for invitations, contacts and contact requests.
enum ContactsResource {
    static let routes: [Route] = [
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/connections/invitations",
            "createInvitation",
            .addContact,
            category: "Contacts",
            policy: .storeData,
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
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/connections",
            "createConnection",
            .connect,
            category: "Contacts",
            policy: .storeData,
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
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/connections/plan",
            "planConnection",
            .connectPlan,
            category: "Contacts",
            policy: .storeData
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
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/contacts/prepared",
            "prepareContact",
            .prepareContact,
            category: "Contacts",
            policy: .storeData
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
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/contacts/{contactId}/connect",
            "connectPreparedContact",
            .connectPreparedContact,
            category: "Contacts",
            policy: .storeData,
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
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/contacts/{contactId}/connect-via-address",
            "connectContactByAddress",
            .connectContactViaAddress,
            category: "Contacts",
            policy: .storeData,
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
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/contact-requests/{contactReqId}/accept",
            "acceptContactRequest",
            .acceptContact,
            category: "Contacts",
            policy: .storeData,
            success: .accepted
        ) { context throws(ProblemDetails) in
            .contacts(
                .acceptContact(
                    incognito: try context.parseBody().decodeIfPresent("incognito") ?? false,
                    contactReqId: try context.parseID("contactReqId")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/contact-requests/{contactReqId}/reject",
            "rejectContactRequest",
            .rejectContact,
            category: "Contacts",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .contacts(.rejectContact(contactReqId: try context.parseID("contactReqId")))
        },
        .makeCommandRoute(
            .delete,
            "/v1/users/{userId}/chats/{chatType}/{chatId}",
            "deleteChat",
            .deleteChat,
            category: "Contacts",
            policy: .chatData
        ) { context throws(ProblemDetails) in
            .contacts(.deleteChat(chat: try context.parseChat(), mode: try context.parseChatDeleteMode()))
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/chats/{chatType}/{chatId}/clear",
            "clearChat",
            .clearChat,
            category: "Contacts",
            policy: .chatData
        ) { context throws(ProblemDetails) in
            .contacts(.clearChat(chat: try context.parseChat()))
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/contacts",
            "listContacts",
            .listContacts,
            category: "Contacts",
            policy: .storeData,
            cached: true,
            success: .page(ListPages.selectContacts),
            finishing: FieldMask.makeFinisher("contacts", of: "Contact")
        ) { context throws(ProblemDetails) in
            _ = try context.parsePage()
            for name in ["name", "search"] { _ = context.readParameter(name) }
            return .contacts(.listContacts(userId: try context.parseID("userId")))
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/contacts/{contactId}",
            "getContact",
            .contactInfo,
            category: "Contacts",
            policy: .chatData,
            patched: patchedContact
        ) { context throws(ProblemDetails) in
            .contacts(.contactInfo(contactId: try context.parseID("contactId")))
        },
        .makePatchRoute(
            "/v1/users/{userId}/contacts/{contactId}",
            "updateContact",
            [.setContactAlias, .setContactPrefs, .setContactCustomData, .changePreparedContactUser],
            category: "Contacts",
            scopes: [.read, .write],
            policy: .storeData,
            of: patchedContact
        ) { context, patch throws(ProblemDetails) in
            let id = try context.parseID("contactId")
            patch.setOrDeleteMember("alias") { .contacts(.setContactAlias(contactId: id, localAlias: $0 ?? "")) }
            patch.setOrDeleteMember("preferences") {
                .contacts(.setContactPrefs(contactId: id, preferences: $0 ?? Preferences()))
            }
            patch.setOrDeleteMember("customData") { (data: ArbitraryObject?) in
                .contacts(.setContactCustomData(contactId: id, customData: data?.members))
            }
            patch.setMember("userId") { [.contacts(.changePreparedContactUser(contactId: id, newUserId: $0))] }
        },
        .makePatchRoute(
            "/v1/users/{userId}/connections/{connId}",
            "updateConnection",
            [.setConnectionAlias, .setConnectionIncognito, .changeConnectionUser],
            category: "Contacts",
            scopes: [.read, .write],
            policy: .storeData,
            of: patchedConnection
        ) { context, patch throws(ProblemDetails) in
            let id = try context.parseID("connId")
            patch.setOrDeleteMember("alias") { .contacts(.setConnectionAlias(connId: id, localAlias: $0 ?? "")) }
            patch.setMember("incognito") { [.contacts(.setConnectionIncognito(connId: id, incognito: $0))] }
            patch.setMember("userId") { [.contacts(.changeConnectionUser(connId: id, userId: $0))] }
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/contacts/{contactId}/enable",
            "enableContact",
            .enableContact,
            category: "Contacts",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .contacts(.enableContact(contactId: try context.parseID("contactId")))
        },
    ]
}

extension ContactsResource {
    /// The values that clients can change in a contact.
    private static let patchedContact = PatchedResource { context throws(ProblemDetails) in
        .contacts(.contactInfo(contactId: try context.parseID("contactId")))
    } changeableValues: { response in
        guard case .contactInfo(_, let contact, _, _) = response else { return [] }
        return [
            ("alias", contact.profile.localAlias), ("preferences", contact.userPreferences),
            ("customData", contact.customData),
        ]
    }

    /// The values that clients can change in a connection. The present values are read with the chat of the connection.
    private static let patchedConnection = PatchedResource { context throws(ProblemDetails) in
        let chat = ChatRef(chatType: .contactConnection, chatId: try context.parseID("connId"), chatScope: nil)
        return .messages(.getChat(chat: chat, contentTag: nil, pagination: .initial(count: 1), search: nil))
    } changeableValues: {
        MessagesResource.collectChangeableValues($0)
    }
}

extension RouteContext {
    /// Reads the parameters `mode` (`full`, `entity` or `messages`; by default `full`) and `notify`, which says whether
    /// the contact is notified.
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
