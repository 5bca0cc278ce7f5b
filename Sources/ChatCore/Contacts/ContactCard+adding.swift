internal import ChatAPI
internal import ChatStore
internal import SQLCipher

extension ContactCard {
    /// Adds the contact that the card describes to the contacts of a user.
    func add(to user: UserRecord, _ tx: Transaction) throws {
        let profile = Profile(
            displayName: name,
            fullName: "",
            shortDescr: description,
            contactLink: address,
            peerType: isBot ? .bot : nil
        )
        let contactId = try ContactRecord.create(profile, alias: "", user, tx)
        // The column `contact_used` makes the chat list show the contact.
        try tx.db.update(
            "contacts",
            set: ["contact_used": 1],
            where: ["user_id": user.userId, "contact_id": contactId]
        )
    }
}
