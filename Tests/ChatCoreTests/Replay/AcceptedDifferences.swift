import TestSupport

/// What of a recording is meant to be otherwise, as `Fixtures/replay` has it: one file for each recording that is run, and `everywhere.txt`.
/// There are no other differences: what the replay finds beyond them fails, and so does one of them that does not occur.
struct AcceptedDifferences: Sendable {
    /// By decision: our core does otherwise than the original of the recordings, and why.
    private(set) var byDecision: [AcceptedDifference] = []
    /// What our core has yet to do as the recording shows it.
    private(set) var toBeDone: [AcceptedDifference] = []
    /// What comes out one way or the other, as time goes; it need not occur.
    private(set) var atTimes: [AcceptedDifference] = []
    /// Commands of the recording that our core has no answer for yet.
    private(set) var notServed: Set<String> = []

    /// Those that occur each time.
    var certain: [AcceptedDifference] { byDecision + toBeDone }
    var all: [AcceptedDifference] { certain + atTimes }

    enum Malformed: Error { case line(String, file: String) }

    /// Reads a file of sections (`== by decision`, `== to be done`, `== at times`, `== not served`). A line that begins with `# ` is the reason for those that
    /// follow, up to the next empty line.
    init(of name: String) throws {
        var section = ""
        var reason: String?
        for line in try Fixture.text("replay/\(name).txt").split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.isEmpty {
                reason = nil
            } else if line.hasPrefix("== ") {
                (section, reason) = (line, nil)
            } else if line.hasPrefix("# ") {
                reason = [reason, String(line.dropFirst(2))].compactMap(\.self).joined(separator: " ")
            } else if section == "== not served" {
                notServed.insert(line)
            } else if let reason, section == "== by decision" {
                byDecision.append(AcceptedDifference(line, reason))
            } else if let reason, section == "== to be done" {
                toBeDone.append(AcceptedDifference(line, reason))
            } else if let reason, section == "== at times" {
                atTimes.append(AcceptedDifference(line, reason))
            } else {
                throw Malformed.line(line, file: name)
            }
        }
    }
}
