import JSON
import TestSupport

/// A recorded conversation: commands, their answers, and events.
struct Recording {
    enum Step {
        case command(client: String, text: String, answer: JSONValue)
        case event(client: String, JSONValue)
        /// An action of the recorder other than a command: a process was stopped, or a server started.
        case remark(String)
    }

    let name: String
    private(set) var steps: [Step] = []

    init(_ name: String) throws {
        self.name = name
        let lines = try Fixture.readTranscript(name)
        var answers: [String: JSONValue] = [:]
        for line in lines where line["dir"] == "resp" {
            answers[Self.requestID(line)] = line["json"].map { NewerForm.converted($0) }
        }
        for line in lines {
            guard let client = line["client"]?.stringValue else { continue }
            switch line["dir"]?.stringValue {
            // A frame that is not a request has no answer with its id. The tests of the socket cover such frames.
            case "cmd":
                guard let text = line["cmd"]?.stringValue, let answer = answers[Self.requestID(line)] else { continue }
                steps.append(.command(client: client, text: text, answer: answer))
            case "event":
                guard let json = line["json"] else { continue }
                // The error for a refused frame has no correlation id, and so looks like an event.
                if json["type"] == "chatCmdError" { continue }
                if json["type"] == "_note" {
                    steps.append(.remark(json["text"]?.stringValue ?? ""))
                } else {
                    steps += NewerForm.convertedEvents(json).map { .event(client: client, $0) }
                }
            default: continue
            }
        }
        bringForwardSuspensions()
        bringForwardAnswersToNoCall()
        bringForwardDeletions()
        // The recorder stopped the relay at the end.
        while case .event(_, let event)? = steps.last, event["type"] == "hostDisconnected" { steps.removeLast() }
    }

    /// Moves suspensions forward. A recorded core with the shortest suspension time was suspended before the recorder
    /// continued, but reported it later.
    private mutating func bringForwardSuspensions() {
        for (index, step) in steps.enumerated() {
            guard case .command(let client, let text, _) = step, text.hasPrefix("/_app suspend") else { continue }
            guard
                let told = steps[index...].firstIndex(where: {
                    if case .event(client, let event) = $0 { event["type"] == "chatSuspended" } else { false }
                })
            else { continue }
            steps.insert(steps.remove(at: told), at: index + 1)
        }
    }

    /// Moves answers to calls forward. In the recording a client answered before it had the call. Here the invitation
    /// may arrive in time, so the answer is sent first.
    private mutating func bringForwardAnswersToNoCall() {
        for (index, step) in steps.enumerated() {
            guard case .command(let client, _, let answer) = step,
                answer["chatError"]?["errorType"]?["type"] == "noCurrentCall"
            else { continue }
            let invitation = steps[..<index].lastIndex {
                switch $0 {
                case .command(let other, let text, _): other != client && text.hasPrefix("/_call invite")
                case .event(let told, let event): told == client && event["type"] == "callInvitation"
                case .remark: false
                }
            }
            guard let invitation, case .command = steps[invitation] else { continue }
            steps.insert(steps.remove(at: index), at: invitation)
        }
    }

    /// Moves reports of deleted queues forward, before the commands that a relay refused since the queue was deleted.
    /// The recorded core deleted the queue before it reported the deletion.
    private mutating func bringForwardDeletions() {
        func isRefusedByRelay(_ step: Step) -> Bool {
            guard case .command(_, _, let answer) = step else { return false }
            return answer["chatError"]?["agentError"]?["smpErr"]?["type"] == "AUTH"
        }
        for index in steps.indices where isRefusedByRelay(steps[index]) {
            let rest = steps[index...].drop(while: isRefusedByRelay)
            guard case .event(_, let event)? = rest.first, event["type"] == "agentRcvQueuesDeleted" else { continue }
            steps.insert(steps.remove(at: rest.startIndex), at: index)
        }
    }

    private static func requestID(_ line: JSONValue) -> String {
        "\(line["client"]?.text ?? "") \(line["corrId"]?.text ?? "")"
    }

    var clientNames: [String] {
        var names: Set<String> = []
        for step in steps {
            switch step {
            case .command(let client, _, _), .event(let client, _): names.insert(client)
            case .remark: continue
            }
        }
        return names.sorted()
    }

    /// Whether the client is the second copy of a database, which is made during the recording.
    func isSecondCopy(_ client: String) -> Bool { client == "bob2" }

    /// Whether the databases have no key at the beginning.
    var isUnencrypted: Bool { name == "database" }

    /// Whether a command of the recorder started the client's core.
    func beginsStopped(_ client: String) -> Bool {
        for case .command(client, let text, let answer) in steps {
            if text.hasPrefix("/_stop") { return false }
            if text.hasPrefix("/_start") { return answer["type"] == "chatStarted" }
        }
        return false
    }

    /// Whether the recorder made the client report its hosts.
    var reportsHosts: Bool { name == "server-outage" }

    /// The file server in the server lists of the profiles, for recordings about such lists.
    var fileServer: String? {
        guard ["servers", "console-forms"].contains(name) || servesChannels else { return nil }
        for case .command(_, let command, let answer) in steps {
            let text = command + answer.text
            if let match = text.firstMatch(of: /xftp:\/\/[A-Za-z0-9_=-]+@127\.0\.0\.1:[0-9]+/) {
                return String(match.0)
            }
        }
        return nil
    }

    /// Whether a client is a relay of channels.
    private var servesChannels: Bool { clientNames.contains(where: isChatRelay) }

    /// Whether the profile of the client serves channels.
    func isChatRelay(_ client: String) -> Bool { client.hasPrefix("rel") }

    /// The address of the relay that the clients used, in the form of commands.
    var relayAddress: String? {
        for case .command(_, let text, let answer) in steps {
            if let match = (servesChannels ? text + answer.text : text).firstMatch(
                of: /smp:\/\/[A-Za-z0-9_=-]+@127\.0\.0\.1:[0-9]+/
            ) {
                return String(match.0)
            }
        }
        return nil
    }
}
