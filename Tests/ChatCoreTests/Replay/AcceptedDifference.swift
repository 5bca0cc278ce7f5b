/// A difference from the recordings that is meant to be, and why.
struct AcceptedDifference: Sendable {
    /// The recordings in which it occurs; empty for one that occurs in most.
    let recordings: Set<String>
    /// The difference in the words of the replay; `*` stands for anything.
    let difference: String
    /// Why it is meant to be.
    let reason: String
    /// Whether it depends on the speed of the run, and need not occur.
    var isAtTimes = false

    private static let leftOut = " is left out"

    /// Whether the command is not to be run.
    func leavesOut(_ command: String) -> Bool { difference == command + Self.leftOut }

    /// The command that is run in the place of the recorded one.
    func replacement(for command: String) -> String? {
        let start = command + " is run as "
        return difference.hasPrefix(start) ? String(difference.dropFirst(start.count)) : nil
    }

    func covers(_ difference: String) -> Bool {
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
