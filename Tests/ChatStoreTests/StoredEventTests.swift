import ChatProtocol
import Testing

@testable import ChatStore

@Suite("Entries of the journal as they are stored")
struct StoredEventTests {
    private static let event = Array(
        #"""
        {"type":"contactConnecting","user":{"userId":1,"agentUserId":"1","userContactId":1,"localDisplayName":"alice","profile":{"profileId":1,"displayName":"alice","fullName":"","localAlias":""},"fullPreferences":{"timedMessages":{"allow":"yes"},"fullDelete":{"allow":"no"},"reactions":{"allow":"yes"},"voice":{"allow":"yes"},"files":{"allow":"always"},"calls":{"allow":"yes"},"sessions":{"allow":"no"},"commands":[]},"activeUser":true},"contact":{"contactId":4,"localDisplayName":"bob","profile":{"profileId":4,"displayName":"bob","fullName":"","localAlias":""},"contactUsed":true,"contactStatus":"active"}}
        """#.utf8
    )

    @Test
    func `A typical stored event takes less than a third of its text's size, and is read back unchanged`() throws {
        let stored = StoredEvent.encode(Self.event)
        #expect(stored.count < Self.event.count / 3)
        #expect(try StoredEvent.decodeText(of: stored) == Self.event)
    }

    @Test
    func `Short events are stored uncompressed, and events that earlier programs compressed are read`() throws {
        let short = Array(#"{"type":"chatSuspended"}"#.utf8)
        #expect(StoredEvent.encode(short) == short)
        #expect(try StoredEvent.decodeText(of: short) == short)
        let frame = try #require(ZstdFrame.compress(Self.event, level: 1))
        #expect(try StoredEvent.decodeText(of: frame) == Self.event)
    }

    @Test
    func `A damaged journal entry is reported, and not read as an event`() {
        let stored = StoredEvent.encode(Self.event)
        for damaged in [[1], [1, 2, 3, 4], Array(stored.dropLast(9)), Array(stored.prefix(8)), [1] + Self.event] {
            #expect(throws: ChatProtocolError.self) { try StoredEvent.decodeText(of: damaged) }
        }
    }
}
