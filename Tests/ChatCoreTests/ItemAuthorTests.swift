import TestSupport
import Testing

@testable import ChatCore

@Suite("The author of an item")
struct ItemAuthorTests {
    @Test("is stored and read with the item; items of a chat with one peer, and notes, have none")
    func stored() async throws {
        let store = try await TemporaryStore()
        let ids = try await store.chats.write { tx in
            try tx.addUsers()
            var contact = try #require(try ContactRecord.find(1, user: 1, in: tx.db))
            var notes = try #require(try NoteFolderRecord.find(1, user: 1, in: tx.db))
            func new(_ author: Int64?) -> NewItem {
                var new = NewItem(isSent: false, content: .chatBanner, text: "", status: .rcvRead)
                new.author = author
                return new
            }
            let written = try ItemWriter.create(new(7), in: &contact, movesChat: false, tx)
            #expect(written.author == 7)
            return (written.itemId, try ItemWriter.create(new(nil), in: &contact, movesChat: false, tx).itemId, try ItemWriter.create(new(nil), in: &notes, movesChat: false, tx).itemId)
        }
        try await store.chats.read { db throws in
            let contact = try #require(try ContactRecord.find(1, user: 1, in: db))
            let notes = try #require(try NoteFolderRecord.find(1, user: 1, in: db))
            #expect(try ItemQueries.items([ids.0, ids.1], in: contact, db).map(\.author) == [7, nil])
            #expect(try ItemQueries.get(ids.2, in: notes, db).author == nil)
        }
    }
}
