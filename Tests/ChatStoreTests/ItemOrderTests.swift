import ChatAPI
import Testing

@testable import ChatStore

@Suite struct ItemOrderTests {
    @Test
    func `Messages of one second are ordered by the second in groups, and by the exact time in direct chats`() {
        let question = Timestamp(nanoseconds: 1_795_230_845_029_000_000), answer = Timestamp(seconds: 1_795_230_845)
        for key in [ChatKey.group(1), .memberSupport(1)] {
            #expect(key.orderTime(sent: question, created: question) == key.orderTime(sent: answer, created: question))
        }
        #expect(ChatKey.contact(1).orderTime(sent: answer, created: question) == question)
    }

    @Test
    func `Messages of a group are ordered by the second in which they were sent`() {
        let first = Timestamp(nanoseconds: 1_795_230_845_999_999_999), second = Timestamp(seconds: 1_795_230_846)
        #expect(
            ChatKey.group(1).orderTime(sent: first, created: second)
                < ChatKey.group(1).orderTime(sent: second, created: first)
        )
    }
}
