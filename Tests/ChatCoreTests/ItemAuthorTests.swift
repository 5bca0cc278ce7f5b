import ChatAPI
import ChatStoreTestSupport
import TestSupport
import Testing

@testable import ChatCore

@Suite("The author of an item")
struct ItemAuthorTests {
    @Test
    func `Items of a group are read with their author, and items of direct chats and notes have no author`()
        async throws
    {
        let store = try await TemporaryStore()
        let (groupId, ids) = try await store.chats.write { tx in
            try tx.addUsers()
            let user = try #require(try UserRecord.find(1, in: tx.db))
            var group = try GroupRecord.create(
                GroupProfile(displayName: "team", fullName: ""),
                incognito: false,
                user,
                tx
            )
            let member = try MemberRecord.create(
                NewMember(
                    id: .random(),
                    role: .member,
                    category: .pre,
                    status: .connected,
                    profileId: 0,
                    localDisplayName: "",
                    versions: .supported
                ),
                profile: Profile(displayName: "carol", fullName: ""),
                in: group.groupId,
                user,
                tx
            )
            func new(_ author: MemberRecord?) -> NewItem {
                var new = NewItem(isSent: false, content: .chatBanner, text: "", status: .rcvRead)
                new.author = author
                return new
            }
            let written = try ItemWriter.create(new(member), in: &group, movesChat: false, tx)
            #expect(written.authorRecord?.localDisplayName == "carol")
            var contact = try #require(try ContactRecord.find(1, user: 1, in: tx.db))
            var notes = try #require(try NoteFolderRecord.find(1, user: 1, in: tx.db))
            return (
                group.groupId,
                [
                    written.itemId, try ItemWriter.create(new(nil), in: &group, movesChat: false, tx).itemId,
                    try ItemWriter.create(new(nil), in: &contact, movesChat: false, tx).itemId,
                    try ItemWriter.create(new(nil), in: &notes, movesChat: false, tx).itemId,
                ]
            )
        }
        try await store.chats.read { db throws in
            let user = try #require(try UserRecord.find(1, in: db))
            let group = try GroupRecord.get(groupId, user: user, in: db)
            #expect(
                try ItemQueries.findItems(Array(ids.prefix(2)), in: group, db).map { $0.authorRecord?.localDisplayName }
                    == ["carol", nil]
            )
            let contact = try #require(try ContactRecord.find(1, user: 1, in: db))
            let notes = try #require(try NoteFolderRecord.find(1, user: 1, in: db))
            #expect(try ItemQueries.get(ids[2], in: contact, db).authorId == nil)
            #expect(try ItemQueries.get(ids[3], in: notes, db).authorId == nil)
        }
    }
}
