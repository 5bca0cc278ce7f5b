internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// The link and the message ids of a prepared chat. A prepared chat is a chat with a contact or a group that the user
/// has opened by a link before a connection existed. The link and the ids are kept after the user has connected.
struct ChatPreparation: Sendable, Hashable {
    let link: CreatedConnLink
    /// The id of the welcome message of the link's owner. Later messages of the owner can refer to this id.
    let welcomeID: SharedMessageID?
    /// The id of the message that the user sends with the request to connect. Every attempt to connect uses the same
    /// id.
    let messageID: SharedMessageID?

    static let columns =
        "c.conn_full_link_to_connect, c.conn_short_link_to_connect, c.welcome_shared_msg_id, c.request_shared_msg_id"

    init(link: CreatedConnLink, welcomeID: SharedMessageID?, messageID: SharedMessageID? = nil) {
        self.link = link
        self.welcomeID = welcomeID
        self.messageID = messageID
    }

    /// Reads the preparation from the row of a contact or of a group; nil for a chat that was not prepared. The columns
    /// have the same names in both rows.
    init?(_ row: Row) throws {
        guard let full = try row.stringOrNil("conn_full_link_to_connect") else { return nil }
        link = CreatedConnLink(connFullLink: full, connShortLink: try row.stringOrNil("conn_short_link_to_connect"))
        welcomeID = try row.blobOrNil("welcome_shared_msg_id").map(SharedMessageID.init(bytes:))
        messageID = try row.blobOrNil("request_shared_msg_id").map(SharedMessageID.init(bytes:))
    }

    func store(in chat: ChatKey, user: UserRecord, _ db: StoreConnection) throws {
        guard let (table, id) = Self.tableAndKey(of: chat) else { return }
        try db.update(
            table,
            set: [
                "conn_full_link_to_connect": link.connFullLink, "conn_short_link_to_connect": link.connShortLink,
                "welcome_shared_msg_id": welcomeID?.bytes, "request_shared_msg_id": messageID?.bytes,
            ],
            where: ["user_id": user.userId, id: chat.chatId]
        )
    }

    private static func tableAndKey(of chat: ChatKey) -> (table: String, id: String)? {
        switch chat {
        case .contact: ("contacts", "contact_id")
        case .group: ("groups", "group_id")
        case .notes, .memberSupport, .supportChatReference: nil
        }
    }

    /// The connection request that the link contains.
    /// - Throws: `invalidConnReq` when the link cannot be parsed.
    var request: ConnectionRequest {
        get throws {
            guard let request = try? ConnectionRequest(parsing: link.connFullLink) else {
                throw ChatFailure(ChatErrorType.invalidConnReq)
            }
            return request
        }
    }

    /// Whether the conversation will have post-quantum encryption; nil for an address, which does not contain this
    /// information.
    var expectsPostQuantum: Bool? { (try? request)?.proposesPostQuantum }

    var api: PreparedContact {
        // `/_prepare contact` has already parsed the link and encoded it again, so the link has the form in which this
        // program writes links.
        PreparedContact(
            connLinkToConnect: link,
            uiConnLinkType: link.connFullLink.hasPrefix("simplex:/invitation") ? .inv : .con,
            welcomeSharedMsgId: welcomeID.map { BytesText.base64URL($0.bytes) },
            requestSharedMsgId: messageID.map { BytesText.base64URL($0.bytes) }
        )
    }
}

extension ConnectionRequest {
    /// Whether an invitation has a KEM key; nil for an address.
    var proposesPostQuantum: Bool? {
        guard case .invitation(let e2e) = kind else { return nil }
        return e2e.versions.max >= 3 && e2e.kem != nil
    }
}
