internal import JSON

/// Problems on the reference page. Operations with the same features, such as a key or parameters, have most codes in
/// common. The page states these codes once, and not at each operation.
extension ReferenceWriter {
    /// A rule that says which problem codes a group of operations can return.
    private struct CodeRule {
        /// The beginning of a sentence about the operations to which the rule applies.
        let subject: String
        let codes: [String]
        let isApplicable: @Sendable (_ method: String, _ path: String, _ operation: JSONValue) -> Bool
    }

    private static let problemCodeRules = [
        CodeRule(subject: "Each operation can have", codes: []) { _, _, _ in true },
        CodeRule(subject: "An operation with a key:", codes: ["unauthorized", "forbidden"]) { _, _, operation in
            operation["security"]?.arrayValue != []
        },
        CodeRule(subject: "An operation with parameters:", codes: ["invalidParameter"]) { _, _, operation in
            operation["parameters"] != nil
        },
        CodeRule(subject: "An operation with an id in its path:", codes: ["notFound"]) { _, path, _ in
            path.contains("{")
        },
        CodeRule(subject: "An operation with a body:", codes: ["malformedBody", "unknownMember", "invalidValue"]) {
            _,
            _,
            operation in operation["requestBody"] != nil
        },
        CodeRule(subject: "POST that changes something:", codes: ["idempotencyKeyReused", "requestInProgress"]) {
            method,
            _,
            operation in method == "post" && operation["x-safe"] != true
        },
        CodeRule(
            subject: "An operation that runs a command of the core:",
            codes: ["notFound", "conflict", "invalidValue", "chatError", "storageFull"]
        ) { _, _, operation in operation["x-core-command"] != nil },
        CodeRule(
            subject: "If such an operation is no GET, also:",
            codes: ["quotaExceeded", "relayUnreachable", "relayTimeout"]
        ) { method, _, operation in method != "get" && operation["x-core-command"] != nil },
        CodeRule(subject: "Another operation that is no GET:", codes: ["conflict", "storageFull"]) {
            method,
            _,
            operation in method != "get" && operation["x-core-command"] == nil
        },
    ]

    /// Writes sentences with the rules about problem codes.
    func writeRules() -> String {
        Self.problemCodeRules.map { rule in
            let codes = rule.codes.isEmpty ? generalCodes : rule.codes
            return "\(rule.subject) \(codes.map(writeLink).joined(separator: ", "))."
        }.joined(separator: " ")
    }

    /// Returns the problem codes of an operation that do not follow from the rules.
    func findOwnCodes(_ method: String, _ path: String, _ operation: JSONValue) -> [String] {
        let known = Set(findRuleCodes(method, path, operation))
        return (operation["x-problem-codes"]?.arrayValue ?? []).compactMap(\.stringValue).filter { !known.contains($0) }
    }

    /// Returns the problem codes of an operation that follow from the rules.
    func findRuleCodes(_ method: String, _ path: String, _ operation: JSONValue) -> [String] {
        Self.problemCodeRules.filter { $0.isApplicable(method, path, operation) }.flatMap(\.codes)
    }

    /// Writes the section with an entry for each problem code: its status, its title and its remedy. The member `type`
    /// of a problem document is the address of the entry for its code.
    func writeProblems() -> String {
        let entries = parsedRemedies.map { code, status, remedy in
            let title = ProblemDetails.Code(rawValue: code)?.title ?? ""
            return "<details id=\"\(ProblemDetails.makeAnchor(of: code).escapedForAttribute)\"><summary>"
                + "<code>\(code.escapedForHTML)</code> <span>\(status): \(title.escapedForHTML)</span></summary>"
                + "<p>\(writeText(.string(remedy)))</p></details>\n"
        }
        return "<section id=\"problems\"><h2>Problems</h2>\(entries.joined())</section>"
    }

    /// The problem codes with their statuses and remedies, from the text of the contract: "`code` (status): remedy".
    var parsedRemedies: [(code: String, status: String, remedy: String)] {
        let described = codesText
        let marks = described.matches(of: #/`(\w+)` \((\d{3})\): /#)
        return marks.enumerated().map { index, mark in
            let end = index + 1 < marks.count ? marks[index + 1].range.lowerBound : described.endIndex
            let remedy = described[mark.range.upperBound..<end].split(separator: " ").joined(separator: " ")
            return (String(mark.1), String(mark.2), remedy)
        }
    }

    /// The problem codes that any request can get.
    private var generalCodes: [String] {
        let sentence = codesText.split(separator: ". ").first { $0.hasPrefix("Any request can get ") } ?? ""
        return sentence.matches(of: #/`(\w+)`/#).map { String($0.1) }
    }

    private var codesText: String {
        contract["components"]?["schemas"]?["ProblemCode"]?["description"]?.stringValue ?? ""
    }

    private func writeLink(_ code: String) -> String {
        "<a href=\"#\(ProblemDetails.makeAnchor(of: code).escapedForAttribute)\"><code>\(code.escapedForHTML)</code></a>"
    }
}
