internal import JSON

/// The alerts in a notice of Alertmanager (webhook, version 4) or of a contact point of Grafana, which has the same
/// form with more members.
struct AlertGroup {
    private let noticeForm: NoticeForm
    private let groupKey: String
    private let alerts: [Alert]
    private let commonLabels: [String: String]
    private let groupLabels: [String: String]
    private let truncatedAlertCount: Int64
    /// The title and the message that Grafana makes from its templates.
    private let title: String
    private let message: String

    /// Maximal number of alerts that the notice shows with details. Further alerts are only counted.
    private static let maxShownAlerts = 10

    init(_ body: ForeignObject, _ form: NoticeForm) throws(ProblemDetails) {
        self.noticeForm = form
        if form == .alertmanager, let version = try body.readText("version"), version != "4" {
            throw body.makeProblem(
                "version",
                .invalid,
                "must be 4. This gateway does not know version \(version.truncatedToOneLine(20))."
            )
        }
        var alerts: [Alert] = []
        for alert in try body.readObjects("alerts") { alerts.append(try Alert(alert)) }
        guard !alerts.isEmpty else { throw body.makeProblem("alerts", .missing, "is missing or empty.") }
        self.alerts = alerts.filter(\.isFiring) + alerts.filter { !$0.isFiring }
        groupKey = try body.readText("groupKey") ?? ""
        commonLabels = try body.readNamedTexts("commonLabels")
        groupLabels = try body.readNamedTexts("groupLabels")
        truncatedAlertCount = try body.readNumber("truncatedAlerts") ?? 0
        (title, message) =
            form == .grafana ? (try body.readText("title") ?? "", try body.readText("message") ?? "") : ("", "")
    }

    var notice: Notice { Notice(noticeLines, identity: identity) }

    /// A text that is equal for all repetitions of a notice, which have the same alerts in the same states. Another
    /// server of the same cluster may send a repetition.
    private var identity: String {
        let states = alerts.map(\.identity).sorted().map { JSONValue.string($0) }
        return JSONValue.array([.string(noticeForm.rawValue), .string(groupKey), .array(states)]).text
    }

    private var noticeLines: [String] {
        let firing = alerts.count(where: \.isFiring)
        let resolved = alerts.count - firing
        var lines = [makeHeading(firing, resolved)]
        // The standard message of Grafana only repeats the alerts, so it is left out. A message from the user's own
        // template is used instead of the alerts.
        let own = message.printable
        if !own.isEmpty, !own.hasPrefix("**Firing**"), !own.hasPrefix("**Resolved**") { return lines + [own] }
        if alerts.count > 1 { lines.append(Self.makeLabelText(commonLabels)) }
        for alert in alerts.prefix(Self.maxShownAlerts) {
            lines += alert.makeLines(isSingle: alerts.count == 1, besides: alerts.count > 1 ? commonLabels : [:])
        }
        let rest = alerts.dropFirst(Self.maxShownAlerts)
        if !rest.isEmpty {
            lines.append(
                "And \(Self.makeCountText(rest.count(where: \.isFiring), rest.count(where: { !$0.isFiring })))."
            )
        }
        if truncatedAlertCount > 0 { lines.append("\(truncatedAlertCount) further alerts are not in the notice.") }
        return lines
    }

    private func makeHeading(_ firing: Int, _ resolved: Int) -> String {
        let mark = firing > 0 ? Alert.firingMark : Alert.resolvedMark
        let own = title.truncatedToOneLine(300)
        guard own.isEmpty else { return "\(mark) \(own)" }
        let state = firing == 1 && resolved == 0 ? "FIRING" : firing == 0 && resolved == 1 ? "RESOLVED" : nil
        let named = commonLabels["alertname"] ?? groupLabels["alertname"]
        let name = named ?? (groupLabels.isEmpty ? "alerts" : Self.makeLabelText(groupLabels))
        return "\(mark) \(state ?? Self.makeCountText(firing, resolved)): \(name.truncatedToOneLine(300))"
    }

    /// Makes a text such as `2 firing, 1 resolved`.
    private static func makeCountText(_ firing: Int, _ resolved: Int) -> String {
        [firing > 0 ? "\(firing) firing" : "", resolved > 0 ? "\(resolved) resolved" : ""].filter { !$0.isEmpty }
            .joined(separator: ", ")
    }

    /// Makes the text of labels, sorted by name. The name of the alert and internal labels (`__…`) are left out.
    fileprivate static func makeLabelText(_ labels: [String: String]) -> String {
        let shown = labels.filter { $0.key != "alertname" && !$0.key.hasPrefix("__") }.sorted { $0.key < $1.key }
        return shown.map { "\($0.key.truncatedToOneLine(100)): \($0.value.truncatedToOneLine(200))" }.joined(
            separator: ", "
        ).truncated(
            to: 600
        )
    }
}

/// An alert of a group.
private struct Alert {
    let isFiring: Bool
    let identity: String
    private let labels: [String: String]
    private let annotations: [String: String]
    private let timeLine: String?
    private let links: [String]

    static let firingMark = "🔴"
    static let resolvedMark = "🟢"

    init(_ alert: ForeignObject) throws(ProblemDetails) {
        switch try alert.requireText("status") {
        case "firing": isFiring = true
        case "resolved": isFiring = false
        default: throw alert.makeProblem("status", .invalid, "must be firing or resolved.")
        }
        labels = try alert.readNamedTexts("labels")
        annotations = try alert.readNamedTexts("annotations")
        let (starts, ends) = (try alert.readText("startsAt") ?? "", try alert.readText("endsAt") ?? "")
        timeLine =
            isFiring ? Self.makeTimeText(starts).map { "since \($0)" } : Self.makeTimeText(ends).map { "until \($0)" }
        var links: [String] = []
        for name in ["panelURL", "dashboardURL", "generatorURL"] where links.isEmpty {
            if let link = try alert.readText(name), !link.isEmpty { links.append(link.truncatedToOneLine(500)) }
        }
        self.links = [annotations["runbook_url"]?.truncatedToOneLine(500) ?? ""] + links
        let sorted = labels.sorted { $0.key < $1.key }.map { JSONValue.array([.string($0.key), .string($0.value)]) }
        let times = isFiring ? [starts] : [starts, ends]
        identity = JSONValue.array([.bool(isFiring), .array(sorted), .array(times.map { .string($0) })]).text
    }

    /// Makes the lines of an alert.
    /// - Parameters:
    ///   - isSingle: whether this is the only alert of the notice. The heading of the notice then already has the state
    ///     and the name of the alert.
    ///   - common: labels that the notice already shows for all alerts.
    func makeLines(isSingle: Bool, besides common: [String: String]) -> [String] {
        let summary = annotations["summary"]?.truncatedToOneLine(300) ?? ""
        let description = (annotations["description"] ?? annotations["message"] ?? "").printable.truncated(to: 600)
        let name = common["alertname"] == nil ? labels["alertname"]?.truncatedToOneLine(200) : nil
        let mark = isFiring ? Self.firingMark : Self.resolvedMark
        let first = isSingle ? summary : [mark, name ?? "", summary].filter { !$0.isEmpty }.joined(separator: " ")
        let others = AlertGroup.makeLabelText(labels.filter { common[$0.key] != $0.value })
        return [first, description == summary ? "" : description, others, timeLine ?? ""] + links
    }

    /// Makes the text of a time, in the time zone of the sending program; nil for an absent or malformed time.
    private static func makeTimeText(_ text: String) -> String? {
        guard !text.hasPrefix("0001-"),
            let parts = text.wholeMatch(of: /(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d)/)
        else { return nil }
        return "\(parts.1) \(parts.2) \(parts.3 == "Z" ? "UTC" : parts.3)"
    }
}
