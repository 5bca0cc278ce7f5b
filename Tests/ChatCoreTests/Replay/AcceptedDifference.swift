/// An intended difference from the recordings, with its reason.
struct AcceptedDifference: Sendable {
    /// The recordings in which it occurs; empty if it occurs in most recordings.
    let recordings: Set<String>
    /// The difference in the words of the replay. `*` matches any text.
    let difference: String
    /// The reason why the difference is intended.
    let reason: String
    /// Whether the difference may be absent, since it depends on the speed of the run.
    var isOptional = false

    private static let leftOutEnding = " is left out"

    /// Whether the command is left out of the run.
    func leavesOutCommand(_ command: String) -> Bool { difference == command + Self.leftOutEnding }

    /// The command that replaces the recorded command in the run.
    func replacementCommand(for command: String) -> String? {
        let start = command + " is run as "
        return difference.hasPrefix(start) ? String(difference.dropFirst(start.count)) : nil
    }

    func coversDifference(_ difference: String) -> Bool {
        let parts = self.difference.split(separator: "*", omittingEmptySubsequences: false)
        guard let first = parts.first, let last = parts.last, parts.count > 1 else {
            return self.difference == difference
        }
        guard difference.hasPrefix(first), difference.hasSuffix(last), difference.count >= first.count + last.count
        else { return false }
        var rest = difference.dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
