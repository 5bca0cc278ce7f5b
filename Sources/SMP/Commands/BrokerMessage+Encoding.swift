extension BrokerMessage {
    package func encode(to writer: inout ByteWriter, version: SMPVersion) {
        switch self {
        case .ids(let ids):
            writer.ascii("IDS ")
            ids.encode(to: &writer, version: version)
        case .lnk(let senderID, let data):
            writer.ascii("LNK ")
            writer.shortBytes(senderID)
            writer.value(data)
        case .sok(let serviceID):
            guard version >= .firstWithServiceCertificates else { return writer.ascii("OK") }
            writer.ascii("SOK ")
            writer.optional(serviceID)
        case .soks(let queues):
            writer.ascii("SOKS ")
            queues.encode(to: &writer, version: version)
        case .alls: writer.ascii("ALLS")
        case .msg(let id, let body):
            writer.ascii("MSG ")
            writer.shortBytes(id)
            writer.raw(body)
        case .nid(let notifierID, let key):
            writer.ascii("NID ")
            writer.shortBytes(notifierID)
            writer.value(key)
        case .nmsg(let nonce, let meta):
            writer.ascii("NMSG ")
            writer.value(nonce)
            writer.shortBytes(meta)
        case .pkey(let sessionID, let versions, let key):
            writer.ascii("PKEY ")
            writer.shortBytes(sessionID)
            writer.value(versions)
            writer.value(key)
        case .rres(let response):
            writer.ascii("RRES ")
            writer.raw(response)
        case .pres(let response):
            writer.ascii("PRES ")
            writer.raw(response)
        case .end: writer.ascii("END")
        case .ends(let queues):
            writer.ascii("ENDS ")
            queues.encode(to: &writer, version: version)
        case .deld: writer.ascii(version >= .firstWithDeletedEvent ? "DELD" : "END")
        case .info(let json):
            writer.ascii("INFO ")
            writer.raw(json)
        case .rname(let json):
            writer.ascii("RNAME ")
            writer.raw(json)
        case .ok: writer.ascii("OK")
        case .err(let error):
            writer.ascii("ERR ")
            writer.value(error.downgraded(to: version))
        case .pong: writer.ascii("PONG")
        }
    }

    /// Parses a message, which must use all of `bytes`.
    package init(parsing bytes: [UInt8], version: SMPVersion) throws(SMPEncodingError) {
        try self.init(parsing: bytes[...], version: version)
    }

    package init(parsing bytes: ArraySlice<UInt8>, version: SMPVersion) throws(SMPEncodingError) {
        var reader = ByteReader(bytes)
        self = try Self.parse(&reader, version: version)
        try reader.finish()
    }

    private static func parse(_ reader: inout ByteReader, version: SMPVersion) throws(SMPEncodingError) -> BrokerMessage
    {
        let tag = String(decoding: reader.slice(until: UInt8(ascii: " ")), as: UTF8.self)
        switch tag {
        case "END": return .end
        case "DELD": return .deld
        case "OK": return .ok
        case "PONG": return .pong
        case "ALLS": return .alls
        default: break
        }
        guard reader.skip(UInt8(ascii: " ")) else { throw .invalidTag }
        switch tag {
        case "IDS": return .ids(try QueueIDs(from: &reader, version: version))
        case "LNK": return .lnk(senderID: try reader.shortBytes(), try reader.value())
        case "SOK": return .sok(serviceID: try reader.optional())
        case "SOKS": return .soks(try ServiceQueues(from: &reader, version: version))
        case "MSG": return .msg(id: try reader.shortBytes(), encBody: reader.tail())
        case "NID": return .nid(notifierID: try reader.shortBytes(), dhKey: try reader.value())
        case "NMSG": return .nmsg(nonce: try reader.value(), encMeta: try reader.shortBytes())
        case "PKEY": return .pkey(sessionID: try reader.shortBytes(), try reader.value(), try reader.value())
        case "RRES": return .rres(encForwardResponse: reader.tail())
        case "PRES": return .pres(encResponse: reader.tail())
        case "ENDS": return .ends(try ServiceQueues(from: &reader, version: version))
        case "INFO": return .info(reader.tail())
        case "RNAME": return .rname(reader.tail())
        case "ERR": return .err(try reader.value())
        default: throw .invalidTag
        }
    }
}

extension BrokerMessage {
    /// Whether the message may have an entity id, or may have none. Clients check this for answers.
    package func isConsistent(hasEntity: Bool) -> Bool {
        switch self {
        case .ids, .err: true
        case .pong, .pkey, .rres, .alls, .rname: !hasEntity
        default: hasEntity
        }
    }
}
