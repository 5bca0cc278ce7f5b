import JSON
import TestSupport

/// A recorded conversation as what was asked, with the answer to it, and what was told.
struct Recording {
    enum Step {
        case command(client: String, text: String, answer: JSONValue)
        case event(client: String, JSONValue)
        /// Actions of the recorder other than commands: a process was stopped, a server started.
        case remark(String)
    }

    let name: String
    private(set) var steps: [Step] = []

    init(_ name: String) throws {
        self.name = name
        let lines = try Fixture.transcript(name)
        var answers: [String: JSONValue] = [:]
        for line in lines where line["dir"] == "resp" {
            answers[Self.request(line)] = line["json"].map { NewerForm.of($0) }
        }
        for line in lines {
            guard let client = line["client"]?.stringValue else { continue }
            switch line["dir"]?.stringValue {
            // A frame that is no request has no answer with its id; the socket's tests have those.
            case "cmd":
                guard let text = line["cmd"]?.stringValue, let answer = answers[Self.request(line)] else { continue }
                steps.append(.command(client: client, text: text, answer: answer))
            case "event":
                guard let json = line["json"] else { continue }
                // A refused frame has no correlation id, and so looks like an event.
                if json["type"] == "chatCmdError" { continue }
                if json["type"] == "_note" {
                    steps.append(.remark(json["text"]?.stringValue ?? ""))
                } else {
                    steps += NewerForm.events(json).map { .event(client: client, $0) }
                }
            default: continue
            }
        }
        bringForwardSuspensions()
        bringForwardAnswersToNoCall()
        // In the end the recorder stopped the relay.
        while case .event(_, let event)? = steps.last, event["type"] == "hostDisconnected" { steps.removeLast() }
    }

    /// A core that was told to be quiet at once was so when the recorder, who waited longer, asked on: it said so later
    /// only.
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

    /// A client that answered a call before it was told of the call had none. Here the invitation may arrive in time,
    /// so the answer goes first.
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

    private static func request(_ line: JSONValue) -> String {
        "\(line["client"]?.text ?? "") \(line["corrId"]?.text ?? "")"
    }

    var clients: [String] {
        var names: Set<String> = []
        for step in steps {
            switch step {
            case .command(let client, _, _), .event(let client, _): names.insert(client)
            case .remark: continue
            }
        }
        return names.sorted()
    }

    /// The second copy of a database is made in the course of the recording.
    func isCopy(_ client: String) -> Bool { client == "bob2" }

    /// Whether the databases have no key when it begins.
    var isUnencrypted: Bool { name == "database" }

    /// Whether the recorder started the client's core by a command.
    func beginsStopped(_ client: String) -> Bool {
        for case .command(client, let text, let answer) in steps {
            if text.hasPrefix("/_stop") { return false }
            if text.hasPrefix("/_start") { return answer["type"] == "chatStarted" }
        }
        return false
    }

    /// Whether the recorder had told the client to tell its hosts.
    var emitsHosts: Bool { name == "server-outage" }

    /// A server of files that the profiles of the recording have in their lists, where these are what it is about.
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
    private var servesChannels: Bool { clients.contains(where: isChatRelay) }

    /// Whether the profile of the client serves channels.
    func isChatRelay(_ client: String) -> Bool { client.hasPrefix("rel") }

    /// The relay that the clients used, as commands name it.
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
