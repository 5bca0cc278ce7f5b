internal import Agent
internal import ChatAPI
internal import SQLCipher

/// A contact whose chat was opened before there is a connection: by the link behind which its profile was found.
struct ContactPreparation: Sendable, Hashable {
    let link: CreatedConnLink
    /// The id of the owner's welcome, under which the owner refers to it.
    let welcomeID: SharedMessageID?
    /// The id of the message that goes with the request, the same at every try.
    let messageID: SharedMessageID?

    static let schema = """
        ALTER TABLE contacts ADD COLUMN conn_full_link_to_connect TEXT;
        ALTER TABLE contacts ADD COLUMN conn_short_link_to_connect TEXT;
        ALTER TABLE contacts ADD COLUMN welcome_shared_msg_id BLOB;
        ALTER TABLE contacts ADD COLUMN request_shared_msg_id BLOB;
        CREATE INDEX idx_contacts_short_link ON contacts (user_id, conn_short_link_to_connect) WHERE conn_short_link_to_connect IS NOT NULL;
        CREATE INDEX idx_connections_short_link ON connections (user_id, conn_short_link) WHERE conn_short_link IS NOT NULL;
        """

    static let columns = "c.conn_full_link_to_connect, c.conn_short_link_to_connect, c.welcome_shared_msg_id, c.request_shared_msg_id"

    init(link: CreatedConnLink, welcomeID: SharedMessageID?, messageID: SharedMessageID? = nil) {
        self.link = link
        self.welcomeID = welcomeID
        self.messageID = messageID
    }

    /// Nil for a contact that was not prepared.
    init?(_ row: Row) throws {
        guard let full = try row.stringOrNil("conn_full_link_to_connect") else { return nil }
        link = CreatedConnLink(connFullLink: full, connShortLink: try row.stringOrNil("conn_short_link_to_connect"))
        welcomeID = try row.blobOrNil("welcome_shared_msg_id").map(SharedMessageID.init(bytes:))
        messageID = try row.blobOrNil("request_shared_msg_id").map(SharedMessageID.init(bytes:))
    }

    func store(_ contactId: Int64, user: UserRecord, _ db: StoreConnection) throws {
        try db.execute(
            """
            UPDATE contacts SET conn_full_link_to_connect = ?, conn_short_link_to_connect = ?, welcome_shared_msg_id = ?, request_shared_msg_id = ?
            WHERE user_id = ? AND contact_id = ?
            """, [link.connFullLink, link.connShortLink, welcomeID?.bytes, messageID?.bytes, user.userId, contactId])
    }

    /// - Throws: `invalidConnReq` when the link cannot be read any more.
    var request: ConnectionRequest {
        get throws {
            guard let request = try? ConnectionRequest(parsing: link.connFullLink) else { throw ChatFailure(ChatErrorType.invalidConnReq) }
            return request
        }
    }

    /// Whether the conversation is going to have post-quantum encryption; an address does not say.
    var postQuantum: Bool? { (try? request)?.proposesPostQuantum }

    var api: PreparedContact {
        // As this program writes links: those of prepared contacts were read and written again.
        PreparedContact(
            connLinkToConnect: link, uiConnLinkType: link.connFullLink.hasPrefix("simplex:/invitation") ? .inv : .con,
            welcomeSharedMsgId: welcomeID.map { BytesText.url($0.bytes) }, requestSharedMsgId: messageID.map { BytesText.url($0.bytes) })
    }
}

extension ConnectionRequest {
    /// Whether an invitation has a KEM key; nil for an address.
    var proposesPostQuantum: Bool? {
        guard case .invitation(let e2e) = kind else { return nil }
        return e2e.versions.max >= 3 && e2e.kem != nil
    }
}
