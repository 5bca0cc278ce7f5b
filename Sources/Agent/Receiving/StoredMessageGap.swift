/// The part of a ``MessageGap`` that is stored until the handler gets the gap.
struct StoredMessageGap {
    var integrity: MessageIntegrity
    var brokerTimestampSeconds: Int64

    var storedForm: [UInt8] { Array("\(brokerTimestampSeconds) \(integrity.storedForm)".utf8) }

    init(_ integrity: MessageIntegrity, brokerTimestamp: Int64) {
        self.integrity = integrity
        self.brokerTimestampSeconds = brokerTimestamp
    }

    init(stored: [UInt8]) {
        let parts = String(decoding: stored, as: UTF8.self).split(separator: " ", maxSplits: 1)
        brokerTimestampSeconds = parts.first.flatMap { Int64($0) } ?? 0
        integrity = MessageIntegrity(stored: parts.count > 1 ? String(parts[1]) : "")
    }

    func makeEvent(_ connection: ConnectionID, number: Int64) -> AgentEvent {
        .gap(
            connection,
            MessageGap(changeNumber: number, integrity: integrity, brokerTimestampSeconds: brokerTimestampSeconds)
        )
    }
}
