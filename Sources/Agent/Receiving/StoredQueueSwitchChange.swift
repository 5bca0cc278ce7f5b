import SQLCipher

/// A step of a rotation (``QueueSwitch``), stored until the handler gets it.
struct StoredQueueSwitchChange {
    var direction: QueueSwitch.Direction
    var phase: QueueSwitch.Phase

    var storedForm: [UInt8] { Array("\(direction.rawValue) \(phase.rawValue)".utf8) }

    init(_ direction: QueueSwitch.Direction, _ phase: QueueSwitch.Phase) {
        self.direction = direction
        self.phase = phase
    }

    init(stored: [UInt8]) {
        let words = String(decoding: stored, as: UTF8.self).split(separator: " ").map(String.init)
        direction = words.first.flatMap(QueueSwitch.Direction.init) ?? .rcv
        phase = words.last.flatMap(QueueSwitch.Phase.init) ?? .started
    }

    func makeEvent(_ connection: ConnectionID, number: Int64, _ db: DatabaseConnection) throws -> AgentEvent {
        let queueStates = try ConnectionQueueStates(AgentConnection.get(connection, db), db)
        return .queueSwitchChanged(
            connection,
            QueueSwitchChange(changeNumber: number, direction: direction, phase: phase, queueStates: queueStates)
        )
    }
}
