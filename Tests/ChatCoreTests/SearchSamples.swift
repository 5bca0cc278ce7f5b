import SQLCipher
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

/// Sample texts and searches.
enum SearchSamples {
    /// Frequent and rare words, with letters of one, two and three bytes.
    static let sampleWords = [
        "and", "the", "List", "listen", "Straße", "привет", "中文字", "tea", "steam", "eat", "ate", "nation", "stations",
        "it's", "\"quoted\"", "100%", "a_b", "back\\slash",
    ]

    static func makeText(_ random: inout SeededRandom) -> String {
        var text = (0..<Int.random(in: 1...4, using: &random)).map { _ in
            sampleWords[
                min(
                    .random(in: 0..<sampleWords.count, using: &random),
                    .random(in: 0..<sampleWords.count, using: &random)
                )
            ]
        }.joined(separator: " ")
        if Int.random(in: 0..<900, using: &random) == 0 { text += " Rarity" }
        return text
    }

    static func makeNeedle(_ random: inout SeededRandom) -> String {
        let needles =
            sampleWords + [
                "RARITY", "rarity", "ist", "the tea", "e t", "ПРИВЕТ", "文字", "nothing", "tion", "tea steam eat", "%",
                "a_d", "R", "q", "zz", "ty", "文", "z", "'", "\"", "t's \"quoted", "0%", "_b", "\\s", "*", "ß",
                "STRASSE", "straße", "listeation", "teatea",
            ]
        return needles.randomElement(using: &random) ?? ""
    }

    /// Makes random edits, moves and deletions.
    /// - Parameter contact: sets the columns that name the chat of an item to the second contact.
    static func changeItems(
        _ db: StoreConnection,
        _ random: inout SeededRandom,
        contact: String = "chat_type = 0, chat_id = 2"
    ) throws {
        let newest = try db.firstRow("SELECT max(chat_item_id) AS id FROM chat_items")?.int64("id") ?? 1
        for _ in 0..<60 {
            let id = Int64.random(in: 1...newest, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                try db.execute(
                    "UPDATE chat_items SET item_text = ? WHERE chat_item_id = ?",
                    makeText(&random) + " Rarity",
                    id
                )
            case 1: try db.execute("UPDATE chat_items SET user_id = 1, \(contact) WHERE chat_item_id = ?", id)
            default: try db.execute("DELETE FROM chat_items WHERE chat_item_id = ?", id)
            }
        }
    }

    /// Compares the results of searches with a scan of every message.
    static func compareResults(
        _ rounds: Int,
        _ db: StoreConnection,
        _ random: inout SeededRandom,
        _ outline: SearchOutline = SearchOutline()
    ) throws {
        for _ in 0..<rounds {
            let count = Int.random(in: 1...60, using: &random)
            let filter = ItemFilter(searchText: makeNeedle(&random), searchOutline: outline)
            let isChat = Bool.random(using: &random)
            let contact = try #require(try ContactRecord.find(.random(in: 1...3, using: &random), user: 1, in: db))
            let place: ItemSearch.Scope = isChat ? .chat(contact) : .user(1)
            let (scope, ts) =
                isChat
                ? ("user_id = 1 AND chat_type = 0 AND chat_id = \(contact.contactId)", "created_at")
                : ("user_id = 1", "item_ts")
            let direction: ItemQueries.Direction = Bool.random(using: &random) ? .before : .after
            let all = try db.query(
                "SELECT chat_item_id AS id, \(ts) AS ts FROM chat_items WHERE \(scope) ORDER BY 2, 1"
            )
            let beside =
                try Bool.random(using: &random)
                ? nil : all.randomElement(using: &random).map { (ts: try $0.int64("ts"), id: try $0.int64("id")) }
            let (sign, way) = direction == .before ? ("<", "DESC") : (">", "ASC")
            let bound =
                beside.map { "AND (\(ts) \(sign) \($0.ts) OR (\(ts) = \($0.ts) AND chat_item_id \(sign) \($0.id)))" }
                ?? ""
            let expected = try db.query(
                """
                SELECT chat_item_id FROM chat_items WHERE \(scope) AND instr(lower(item_text), lower(?)) > 0 \(bound)
                ORDER BY \(ts) \(way), chat_item_id \(way) LIMIT \(count)
                """,
                filter.searchText
            ).map { try $0.int64(0) }
            let found = try ItemSearch(scope: place, filter: filter, db: db).findPage(direction, beside, count: count)
            #expect(found == expected, "\(filter.searchText) \(direction) \(isChat)")
        }
    }
}
