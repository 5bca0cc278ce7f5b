/// A difference from the recordings that is meant to be, and why.
struct AcceptedDifference: Sendable {
    /// As the replay words it; `*` stands for anything.
    let difference: String
    let reason: String

    init(_ difference: String, _ reason: String) {
        self.difference = difference
        self.reason = reason
    }

    /// Whether it is about an event that our core tells and the recording does not.
    var isOfEvent: Bool { difference.contains(" is told ") }

    func covers(_ difference: String) -> Bool {
        let parts = self.difference.split(separator: "*", omittingEmptySubsequences: false)
        guard let first = parts.first, let last = parts.last, parts.count > 1 else { return self.difference == difference }
        guard difference.hasPrefix(first), difference.hasSuffix(last), difference.count >= first.count + last.count else { return false }
        var rest = difference.dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
