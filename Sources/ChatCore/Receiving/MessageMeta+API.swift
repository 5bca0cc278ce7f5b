internal import Agent
internal import ChatAPI
internal import SQLCipher
internal import SimpleXCrypto

extension MessageMeta {
    /// As the API shows it.
    var api: MsgMetaJSON {
        MsgMetaJSON(
            integrity: integrity.code, rcvId: recipient.id, rcvTs: Timestamp(seconds: recipient.timestamp).api, serverId: Base64.encode(broker.id),
            serverTs: Timestamp(seconds: broker.timestamp).api, sndId: sndMsgID)
    }
}

extension RcvMsgInfo {
    /// The last message that came over the connection, where it is still kept. Here a message and its delivery are one.
    static func last(over connectionId: Int64, in db: StoreConnection) throws -> RcvMsgInfo? {
        let row = try db.first(
            """
            SELECT m.message_id, m.agent_msg_id, cn.last_rcv_msg_meta FROM connections cn
            JOIN messages m ON m.connection_id = cn.connection_id AND m.msg_sent = 0 AND m.agent_msg_id = cn.last_rcv_msg_id
            WHERE cn.connection_id = ? AND cn.last_rcv_msg_meta IS NOT NULL ORDER BY m.message_id DESC LIMIT 1
            """, [connectionId])
        return try row.map { row in
            let id = try row.int64("message_id")
            return RcvMsgInfo(
                msgId: id, msgDeliveryId: id, msgDeliveryStatus: "rcv_agent", agentMsgId: try row.int64("agent_msg_id"),
                agentMsgMeta: try row.string("last_rcv_msg_meta"))
        }
    }
}
