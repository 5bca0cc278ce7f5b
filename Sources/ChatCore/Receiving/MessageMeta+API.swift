internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher
internal import SimpleXCrypto

extension MessageMeta {
    /// The metadata in the form of the API.
    var api: MsgMetaJSON {
        MsgMetaJSON(
            integrity: integrity.apiCode,
            rcvId: recipientInfo.id,
            rcvTs: Timestamp(seconds: recipientInfo.timestampSeconds).api,
            serverId: Base64.encode(brokerInfo.id),
            serverTs: Timestamp(seconds: brokerInfo.timestampSeconds).api,
            sndId: sndMsgID
        )
    }
}

extension RcvMsgInfo {
    /// Returns the metadata of the last message that arrived over the connection; nil if no message arrived. In this
    /// program, a message and its delivery have the same number, which the agent assigns.
    static func findLast(over connectionId: Int64, in db: StoreConnection) throws -> RcvMsgInfo? {
        let row = try db.queryFirst(
            "SELECT last_rcv_msg_id, last_rcv_msg_meta FROM connections WHERE connection_id = ? AND last_rcv_msg_meta IS NOT NULL",
            [connectionId]
        )
        return try row.map { row in
            let id = try row.int64("last_rcv_msg_id")
            return RcvMsgInfo(
                msgId: id,
                msgDeliveryId: id,
                msgDeliveryStatus: "rcv_agent",
                agentMsgId: id,
                agentMsgMeta: try row.string("last_rcv_msg_meta")
            )
        }
    }
}
