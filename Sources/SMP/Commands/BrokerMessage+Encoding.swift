extension BrokerMessage {
    package func encode(to writer: inout ByteWriter, version: SMPVersion) {
        switch self {
        case .ids(let ids):
            writer.writeASCII("IDS ")
            ids.encode(to: &writer, version: version)
        case .lnk(let senderID, let data):
            writer.writeASCII("LNK ")
            writer.writeShortBytes(senderID)
            writer.writeValue(data)
        case .sok(let serviceID):
            guard version >= .firstWithServiceCertificates else { return writer.writeASCII("OK") }
            writer.writeASCII("SOK ")
            writer.writeOptional(serviceID)
        case .soks(let queues):
            writer.writeASCII("SOKS ")
            queues.encode(to: &writer, version: version)
        case .alls: writer.writeASCII("ALLS")
        case .msg(let id, let body):
            writer.writeASCII("MSG ")
            writer.writeShortBytes(id)
            writer.writeRaw(body)
        case .nid(let notifierID, let key):
            writer.writeASCII("NID ")
            writer.writeShortBytes(notifierID)
            writer.writeValue(key)
        case .nmsg(let nonce, let meta):
            writer.writeASCII("NMSG ")
            writer.writeValue(nonce)
            writer.writeShortBytes(meta)
        case .pkey(let sessionID, let versions, let key):
            writer.writeASCII("PKEY ")
            writer.writeShortBytes(sessionID)
            writer.writeValue(versions)
            writer.writeValue(key)
        case .rres(let response):
            writer.writeASCII("RRES ")
            writer.writeRaw(response)
        case .pres(let response):
            writer.writeASCII("PRES ")
            writer.writeRaw(response)
        case .end: writer.writeASCII("END")
        case .ends(let queues):
            writer.writeASCII("ENDS ")
            queues.encode(to: &writer, version: version)
        case .deld: writer.writeASCII(version >= .firstWithDeletedEvent ? "DELD" : "END")
        case .info(let json):
            writer.writeASCII("INFO ")
            writer.writeRaw(json)
        case .rname(let json):
            writer.writeASCII("RNAME ")
            writer.writeRaw(json)
        case .ok: writer.writeASCII("OK")
        case .err(let error):
            writer.writeASCII("ERR ")
            writer.writeValue(error.downgraded(to: version))
        case .pong: writer.writeASCII("PONG")
        }
    }

    /// Parses a message, which must use all of `bytes`.
    package init(parsing bytes: [UInt8], version: SMPVersion) throws(SMPEncodingError) {
        try self.init(parsing: bytes[...], version: version)
    }

    package init(parsing bytes: ArraySlice<UInt8>, version: SMPVersion) throws(SMPEncodingError) {
        var reader = ByteReader(bytes)
        self = try Self.parseMessage(&reader, version: version)
        try reader.requireEnd()
    }

    private static func parseMessage(
        _ reader: inout ByteReader,
        version: SMPVersion
    ) throws(SMPEncodingError) -> BrokerMessage {
        let tag = String(decoding: reader.readSlice(until: UInt8(ascii: " ")), as: UTF8.self)
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
        case "LNK": return .lnk(senderID: try reader.readShortBytes(), try reader.readValue())
        case "SOK": return .sok(serviceID: try reader.readOptional())
        case "SOKS": return .soks(try ServiceQueues(from: &reader, version: version))
        case "MSG": return .msg(id: try reader.readShortBytes(), encBody: reader.readRest())
        case "NID": return .nid(notifierID: try reader.readShortBytes(), dhKey: try reader.readValue())
        case "NMSG": return .nmsg(nonce: try reader.readValue(), encMeta: try reader.readShortBytes())
        case "PKEY":
            return .pkey(sessionID: try reader.readShortBytes(), try reader.readValue(), try reader.readValue())
        case "RRES": return .rres(encForwardResponse: reader.readRest())
        case "PRES": return .pres(encResponse: reader.readRest())
        case "ENDS": return .ends(try ServiceQueues(from: &reader, version: version))
        case "INFO": return .info(reader.readRest())
        case "RNAME": return .rname(reader.readRest())
        case "ERR": return .err(try reader.readValue())
        default: throw .invalidTag
        }
    }
}

extension BrokerMessage {
    /// Returns whether the message may have an entity id (`hasEntity` true), or may lack an entity id (`hasEntity`
    /// false). Clients check answers with this function.
    package func isConsistent(hasEntity: Bool) -> Bool {
        switch self {
        case .ids, .err: true
        case .pong, .pkey, .rres, .alls, .rname: !hasEntity
        default: hasEntity
        }
    }
}
