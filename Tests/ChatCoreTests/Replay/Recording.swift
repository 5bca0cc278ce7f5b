import JSON
import TestSupport

/// A recorded conversation as what was asked, with the answer to it, and what was told.
struct Recording {
    enum Step {
        case command(client: String, text: String, answer: JSONValue)
        case event(client: String, JSONValue)
        /// What the recorder did besides asking: a process was stopped, a server started.
        case remark(String)
    }

    let name: String
    private(set) var steps: [Step] = []

    init(_ name: String) throws {
        self.name = name
        let lines = try Fixture.transcript(name)
        var answers: [String: JSONValue] = [:]
        for line in lines where line["dir"] == "resp" { answers[Self.request(line)] = line["json"] }
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
                steps.append(json["type"] == "_note" ? .remark(json["text"]?.stringValue ?? "") : .event(client: client, json))
            default: continue
            }
        }
    }

    private static func request(_ line: JSONValue) -> String { "\(line["client"]?.text ?? "") \(line["corrId"]?.text ?? "")" }

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

    /// Whether the recorder started the client's core by a command.
    func beginsStopped(_ client: String) -> Bool {
        for case .command(client, let text, let answer) in steps {
            if text.hasPrefix("/_stop") { return false }
            if text.hasPrefix("/_start") { return answer["type"] == "chatStarted" }
        }
        return false
    }

    /// The relay that the clients used, as commands name it.
    var relayAddress: String? {
        for case .command(_, let text, _) in steps {
            if let match = text.firstMatch(of: /smp:\/\/[A-Za-z0-9_=-]+@127\.0\.0\.1:[0-9]+/) { return String(match.0) }
        }
        return nil
    }
}
