/// A queue with its ids on the server, and the server's report about the queue.
package struct ServerQueueInfo: Codable, Hashable, Sendable {
    package var server: String
    package var rcvId: String
    package var sndId: String
    package var ntfId: String?
    package var status: String
    package var info: QueueInfo

    package init(server: String, rcvId: String, sndId: String, ntfId: String? = nil, status: String, info: QueueInfo) {
        self.server = server
        self.rcvId = rcvId
        self.sndId = sndId
        self.ntfId = ntfId
        self.status = status
        self.info = info
    }
}
