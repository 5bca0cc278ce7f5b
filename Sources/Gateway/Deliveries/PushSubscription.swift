internal import ChatAPI
internal import JSON
internal import OutgoingHTTP
internal import SimpleXCrypto

/// A browser that gets notifications through its push service: RFC 8030.
struct PushSubscription: EventReceiver, SubscriptionSettings {
    static let kind = "push"
    static let noun = "subscription"
    static let pathParameter = "subscriptionId"

    var name: String?
    let endpoint: TargetURL
    let endpointText: String
    /// The browser's key `p256dh`, for which messages are encrypted. The next property is the browser's secret `auth`.
    let publicKey: [UInt8]
    let authSecret: [UInt8]
    /// The time at which the subscription expires, in milliseconds since 1970.
    let expiresAtMilliseconds: Int64?
    /// The requested events. Their types are always ``PushNote/notifyingTypes``.
    var requestedEvents = RequestedEvents()
    var isOnlyForMentions = false
    var includesContent = false
    let rights: SubscriptionRights
    /// The sender for push services; nil when the subscription is only read, for example for a list.
    var pushSender: PushSender?

    let isDeletedWithReceiver = true

    /// Seconds after an event during which the push service may deliver its notification.
    static let lifetimeSeconds: Int64 = 86_400
    /// Seconds after the start of a call during which the push service may deliver its notification.
    static let callLifetimeSeconds: Int64 = 60

    var filter: EventFilter {
        var filter = requestedEvents.makeFilter(rights)
        filter.types = PushNote.notifyingTypes
        return filter
    }

    func makeRequest(for event: Event, epoch: String, now: Int64) -> OutgoingRequest? {
        guard let json = try? JSONValue(parsing: event.json, limits: .forOwnText), let note = PushNote(json),
            note.isMention || !isOnlyForMentions
        else { return nil }
        let age = Timestamp(parsing: event.time).map { max(0, now / 1_000 - $0.seconds) } ?? 0
        let left =
            (note.type == "callInvitation" ? PushSubscription.callLifetimeSeconds : PushSubscription.lifetimeSeconds)
            - age
        guard left > 0 else { return nil }
        let id = EventForm.makeCursor(epoch, event.seq)
        var message = JSONObject([("id", .string(id)), ("createdAt", .string(event.time))])
        if let userId = event.userId { message["userId"] = .integer(userId) }
        message["type"] = .string(note.type)
        if let chat = note.chat { message["chat"] = .string(chat.text) }
        if let itemId = note.itemId { message["itemId"] = .integer(itemId) }
        if note.isMention { message["mention"] = true }
        if includesContent {
            message["title"] = .string(PushSubscription.truncate(note.title, to: 100))
            message["text"] = .string(PushSubscription.truncate(note.text, to: 500))
        }
        return makeRequest(
            message,
            left: left,
            urgency: note.urgency,
            topic: includesContent ? nil : note.chat.map { makeTopic($0, of: event.userId) },
            now: now
        )
    }

    func makeRequest(forGap oldest: UInt64, epoch: String, now: Int64) -> OutgoingRequest? { nil }

    /// Makes the request that sends a message to the push service. The message is encrypted for the browser.
    func makeRequest(
        _ message: JSONObject,
        left: Int64,
        urgency: PushNote.Urgency,
        topic: String?,
        now: Int64
    ) -> OutgoingRequest? {
        guard let pushSender,
            let body = try? WebPushCipher.encrypt(
                JSONValue.object(message).encodeText(),
                for: publicKey,
                secret: authSecret
            ),
            let authorization = try? pushSender.makeAuthorization(for: endpoint.origin, now: now / 1_000)
        else { return nil }
        var headers = [
            (name: "Content-Type", value: "application/octet-stream"), ("Content-Encoding", "aes128gcm"),
            ("TTL", "\(left)"), ("Urgency", urgency.rawValue),
            ("Authorization", authorization),
        ]
        if let topic { headers.append(("Topic", topic)) }
        return OutgoingRequest(url: endpoint, headers: headers, body: body)
    }

    /// Returns the topic of a notification without content: one topic for each chat. The push service keeps only the
    /// last notification of each topic. The topic does not reveal the chat.
    private func makeTopic(_ chat: EventChat, of userId: Int64?) -> String {
        let hash = HMAC.sha256(Array("topic \(userId ?? 0) \(chat.text)".utf8), key: SecretBytes(authSecret))
        return Base64URL.encode(hash.prefix(24), padding: false)
    }

    /// Returns the first `count` characters of a text, in at most `4 * count` bytes. A shortened text ends with an
    /// ellipsis.
    private static func truncate(_ text: String, to count: Int) -> String {
        var out = String(text.prefix(count))
        while out.utf8.count > 4 * count {
            out = String(out.unicodeScalars.dropLast(max(1, out.unicodeScalars.count / 8)))
        }
        return out.utf8.count < text.utf8.count ? out + "…" : out
    }

    func judgeAnswer(_ answer: OutgoingAnswer) -> DeliveryOutcome {
        switch answer.status {
        case 200..<300: .delivered
        case 404, 410: .receiverGone
        case 413: .refusedForever
        default: .refusedForNow(retryAfter: answer.retryAfterSeconds)
        }
    }
}

extension PushSubscription {
    init?(json: JSONValue) {
        guard let text = json["endpoint"]?.stringValue, let url = try? TargetURL(text),
            let rights = SubscriptionRights(json: json["rights"]),
            let publicKey = json["p256dh"]?.stringValue.flatMap({ try? Base64URL.decode($0) }),
            let secret = json["auth"]?.stringValue.flatMap({ try? Base64URL.decode($0) })
        else { return nil }
        self.init(
            endpoint: url,
            endpointText: text,
            publicKey: publicKey,
            secret: secret,
            expires: json["expires"]?.clampedTime,
            rights: rights
        )
        name = json["name"]?.stringValue
        requestedEvents = RequestedEvents(json: json)
        isOnlyForMentions = json["mentionsOnly"] == true
        includesContent = json["content"] == true
    }

    init(
        endpoint: TargetURL,
        endpointText: String,
        publicKey: [UInt8],
        secret: [UInt8],
        expires: Int64?,
        rights: SubscriptionRights
    ) {
        self.endpoint = endpoint
        self.endpointText = endpointText
        self.publicKey = publicKey
        self.authSecret = secret
        self.expiresAtMilliseconds = expires
        self.rights = rights
    }

    var storedSettings: String {
        var object = description
        object["endpoint"] = .string(endpointText)
        object["p256dh"] = .string(Base64URL.encode(publicKey, padding: false))
        object["auth"] = .string(Base64URL.encode(authSecret, padding: false))
        if let expiresAtMilliseconds { object["expires"] = .integer(expiresAtMilliseconds) }
        object["rights"] = rights.json
        return JSONValue.object(object).text
    }

    /// The description of the subscription for its owner. It does not contain the whole endpoint, because anybody who
    /// knows the endpoint can send to it.
    var description: JSONObject {
        var object = JSONObject()
        if let name { object["name"] = .string(name) }
        object["service"] = .string(endpoint.origin)
        requestedEvents.write(to: &object)
        object["mentionsOnly"] = .bool(isOnlyForMentions)
        object["content"] = .bool(includesContent)
        return object
    }
}
