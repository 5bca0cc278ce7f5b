internal import ChatCore
internal import JSON
internal import OutgoingHTTP
internal import SimpleXCrypto

/// A URL to which events are posted, by the rules of Standard Webhooks 1.0.
struct Webhook: EventReceiver, SubscriptionSettings {
    static let kind = "webhook"
    static let noun = "webhook"
    static let pathParameter = "webhookId"

    /// The key that signs requests.
    struct SigningSecret: Sendable, Hashable {
        let bytes: SecretBytes

        static let prefix = "whsec_"

        static func random() -> SigningSecret { SigningSecret(bytes: .random(count: 32)) }

        private init(bytes: SecretBytes) { self.bytes = bytes }

        /// Parses a secret.
        /// - Returns: nil when the text does not consist of `whsec_` and 24 to 64 bytes in base64.
        init?(_ text: String) {
            guard text.hasPrefix(SigningSecret.prefix), text.utf8.count <= 128,
                let decoded = try? Base64.decode(text.dropFirst(SigningSecret.prefix.count)),
                (24...64).contains(decoded.count)
            else { return nil }
            bytes = SecretBytes(decoded)
        }

        var text: String { bytes.withBytes { SigningSecret.prefix + Base64.encode($0) } }

        func sign(id: String, time: Int64, body: [UInt8]) -> String {
            "v1," + Base64.encode(HMAC.sha256(Array("\(id).\(time).".utf8), body, key: bytes))
        }
    }

    var name: String?
    var url: TargetURL
    var urlText: String
    var requestedEvents = RequestedEvents()
    var signingSecret: SigningSecret
    /// The secret before the last rotation. Requests are also signed with this secret until the time `until`, in
    /// seconds since 1970.
    var previousSigningSecret: (secret: SigningSecret, until: Int64)?
    let rights: SubscriptionRights

    let isDeletedWithReceiver = false
    let expiresAtMilliseconds: Int64? = nil

    var filter: EventFilter { requestedEvents.makeFilter(rights) }

    /// Makes the request for an event. The body of the request is the entry in the form that all transports use.
    func makeRequest(for event: Event, epoch: String, now: Int64) -> OutgoingRequest? {
        makeRequest(
            id: EventForm.makeCursor(epoch, event.seq),
            body: EventForm.encodeEntry(event, epoch: epoch),
            now: now
        )
    }

    func makeRequest(forGap oldest: UInt64, epoch: String, now: Int64) -> OutgoingRequest? {
        makeRequest(
            id: "gap-" + EventForm.makeCursor(epoch, oldest &- 1),
            body: EventForm.encodeGap(oldest: oldest, epoch: epoch),
            now: now
        )
    }

    func makeRequest(id: String, body: [UInt8], now: Int64) -> OutgoingRequest {
        let seconds = now / 1_000
        var signatures = [signingSecret.sign(id: id, time: seconds, body: body)]
        if let previousSigningSecret, seconds < previousSigningSecret.until {
            signatures.append(previousSigningSecret.secret.sign(id: id, time: seconds, body: body))
        }
        return OutgoingRequest(
            url: url,
            headers: [
                ("Content-Type", "application/json"), ("webhook-id", id), ("webhook-timestamp", "\(seconds)"),
                ("webhook-signature", signatures.joined(separator: " ")),
            ],
            body: body
        )
    }

    func judgeAnswer(_ answer: OutgoingAnswer) -> DeliveryOutcome {
        switch answer.status {
        case 200..<300: .delivered
        case 410: .receiverGone
        default: .refusedForNow(retryAfter: answer.retryAfterSeconds)
        }
    }
}

extension Webhook {
    init?(json: JSONValue) {
        guard let text = json["url"]?.stringValue, let url = try? TargetURL(text),
            let secret = json["secret"]?.stringValue.flatMap({ SigningSecret($0) }),
            let rights = SubscriptionRights(json: json["rights"])
        else { return nil }
        self.init(url: url, urlText: text, secret: secret, rights: rights)
        name = json["name"]?.stringValue
        requestedEvents = RequestedEvents(json: json)
        if let old = json["previous"], let secret = old["secret"]?.stringValue.flatMap({ SigningSecret($0) }),
            let until = old["until"]?.clampedTime
        {
            previousSigningSecret = (secret, until)
        }
    }

    init(url: TargetURL, urlText: String, secret: SigningSecret, rights: SubscriptionRights) {
        self.url = url
        self.urlText = urlText
        self.signingSecret = secret
        self.rights = rights
    }

    /// The settings as they are stored in the database, with the secrets.
    var storedSettings: String {
        var object = description
        object["url"] = .string(urlText)
        object["secret"] = .string(signingSecret.text)
        if let previousSigningSecret {
            object["previous"] = [
                "secret": .string(previousSigningSecret.secret.text), "until": .integer(previousSigningSecret.until),
            ]
        }
        object["rights"] = rights.json
        return JSONValue.object(object).text
    }

    /// The description of the subscription for its owner, without the secrets.
    var description: JSONObject {
        var object = JSONObject()
        if let name { object["name"] = .string(name) }
        object["url"] = .string(url.maskedText)
        requestedEvents.write(to: &object)
        return object
    }
}
