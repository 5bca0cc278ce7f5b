import SQLCipher

extension ConnectionQueueStates {
    init(_ connection: AgentConnection, _ db: DatabaseConnection) throws {
        let rcvQueues = try [RcvQueue.findCurrent(connection.id, db), .findReplacement(of: connection.id, db)]
        let sndQueues = try [SndQueue.findCurrent(connection.id, db), .findReplacement(of: connection.id, db)]
        self.init(
            agentVersion: Int(connection.agentVersion),
            rcvQueues: rcvQueues.compactMap(\.self).map {
                RcvQueueState(
                    server: $0.server.withoutPassword.str,
                    status: $0.status.rawValue,
                    switchStatus: $0.switchStatus,
                    rcvID: $0.rcvID
                )
            },
            sndQueues: sndQueues.compactMap(\.self).map {
                SndQueueState(
                    server: $0.server.withoutPassword.str,
                    status: $0.status.rawValue,
                    switchStatus: $0.switchStatus
                )
            },
            ratchetSync: connection.ratchetSync
        )
    }
}
