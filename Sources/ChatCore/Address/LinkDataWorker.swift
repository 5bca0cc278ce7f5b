internal import Agent
internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import Logging
internal import SQLCipher

/// Updates the data behind the short link of an address after a change of the user's profile, and the data behind a
/// group link after a change of the group's profile. The database records that an update is needed, and the worker
/// repeats a failed update after a while.
final class LinkDataWorker: Worker {
    let followUpWork = FollowUp.linkData
    let store: ChatStore
    let agent: Agent
    let logger: Logger
    let signal = WakeSignal()

    init(store: ChatStore, agent: Agent, logger: Logger) {
        self.store = store
        self.agent = agent
        self.logger = logger
    }

    func findTimeUntilWork(_ db: StoreConnection) throws -> Duration? {
        let isStale = try db.hasRow(
            """
            SELECT 1 FROM user_addresses WHERE link_data_stale = 1
            UNION ALL SELECT 1 FROM group_links WHERE link_data_stale = 1
            """
        )
        return isStale ? .zero : nil
    }

    func run(from start: WorkerStart) async {
        await signal.run(logger, .warning, after: start.pause, whenFailed: "link data not written") {
            try await writeAllLinkData()
            return nil
        }
    }

    private func writeAllLinkData() async throws {
        try await writeStaleAddressLinkData()
        try await writeStaleGroupLinkData()
    }

    private func writeLinkData(
        _ agentConnId: String,
        _ data: () throws -> [UInt8],
        clientData: String? = nil,
        type: ShortLink.ContactType = .contact
    ) async throws {
        guard let id = ConnectionID(text: agentConnId) else { return }
        do {
            try await agent.setLinkData(id, userData: data(), clientData: clientData, type: type)
        } catch let error as AgentError where !error.isTemporary {
            logger.error("link data refused", metadata: ["error": "\(error)"])
        } catch let error as ChatFailure {
            logger.error("link data too large", metadata: ["error": "\(error)"])
        }
    }

    private func writeStaleGroupLinkData() async throws {
        let stale = try await store.read { db in
            try GroupLinkRecord.findStale(in: db).compactMap { link in
                try GroupRecord.find(link.groupId, user: link.userId, in: db).map { (link, $0) }
            }
        }
        for (link, group) in stale {
            if group.isChannel {
                try await writeChannelLink(link)
                continue
            }
            try await writeLinkData(
                link.agentConnId,
                { try ShortLinkData.encode(group) },
                clientData: GroupLinkRecord.makeClientData(link.groupLinkID),
                type: .group
            )
            try await store.write { tx in
                // If the profile has changed again during the write, the link needs another write.
                guard let now = try GroupRecord.find(group.groupId, user: group.userId, in: tx.db),
                    now.profile == group.profile
                else {
                    return tx.followUpWork.formUnion(.linkData)
                }
                try tx.db.execute(
                    "UPDATE group_links SET link_data_stale = 0 WHERE user_contact_link_id = ?",
                    [link.linkId]
                )
            }
        }
    }

    private func writeStaleAddressLinkData() async throws {
        let stale = try await store.read { db in
            try AddressRecord.findStale(in: db).compactMap { address in
                try UserRecord.find(address.userId, in: db).map { (address, $0) }
            }
        }
        for (address, user) in stale {
            try await writeLinkData(address.agentConnId) { try ShortLinkData.encode(user, address.settings) }
            try await store.write { try address.markLinkDataWritten(of: user, $0) }
        }
    }
}

extension AddressRecord {
    /// Marks the data behind the user's short link as outdated, after a change of the profile or of the settings.
    /// - Parameter isUnderway: whether a command is still writing the link. In this case, the worker is not woken.
    static func markLinkDataStale(of user: UserRecord, isUnderway: Bool = false, _ tx: Transaction) throws {
        try tx.db.execute(
            "UPDATE user_addresses SET link_data_stale = 1 WHERE user_id = ? AND conn_short_link IS NOT NULL",
            [user.userId]
        )
        if tx.db.changeCount > 0, !isUnderway { tx.followUpWork.insert(.linkData) }
    }

    /// Marks the data behind the short link as up to date, after the worker has written the data. If the profile, badge
    /// or settings have changed during the write, the function requests another write instead.
    func markLinkDataWritten(of user: UserRecord, _ tx: Transaction) throws {
        guard try isLinkDataUnchanged(of: user, tx.db) else { return tx.followUpWork.formUnion(.linkData) }
        try tx.db.execute("UPDATE user_addresses SET link_data_stale = 0 WHERE user_contact_link_id = ?", [linkId])
    }

    /// Whether the data of the link is unchanged in the database: the profile and the badge of `user`, and the settings
    /// of this address.
    func isLinkDataUnchanged(of user: UserRecord, _ db: StoreConnection) throws -> Bool {
        let now = try UserRecord.find(userId, in: db)
        return try now?.profile == user.profile && now?.badge == user.badge
            && AddressRecord.find(user: userId, in: db)?.settings == settings
    }

    /// Stores new settings, after a command has written the settings to the link. Afterwards, the worker writes the
    /// link again, because a concurrent write of the earlier settings may have reached the relay last.
    func storeSettings(_ settings: AddressSettings, of user: UserRecord, _ tx: Transaction) throws {
        try tx.db.update(
            "user_addresses",
            set: ["settings": try StoredJSON.encode(settings)],
            where: ["user_contact_link_id": linkId]
        )
        try Self.markLinkDataStale(of: user, tx)
    }

    static func findStale(in db: StoreConnection) throws -> [AddressRecord] {
        try db.query(query + " WHERE link_data_stale = 1").map(AddressRecord.init)
    }
}
