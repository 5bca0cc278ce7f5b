import TestSupport

/// The accepted differences from the recordings, read from `Fixtures/replay.txt`. The replay fails for any other
/// difference, and for an accepted one that does not occur.
struct AcceptedDifferences: Sendable {
    let allDifferences: [AcceptedDifference]

    enum MalformedLine: Error { case line(String) }

    /// Reads the list. A line has the form `recording, recording: difference`, or `*: difference` if the difference
    /// occurs in most recordings. If the difference is that a command `is left out` or `is run as` another command, the
    /// replay also leaves the command out, or runs the other command. A difference that begins with `at times` may be
    /// absent. Lines that begin with `# ` are the reason for the following lines, up to the next empty line.
    init() throws {
        var all: [AcceptedDifference] = []
        var reason: String?
        for line in try Fixture.readText("replay.txt").split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init
        ) {
            if line.isEmpty {
                reason = nil
            } else if line.hasPrefix("# ") {
                reason = [reason, String(line.dropFirst(2))].compactMap(\.self).joined(separator: " ")
            } else if let reason, let colon = line.firstRange(of: ": ") {
                let names = line[..<colon.lowerBound].split(separator: ", ").map(String.init)
                let difference = String(line[colon.upperBound...])
                let isAtTimes = difference.hasPrefix(Self.optionalPrefix)
                all.append(
                    AcceptedDifference(
                        recordings: names == ["*"] ? [] : Set(names),
                        difference: isAtTimes ? String(difference.dropFirst(Self.optionalPrefix.count)) : difference,
                        reason: reason,
                        isOptional: isAtTimes
                    )
                )
            } else {
                throw MalformedLine.line(line)
            }
        }
        self.allDifferences = all
    }

    private static let optionalPrefix = "at times "

    /// Accepted differences of one recording.
    func specificDifferences(of recording: String) -> [AcceptedDifference] {
        allDifferences.filter { $0.recordings.contains(recording) }
    }

    /// Accepted differences that occur in most recordings.
    var generalDifferences: [AcceptedDifference] { allDifferences.filter { $0.recordings.isEmpty } }

    /// Returns the faults of a replay: differences that are not accepted, and accepted differences that must occur but
    /// do not.
    func replayFaults(in differences: Set<String>, of recording: String) -> Set<String> {
        let own = specificDifferences(of: recording)
        let unexpected = differences.filter { difference in
            !(own + generalDifferences).contains { $0.coversDifference(difference) }
        }
        let unused = own.filter { accepted in
            !accepted.isOptional && !differences.contains(where: accepted.coversDifference)
        }
        return unexpected.union(unused.map { "accepted, but it does not occur: \($0.difference)" })
    }
}
