extension ClientCommand {
    package func encode(to writer: inout ByteWriter, version: SMPVersion) {
        writer.writeRaw(tag.utf8)
        switch self {
        case .sub, .ldel, .ndel, .get, .off, .del, .que, .lget, .ping, .nsub: return
        case .subs, .nsubs:
            if version < .firstWithServiceSubscriptions { return }
            writer.writeByte(UInt8(ascii: " "))
        default: writer.writeByte(UInt8(ascii: " "))
        }
        switch self {
        case .new(let request): request.encode(to: &writer, version: version)
        case .key(let key), .skey(let key), .lkey(let key): writer.writeValue(key)
        case .rkey(let keys): writer.writeNonEmptyList(keys)
        case .lset(let linkID, let data):
            writer.writeShortBytes(linkID)
            writer.writeValue(data)
        case .nkey(let key, let dhKey):
            writer.writeValue(key)
            writer.writeValue(dhKey)
        case .ack(let messageID): writer.writeShortBytes(messageID)
        case .send(let flags, let body):
            writer.writeValue(flags)
            writer.writeByte(UInt8(ascii: " "))
            writer.writeRaw(body)
        case .prxy(let server, let password):
            writer.writeValue(server)
            writer.writeOptional(password) { writer, password in writer.writeShortText(password) }
        case .pfwd(let version, let key, let transmission):
            writer.writeValue(version)
            writer.writeValue(key)
            writer.writeRaw(transmission)
        case .rfwd(let forward): writer.writeRaw(forward)
        case .subs(let queues), .nsubs(let queues): queues.encode(to: &writer, version: version)
        case .rslv(let name): writer.writeRaw(name.text.utf8)
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
        let word = String(decoding: reader.readSlice(until: UInt8(ascii: " ")), as: UTF8.self)
        guard let tag = Tag(rawValue: word), tag != .rslv || version >= .firstWithNames else { throw .cmd(.unknown) }
        do throws(SMPEncodingError) {
            self = try Self.parseParameters(of: tag, from: &reader, version: version)
            try reader.requireEnd()
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
        case .key: return .key(try reader.readValue())
        case .skey: return .skey(try reader.readValue())
        case .lkey: return .lkey(try reader.readValue())
        case .rkey: return .rkey(try reader.readNonEmptyList())
        case .lset: return .lset(linkID: try reader.readShortBytes(), try reader.readValue())
        case .nkey: return .nkey(try reader.readValue(), dhKey: try reader.readValue())
        case .ack: return .ack(messageID: try reader.readShortBytes())
        case .send:
            let flags: MessageFlags = try reader.readValue()
            guard reader.skip(UInt8(ascii: " ")) else { throw .unexpectedEnd }
            return .send(flags, body: reader.readRest())
        case .prxy:
            let server: ProtocolServer = try reader.readValue()
            let password = try reader.readOptional { reader throws(SMPEncodingError) in
                try ProtocolServer.parsePassword(try reader.readShortBytes())
            }
            return .prxy(server, password: password)
        case .pfwd:
            return .pfwd(version: try reader.readValue(), try reader.readValue(), encTransmission: reader.readRest())
        case .rfwd: return .rfwd(encForward: reader.readRest())
        case .subs: return .subs(try ServiceQueues(from: &reader, version: version))
        case .nsubs: return .nsubs(try ServiceQueues(from: &reader, version: version))
        case .rslv:
            let name = try NameDomain(parsing: reader.readSlice { $0 != 0x20 && !(0x09...0x0D).contains($0) })
            // Like the original, this parser ignores text after the name, which clients of later versions may send.
            _ = reader.readRest()
            return .rslv(name)
        default: throw .invalidTag
        }
    }
}
