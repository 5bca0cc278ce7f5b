import ChatAPI
import JSON
import SimpleXCrypto
import TestSupport
import Testing

@testable import ChatProtocol

@Suite("Messages of channels")
struct ChannelMessageTests {
    @Test(arguments: RecordedChannel.recordingNames)
    func `Every recorded message body of a channel is read, and a relay's batch is encoded to the same bytes`(
        _ name: String
    ) throws {
        let channel = try RecordedChannel(name)
        #expect(channel.relayBatches.count > 5 && channel.bodies.count > 15)
        for body in channel.relayBatches + channel.bodies + channel.connectionInfos {
            for element in MessageElements.parseAll(of: body) {
                if case .failure(let error) = element.content {
                    Issue.record("\(error): \(String(decoding: body.prefix(200), as: UTF8.self))")
                }
            }
        }
        // A relay does not put its own message about leaving the channel into a batch.
        for job in channel.relayBatches where job.first == UInt8(ascii: "=") {
            let elements = try BinaryBatch.parseElements(of: job)
            #expect(BinaryBatch.encodeElements(elements) == job)
            for element in elements where element.first == UInt8(ascii: ">") {
                let forwarded = try ForwardedMessage(element)
                let message = forwarded.signedMessage?.element ?? forwarded.message.withSortedNames.encodeText()
                let time = try #require(Timestamp(parsing: forwarded.relayReceivedAtText))
                #expect(
                    ForwardedMessage.encodeElement(
                        by: forwarded.authorID,
                        named: forwarded.authorName,
                        at: time,
                        message
                    )
                        == element
                )
            }
        }
    }

    @Test(arguments: RecordedChannel.recordingNames)
    func `Each recorded message of a channel is encoded to the recorded parameters`(_ name: String) throws {
        var relayEvents = 0
        let channel = try RecordedChannel(name)
        for body in channel.bodies + channel.connectionInfos {
            for element in MessageElements.parseAll(of: body) {
                guard case .success(.message(let message)) = element.content, let json = element.json else { continue }
                switch message.event {
                case .relay: relayEvents += 1
                case .group(.memberRole), .group(.memberDelete): break
                default: continue
                }
                #expect(JSONValue.object(message.event.params).withSortedNames == json["params"]?.withSortedNames)
            }
        }
        #expect(relayEvents > 0 || name == "group-v7")
    }

    @Test(arguments: RecordedChannel.recordingNames)
    func `A recorded signature is invalid for a changed message and for a chat of another type`(_ name: String) throws {
        let channel = try RecordedChannel(name)
        var verified = 0
        for (message, signed) in channel.messages {
            guard let signed else {
                // Every message that needs a signature has one.
                #expect(!message.event.requiresSignature || name == "group-v7", "\(message.event.tag)")
                continue
            }
            // The key of a relay is only in the relay's link. The key of the owner is also only in a link until
            // somebody joins.
            guard channel.isVerified(signed) else {
                let tag = message.event.tag
                #expect(
                    tag == "x.grp.leave" && name == "channel-relays" || tag == "x.grp.roster" && name == "channel-web",
                    "\(tag)"
                )
                continue
            }
            verified += 1
            var changed = signed
            changed.body[changed.body.count - 1] ^= 1
            #expect(!channel.isVerified(changed))
            changed = signed
            changed.binding = .channel
            #expect(!channel.isVerified(changed))
            changed = signed
            changed.signatures.append([UInt8](repeating: 7, count: 64))
            #expect(!channel.isVerified(changed))
            #expect(try SignedMessage(signed.element) == signed)
        }
        #expect(verified > 5 || name == "group-v7" || name == "files-v7" || name == "channel-web")
        for request in channel.joinRequests { #expect(channel.isVerified(request)) }
        #expect(!channel.joinRequests.isEmpty || name == "group-v7")
    }

    @Test(arguments: RecordedChannel.recordingNames.dropLast())
    func `Recorded member rosters have the hash that the owner signed, and are encoded again to the same bytes`(
        _ name: String
    ) throws {
        let channel = try RecordedChannel(name)
        var headers: [SharedMessageID: RosterHeader] = [:]
        for (message, _) in channel.messages {
            if case .relay(.roster(let header)) = message.event, let id = message.sharedID { headers[id] = header }
        }
        #expect(!headers.isEmpty)
        var found = 0
        for chunk in channel.rosterChunks {
            guard let header = headers[chunk.messageID] else { continue }
            found += 1
            #expect(
                chunk.chunkNumber == 1 && header.matches(chunk.bytes)
                    && RosterHeader(version: header.version, of: chunk.bytes) == header
            )
            let roster = try Roster(chunk.bytes)
            #expect(roster.encoded == chunk.bytes)
            for entry in roster.entries { #expect(channel.memberKeys[entry.id]?.contains(entry.key) ?? false) }
            #expect(!header.matches(chunk.bytes + [0]))
            #expect(MessageBody.parse(chunk.element) == [.success(.chunk(chunk))])
        }
        #expect(found >= headers.count)
    }

    @Test
    func `A signature of a channel message is valid only with the key, member and group of the signer`() throws {
        let (key, other) = (try Ed25519.PrivateKey(), try Ed25519.PrivateKey())
        let bound = GroupBinding(publicGroupID: [UInt8](repeating: 1, count: 32), member: .random())
        let body = try ChatMessage(event: .group(.leave)).encoded()
        let signed = try SignedMessage(body, by: key, bound: bound)
        #expect(signed.isValid(key.publicKey, bound: bound))
        #expect(!signed.isValid(other.publicKey, bound: bound))
        #expect(
            !signed.isValid(
                key.publicKey,
                bound: GroupBinding(publicGroupID: [UInt8](repeating: 2, count: 32), member: bound.memberID)
            )
        )
        #expect(
            !signed.isValid(key.publicKey, bound: GroupBinding(publicGroupID: bound.publicGroupID, member: .random()))
        )
        let element = try #require(MessageElements.parseAll(of: signed.element).first)
        #expect(element.signedMessage == signed && element.bytes == signed.element)
        guard case .success(.message(let message)) = element.content else {
            Issue.record("the message cannot be read")
            return
        }
        #expect(message.event == .group(.leave))
    }

    @Test
    func `Message elements with malformed signatures or invalid nested messages cause errors`() throws {
        let message = Array(#"{"event":"x.grp.leave","params":{}}"#.utf8)
        func signed(_ binding: Character, _ count: UInt8, _ signatures: [[UInt8]], _ rest: [UInt8]) -> [UInt8] {
            Array("/\(binding)".utf8) + [count] + signatures.flatMap { $0 } + rest
        }
        let signature = [UInt8(ascii: "M"), 64] + [UInt8](repeating: 1, count: 64)
        #expect(MessageElements.parseAll(of: signed("G", 1, [signature], message)).first?.signedMessage != nil)
        let wrong = [
            signed("G", 0, [], message), signed("X", 1, [signature], message), signed("G", 2, [signature], message),
            signed("G", 1, [], message),
            signed("G", 1, [[UInt8(ascii: "N"), 64] + [UInt8](repeating: 1, count: 64)], message),
            signed("G", 1, [[UInt8(ascii: "M"), 63] + [UInt8](repeating: 1, count: 63)], message),
            signed("G", 1, [signature], []),
            signed("G", 1, [signature], signed("G", 1, [signature], message)),
            signed("G", 1, [signature], [UInt8(ascii: "F"), 0, 0, 0]),
        ]
        let forwarded = ForwardedMessage.encodeElement(by: .random(), named: "bob", at: .now, message)
        let nested = ForwardedMessage.encodeElement(by: nil, named: "", at: .now, forwarded)
        let chunk = ForwardedMessage.encodeElement(by: nil, named: "", at: .now, [UInt8(ascii: "F"), 0, 0, 1])
        let nobody = Array(">M".utf8) + [0, 0] + BinaryEncoder.encodeInt64(1) + message
        for element in wrong + [nested, chunk, nobody, Array(">C".utf8)] {
            guard case .failure? = MessageBody.parse(element).first else {
                Issue.record("\(String(decoding: element, as: UTF8.self)) was read")
                continue
            }
        }
        // Each element of a batch is read separately, so a wrong element does not prevent the reading of other
        // elements.
        let batch = MessageElements.parseAll(of: BinaryBatch.encodeElements([forwarded, nested, message]))
        #expect(batch.map { if case .success = $0.content { true } else { false } } == [true, false, true])
        for cut in 1..<forwarded.count {
            guard case .failure? = MessageBody.parse(Array(forwarded.prefix(cut))).first else {
                Issue.record("\(cut) bytes were read")
                continue
            }
        }
    }

    @Test
    func `A member roster of a channel with a wrong length or count is refused`() throws {
        func entry(_ role: GroupMemberRole) throws -> Roster.Entry {
            Roster.Entry(id: .random(), key: MemberKey(try Ed25519.PrivateKey().publicKey), role: role)
        }
        let entries = [try entry(.member), try entry(.moderator), try entry(.admin)]
        let bytes = Roster(entries).encoded
        #expect(try Roster(bytes).entries == entries)
        var twice = entries
        twice.append(Roster.Entry(id: entries[0].id, key: entries[1].key, role: .admin))
        #expect(Roster(twice + [try entry(.owner), try entry(.observer)]).entries == entries)
        for cut in 0..<bytes.count {
            #expect(throws: ChatProtocolError.invalidBinary) { try Roster(Array(bytes.prefix(cut))) }
        }
        #expect(throws: ChatProtocolError.invalidBinary) { try Roster(bytes + [0]) }
        #expect(throws: ChatProtocolError.invalidBinary) { try Roster([1, 1] + [UInt8](repeating: 0, count: 20_000)) }
        #expect(throws: ChatProtocolError.invalidBinary) { try Roster([0, 1] + [UInt8](repeating: 0, count: 40_000)) }
        #expect(try Roster([0, 0]).entries.isEmpty)
        let reader = ParamReader(
            RosterHeader(version: 1, of: [UInt8](repeating: 0, count: 32_769)).params,
            in: "params"
        )
        #expect(throws: ChatProtocolError.self) { try RosterHeader(reader) }
    }

    @Test(arguments: [-1, Int64.min, (1 << 53) + 1, .max])
    func `A negative or too large version of a member roster is refused`(version: Int64) throws {
        var params = RosterHeader(version: 1, of: [0, 0]).params
        #expect(try RosterHeader(ParamReader(params, in: "params")).version == 1)
        params["version"] = .integer(version)
        #expect(throws: ChatProtocolError.self) { try RosterHeader(ParamReader(params, in: "params")) }
        #expect(throws: ChatProtocolError.self) {
            try RosterChange(ParamReader(JSONObject([("rosterVersion", .integer(version))]), in: "params"))
        }
    }

    @Test
    func `A batch contains as many forwarded messages as fit into a message`() {
        #expect(BinaryBatch.splitIntoBatches(sizes: []).batches.isEmpty)
        let exact = ChatMessageLimits.messageBytes - 4
        #expect(BinaryBatch.splitIntoBatches(sizes: [exact]).batches == [0..<1])
        #expect(BinaryBatch.splitIntoBatches(sizes: [exact + 1]).tooLarge == [0])
        let mixed = BinaryBatch.splitIntoBatches(sizes: [8_000, 7_000, 600, exact + 1, 5, exact, 1])
        #expect(mixed.batches == [0..<2, 2..<3, 4..<5, 5..<6, 6..<7] && mixed.tooLarge == [3])
        #expect(
            BinaryBatch.splitIntoBatches(sizes: [Int](repeating: 1, count: 600)).batches == [
                0..<255, 255..<510, 510..<600,
            ]
        )
        // The largest possible batch still fits into a message.
        let most = [[UInt8]](repeating: [UInt8](repeating: 1, count: 100), count: 200)
        for range in BinaryBatch.splitIntoBatches(sizes: most.map(\.count)).batches {
            #expect(BinaryBatch.encodeElements(Array(most[range])).count <= ChatMessageLimits.messageBytes)
        }
    }

    @Test
    func `A randomly changed message body or roster of a channel does not crash the parser`() throws {
        let channel = try RecordedChannel("channel-moderation")
        for body in channel.relayBatches.suffix(6) + channel.bodies.suffix(10) {
            for changed in makeMutations(of: body, count: 60) { _ = MessageElements.parseAll(of: changed) }
        }
        let roster = try #require(channel.rosterChunks.map(\.bytes).max { $0.count < $1.count })
        for changed in makeMutations(of: roster, count: 500) { _ = try? Roster(changed) }
    }
}
