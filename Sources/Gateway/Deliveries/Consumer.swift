internal import JSON
internal import SimpleXCrypto

/// A subscription whose events workers take and acknowledge. The gateway stores the position of the consumer in the
/// journal.
struct Consumer: SubscriptionSettings {
    static let kind = "consumer"
    static let noun = "consumer"
    static let pathParameter = "name"

    let name: String
    var requestedEvents = RequestedEvents()
    /// Seconds after which an event that was not acknowledged is handed out again.
    var deadlineSeconds = Consumer.defaultDeadlineSeconds
    /// Number of attempts after which an event is set aside. Workers get such an event again only after a request to
    /// retry the event, from a key that may change the consumer.
    var maxAttempts = Consumer.defaultMaxAttempts
    let rights: SubscriptionRights
    /// The key of the checksums in ``HandoutID``.
    let checksumKey: SecretBytes

    static let defaultDeadlineSeconds: Int64 = 60
    static let allowedDeadlineSeconds: ClosedRange<Int64> = 5...3_600
    static let defaultMaxAttempts = 10
    static let allowedAttempts = 1...100

    var filter: EventFilter { requestedEvents.makeFilter(rights) }

    /// Returns the id of the subscription for a consumer with this name. Ids of other kinds of subscriptions do not
    /// begin with `consumer/`.
    static func subscriptionID(_ name: String) -> String { "consumer/" + name }

    /// Whether a text can be the name of a consumer: 1 to 64 letters, digits, `.`, `_` and `-`. The names `.` and `..`
    /// are refused, because clients remove these parts from a path.
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text != "." && text != ".."
            && text.utf8.allSatisfy { byte in
                switch UnicodeScalar(byte) {
                case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-": true
                default: false
                }
            }
    }
}

extension Consumer {
    init?(json: JSONValue) {
        guard let name = json["name"]?.stringValue, let rights = SubscriptionRights(json: json["rights"]),
            let secret = json["secret"]?.stringValue.flatMap({ try? Base64.decode($0) }),
            let deadline = json["deadlineSeconds"]?.integerValue, Consumer.allowedDeadlineSeconds.contains(deadline),
            let attempts = json["maxAttempts"]?.integerValue.flatMap({ Int(exactly: $0) }),
            Consumer.allowedAttempts.contains(attempts)
        else { return nil }
        self.init(
            name: name,
            requestedEvents: RequestedEvents(json: json["filter"] ?? .null),
            deadlineSeconds: deadline,
            maxAttempts: attempts,
            rights: rights,
            checksumKey: SecretBytes(secret)
        )
    }

    /// The settings as they are stored in the database, with the secret.
    var storedSettings: String {
        var object = description
        object["secret"] = .string(checksumKey.withBytes { Base64.encode($0) })
        object["rights"] = rights.json
        return JSONValue.object(object).text
    }

    /// The description of the consumer for its owner.
    var description: JSONObject {
        var filter = JSONObject()
        requestedEvents.write(to: &filter)
        return JSONObject([
            ("name", .string(name)), ("filter", .object(filter)), ("deadlineSeconds", .integer(deadlineSeconds)),
            ("maxAttempts", .integer(Int64(maxAttempts))),
        ])
    }
}

/// The id of one handout of an event to a worker. The worker acknowledges the event by this id.
///
/// An id contains the time of the handout, which distinguishes several handouts of one event. A checksum in the id
/// proves that the gateway has handed out the event, so the gateway needs no list of the ids.
struct HandoutID: Sendable, Hashable {
    let seq: UInt64
    let isGap: Bool
    /// The time of the handout, in milliseconds since 1970. A later handout of the entry has a greater time.
    let handoutMilliseconds: Int64

    init(_ entry: DeliveryWindow.Entry, at time: Int64) {
        (seq, isGap, self.handoutMilliseconds) = (entry.seq, entry.kind == .gap, time)
    }

    /// Reads an id.
    /// - Returns: nil for an id that the consumer did not hand out.
    init?(_ text: String, of consumer: Consumer, epoch: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let gap = "gap-"
        guard parts.count == 3, let time = Int64(wholeNumber: parts[1]) else { return nil }
        isGap = parts[0].hasPrefix(gap)
        let cursor = isGap ? String(parts[0].dropFirst(gap.count)) : parts[0]
        guard cursor.hasPrefix(epoch + "-"), let seq = UInt64(cursor.dropFirst(epoch.count + 1)) else { return nil }
        (self.seq, self.handoutMilliseconds) = (seq, time)
        guard constantTimeEquals(Array(self.text(of: consumer, epoch: epoch).utf8), Array(text.utf8)) else {
            return nil
        }
    }

    func text(of consumer: Consumer, epoch: String) -> String {
        let plain = "\(isGap ? "gap-" : "")\(EventForm.makeCursor(epoch, seq)).\(handoutMilliseconds)"
        let checksum = HMAC.sha256(Array(plain.utf8), key: consumer.checksumKey).prefix(12)
        return "\(plain).\(Base64URL.encode(Array(checksum), padding: false))"
    }

    /// Whether this id belongs to a handout of the entry. The handout may be the newest one or an earlier one.
    func matches(_ entry: DeliveryWindow.Entry) -> Bool { entry.seq == seq && (entry.kind == .gap) == isGap }
}
