import Testing

@testable import ChatCore
@testable import SQLCipher

@Suite struct SchemaTests {
    @Test(
        "The triggers of the schema contain the same numbers as the constants of the program",
        arguments: [
            "order_ts / \(ChatCounts.day)", "chat_item_id / \(SearchSpan.large)", "0), \(FileRecord.hardLimit))",
            "OLD.chat_type = \(ChatKey.Kind.support.rawValue) AND",
            "NEW.chat_type = \(ChatKey.Kind.group.rawValue) AND",
        ]
    )
    func numbers(text: String) {
        #expect(ChatSchema.migrations.contains { $0.sql.contains(text) })
    }
}
