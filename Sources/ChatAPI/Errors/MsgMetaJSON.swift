/// The metadata of a received message from the agent: integrity, ids and times.
package struct MsgMetaJSON: Codable, Hashable, Sendable {
    package var integrity: String
    package var rcvId: Int64
    package var rcvTs: UTCTime
    package var serverId: String
    package var serverTs: UTCTime
    package var sndId: Int64

    package init(integrity: String, rcvId: Int64, rcvTs: UTCTime, serverId: String, serverTs: UTCTime, sndId: Int64) {
        self.integrity = integrity
        self.rcvId = rcvId
        self.rcvTs = rcvTs
        self.serverId = serverId
        self.serverTs = serverTs
        self.sndId = sndId
    }
}
