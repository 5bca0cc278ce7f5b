internal import ChatAPI
internal import ChatProtocol
internal import SQLCipher

/// Handling of `x.direct.del`, with which a contact reports that it has deleted the connection to the user.
extension MessageReceiver {
    func handleDeletionByContact(_ sharedID: SharedMessageID?, _ contact: inout ContactRecord) throws {
        try CallRecord.endForDeletedContact(contact, user, tx)
        try contact.setStatus(.deleted, tx)
        for connection in try ConnectionRecord.all(of: contact, in: tx.db) {
            // The row of the connection stays as a record, and the agent deletes its own data about the connection.
            try connection.setStatus(.deleted, at: tx.now, in: tx.db)
            try tx.requestDeletionInAgent(connection, .silent)
        }
        contact.connection?.status = .deleted
        var new = NewItem(
            isSent: false,
            content: .rcvDirectEvent(rcvDirectEvent: .contactDeleted),
            text: "contact deleted",
            status: .rcvRead
        )
        new.itemTs = brokerTs
        new.sharedID = sharedID
        try emitNewItem(new: ItemWriter.create(new, in: &contact, movesChat: false, tx), contact)
        try tx.emit(.contactDeletedByContact(user: user.api, contact: contact.api(user)), user: user.userId)
    }
}
