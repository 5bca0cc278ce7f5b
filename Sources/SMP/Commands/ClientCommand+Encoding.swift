extension ClientCommand {
    package func encode(to writer: inout ByteWriter, version: SMPVersion) {
        writer.raw(tag.utf8)
        switch self {
        case .sub, .ldel, .ndel, .get, .off, .del, .que, .lget, .ping, .nsub: return
        case .subs, .nsubs:
            if version < .firstWithServiceSubscriptions { return }
            writer.byte(UInt8(ascii: " "))
        default: writer.byte(UInt8(ascii: " "))
        }
        switch self {
        case .new(let request): request.encode(to: &writer, version: version)
        case .key(let key), .skey(let key), .lkey(let key): writer.value(key)
        case .rkey(let keys): writer.nonEmptyList(keys)
        case .lset(let linkID, let data):
            writer.shortBytes(linkID)
            writer.value(data)
        case .nkey(let key, let dhKey):
            writer.value(key)
            writer.value(dhKey)
        case .ack(let messageID): writer.shortBytes(messageID)
        case .send(let flags, let body):
            writer.value(flags)
            writer.byte(UInt8(ascii: " "))
            writer.raw(body)
        case .prxy(let server, let password):
            writer.value(server)
            writer.optional(password) { writer, password in writer.shortText(password) }
        case .pfwd(let version, let key, let transmission):
            writer.value(version)
            writer.value(key)
            writer.raw(transmission)
        case .rfwd(let forward): writer.raw(forward)
        case .subs(let queues), .nsubs(let queues): queues.encode(to: &writer, version: version)
        case .rslv(let name): writer.raw(name.text.utf8)
        default: break
        }
    }

    /// Parses a command, which must use all of `bytes`. Throws the errors that the relay answers: `CMD UNKNOWN` for an
    /// unknown word, and `CMD SYNTAX` for any other fault.
    package init(parsing bytes: [UInt8], version: SMPVersion) throws(SMPErrorType) {
        try self.init(parsing: bytes[...], version: version)
    }

    package init(parsing bytes: ArraySlice<UInt8>, version: SMPVersion) throws(SMPErrorType) {
        var reader = ByteReader(bytes)
        let word = String(decoding: reader.slice(until: UInt8(ascii: " ")), as: UTF8.self)
        guard let tag = Tag(rawValue: word), tag != .rslv || version >= .firstWithNames else { throw .cmd(.unknown) }
        do throws(SMPEncodingError) {
            self = try Self.parseParameters(of: tag, from: &reader, version: version)
            try reader.finish()
        } catch {
            throw .cmd(.syntax)
        }
    }

    private static func parseParameters(
        of tag: Tag,
        from reader: inout ByteReader,
        version: SMPVersion
    ) throws(SMPEncodingError) -> ClientCommand {
        switch tag {
        case .sub: return .sub
        case .subs where version < .firstWithServiceSubscriptions: return .subs(.unknown)
        case .ldel: return .ldel
        case .ndel: return .ndel
        case .get: return .get
        case .off: return .off
        case .del: return .del
        case .que: return .que
        case .lget: return .lget
        case .ping: return .ping
        case .nsub: return .nsub
        case .nsubs where version < .firstWithServiceSubscriptions: return .nsubs(.unknown)
        default: break
        }
        guard reader.skip(UInt8(ascii: " ")) else { throw .unexpectedEnd }
        switch tag {
        case .new: return .new(try NewQueueRequest(from: &reader, version: version))
        case .key: return .key(try reader.value())
        case .skey: return .skey(try reader.value())
        case .lkey: return .lkey(try reader.value())
        case .rkey: return .rkey(try reader.nonEmptyList())
        case .lset: return .lset(linkID: try reader.shortBytes(), try reader.value())
        case .nkey: return .nkey(try reader.value(), dhKey: try reader.value())
        case .ack: return .ack(messageID: try reader.shortBytes())
        case .send:
            let flags: MessageFlags = try reader.value()
            guard reader.skip(UInt8(ascii: " ")) else { throw .unexpectedEnd }
            return .send(flags, body: reader.tail())
        case .prxy:
            let server: ProtocolServer = try reader.value()
            let password = try reader.optional { reader throws(SMPEncodingError) in
                try ProtocolServer.parsePassword(try reader.shortBytes())
            }
            return .prxy(server, password: password)
        case .pfwd: return .pfwd(version: try reader.value(), try reader.value(), encTransmission: reader.tail())
        case .rfwd: return .rfwd(encForward: reader.tail())
        case .subs: return .subs(try ServiceQueues(from: &reader, version: version))
        case .nsubs: return .nsubs(try ServiceQueues(from: &reader, version: version))
        case .rslv:
            let name = try NameDomain(parsing: reader.slice { $0 != 0x20 && !(0x09...0x0D).contains($0) })
            // The original ignores text after the name, so later versions may have such text.
            _ = reader.tail()
            return .rslv(name)
        default: throw .invalidTag
        }
    }
}
