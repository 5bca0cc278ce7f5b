internal import ChatAPI
internal import ChatStore
internal import SQLCipher

extension ContactInfoCache {
    /// The number of contacts that one query reads.
    private static let contactsPerQuery = 50

    /// Returns the contacts with these ids in the form of the API. Ids without a contact are omitted from the result.
    func loadInfos(_ contactIds: Set<Int64>, of user: UserRecord, _ db: StoreConnection) throws -> [Int64: ChatInfo] {
        var infos: [Int64: ChatInfo] = [:], rows: [Int64: [DatabaseValue]] = [:]
        for row in try readRows(
            "c.contact_id AS id, \(ContactRecord.ownColumns), c.card_version FROM contacts c",
            contactIds,
            user,
            db
        ) {
            rows[try row.int64("id")] = row.values
        }
        for (id, row) in rows { infos[id] = cachedInfo(id, user: user.userId, row: row, user.profile) }
        let missing = Set(rows.keys.filter { infos[$0] == nil })
        for row in try readRows(
            "\(ContactRecord.columns), \(ConnectionRecord.columns) FROM \(ContactRecord.tables)",
            missing,
            user,
            db
        ) {
            let contact = try ContactRecord(row)
            let info = contact.chatInfo(user)
            infos[contact.contactId] = info
            guard let row = rows[contact.contactId] else { continue }
            cacheInfo(info, contact.contactId, user: user.userId, row: row, user.profile)
        }
        return infos
    }

    private func readRows(
        _ columns: String,
        _ contactIds: Set<Int64>,
        _ user: UserRecord,
        _ db: StoreConnection
    ) throws -> [Row] {
        try contactIds.sorted().chunks(of: Self.contactsPerQuery).flatMap { chunk in
            // The list of ids is padded with nil to a fixed length, so that one prepared statement can be used for any
            // number of ids.
            let ids: [Argument] = (0..<Self.contactsPerQuery).map {
                $0 < chunk.count ? chunk[chunk.startIndex + $0] : nil
            }
            return try db.query(
                "SELECT \(columns) WHERE c.user_id = ? AND c.contact_id IN (\(placeholders(Self.contactsPerQuery)))",
                [user.userId] + ids
            )
        }
    }
}
