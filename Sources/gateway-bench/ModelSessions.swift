import Foundation
import JSON
import NIOCore

/// Measures many clients of one profile, each with a session that has the same chat open. Measures the memory of a
/// session, and the cost of a message with all sessions and without sessions.
func measureSessions(_ gateway: BenchedGateway, count: Int, messages: Int) async throws -> [Figure] {
    try await gateway.reconnect()
    _ = try await gateway.sendRequest("GET", "/v1/users/2/model")
    let costWithoutSessions = try await measureMessageCost(gateway, messages)
    try await gateway.reconnect()
    let before = gateway.child.residentBytes
    var sessions: [String] = []
    for _ in 0..<count {
        let session = try await gateway.sendRequest("POST", "/v1/users/2/sessions")["sessionId"]?.stringValue ?? ""
        _ = try await gateway.sendRequest(
            "PUT",
            "/v1/users/2/sessions/\(session)/chat",
            #"{"chatType":"direct","chatId":1}"#
        )
        sessions.append(session)
    }
    let kibibytesPerSession = Double(gateway.child.residentBytes - before) / Double(count) / 1024
    let costWithSessions = try await measureMessageCost(gateway, messages)
    try await gateway.reconnect()
    let kibibytesAfterMessages = Double(gateway.child.residentBytes - before) / Double(count) / 1024
    for session in sessions {
        _ = try? await gateway.connection.sendRequest("DELETE", "/v1/users/2/sessions/\(session)", key: gateway.key)
    }
    return [
        Figure(
            name: "memory of a session with an open chat, \(count) of them",
            value: kibibytesPerSession,
            unit: "KiB"
        ),
        Figure(name: "the same, after each has got \(messages) messages", value: kibibytesAfterMessages, unit: "KiB"),
        Figure(
            name: "processor time of a message with \(count) sessions that show it",
            value: costWithSessions,
            unit: "ms",
            baseline: ("without sessions", costWithoutSessions)
        ),
        Figure(
            name: "part of this for each session",
            value: (costWithSessions - costWithoutSessions) / Double(count) * 1_000,
            unit: "µs"
        ),
    ]
}

/// Returns the processor time of the gateway for each message, in milliseconds. The pause between messages is longer
/// than the publishing interval, so that each message is published separately.
private func measureMessageCost(_ gateway: BenchedGateway, _ count: Int) async throws -> Double {
    let before = gateway.child.processorSeconds
    for index in 0..<count {
        try await gateway.reconnect()
        _ = try await gateway.sendRequest(
            "POST",
            "/v1/users/1/chats/direct/1/messages",
            BenchedGateway.makeTextMessage("told \(index)")
        )
        try await Task.sleep(for: .milliseconds(300))
    }
    try await Task.sleep(for: .seconds(1))
    return (gateway.child.processorSeconds - before) / Double(count) * 1_000
}
