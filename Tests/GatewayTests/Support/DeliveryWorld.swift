import ChatAPI
import Clocks
import Descriptors
import Files
import Foundation
import JSON
import Logging
import NIOPosix
import OutgoingHTTP
import SMPTestSupport
import SQLCipher
import SimpleXCrypto
import TestSupport

@testable import ChatCore
@testable import ChatStore
@testable import Gateway

/// A journal in memory whose events are sent to receivers on this machine, and the database of the delivery.
struct DeliveryWorld: Sendable {
    let journal: MemoryJournal
    let subscriptions: EventSubscriptions
    let keys: KeyRing
    let keyFile: KeyFile
    let keyId: String
    let settings: DeliverySettings

    /// A schedule with pauses of milliseconds, so that a test does not wait.
    static let quickSchedule = DeliverySchedule(
        retryPauses: [Duration](repeating: .milliseconds(2), count: 4),
        probeBackoff: .init(initial: .milliseconds(2), limit: .milliseconds(5)),
        maxFailureTime: .seconds(3_600),
        jitter: 1...1
    )

    static func run<T>(
        _ change: (inout DeliverySettings) -> Void = { _ in },
        _ body: (DeliveryWorld) async throws -> T
    ) async throws -> T {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let database = try await Database.open(
            at: folder.path + "/test.db",
            key: .none,
            migrations: ChatSchema.migrations
        )
        var settings = DeliverySettings()
        settings.schedule = quickSchedule
        // This is longer than a test can take on a slow machine, so a silent receiver causes no timeout.
        settings.timeoutSeconds = 3_600
        change(&settings)
        let file = KeyFile(folder: folder.path)
        let key = try file.addKey(name: "test", scopes: [.events, .write])
        let world = DeliveryWorld(
            journal: MemoryJournal(),
            subscriptions: EventSubscriptions(database: database),
            keys: try KeyRing(file: file),
            keyFile: file,
            keyId: key.record.id,
            settings: settings
        )
        do {
            let result = try await body(world)
            await database.close()
            return result
        } catch {
            await database.close()
            throw error
        }
    }

    /// Runs the delivery engine until `body` has returned, like a process that then ends.
    func withDelivery<T>(log: Logger? = nil, _ body: (DeliveryEngine) async throws -> T) async throws -> T {
        let group = MultiThreadedEventLoopGroup.singleton
        let policy = AddressPolicy(allowed: [AddressRange("127.0.0.0/8")].compactMap(\.self))
        var limits = OutgoingHTTP.Limits()
        limits.maxTotalTime = .seconds(settings.timeoutSeconds)
        let http = try OutgoingHTTP(
            group: group,
            policy: policy,
            connections: Allowance(settings.maxConnections),
            limits: limits,
            userAgent: "test",
            lookUp: settings.nameLookup
        )
        let engine = DeliveryEngine(
            source: journal,
            subscriptions: { subscriptions },
            keys: keys,
            store: nil,
            settings: settings,
            http: http,
            log: log ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        keys.onCredentialsChange { [weak engine] _, _ in engine?.wakeAfterKeyChange() }
        engine.start()
        do {
            let result = try await body(engine)
            await engine.stop()
            return result
        } catch {
            await engine.stop()
            throw error
        }
    }

    /// Adds a webhook that gets all events from now on.
    func addWebhook(
        _ id: String = "wh_1",
        to receiver: HTTPReceiver,
        _ change: (inout Webhook) -> Void = { _ in }
    ) async throws {
        let text = "http://127.0.0.1:\(receiver.port)/\(id)"
        var webhook = Webhook(
            url: try TargetURL(text),
            urlText: text,
            secret: .random(),
            rights: SubscriptionRights(Principal(keyID: keyId, scopes: .events, userId: nil))
        )
        change(&webhook)
        let subscription = EventSubscription(
            id: id,
            kind: Webhook.kind,
            keyId: keyId,
            settings: webhook.storedSettings,
            position: journal.latestSeq,
            created: WallClock.milliseconds()
        )
        _ = try await subscriptions.add(subscription, limit: 10, share: 10)
    }

    /// Publishes events, each about one contact.
    func publish(_ contacts: [Int64]) {
        journal.publish(
            events: contacts.map { #"{"type":"contactUpdated","toContact":{"contactId":\#($0)}}"# },
            userId: 1
        )
    }

    /// Waits until the receiver has accepted all events up to this one, and the position is stored.
    func waitUntilTaken(_ seq: UInt64, _ id: String = "wh_1") async throws {
        try await waitUntil("\(id) has accepted all events up to \(seq)") {
            try await storedSubscription(id)?.position == seq
        }
    }

    func storedSubscription(_ id: String = "wh_1") async throws -> EventSubscription? {
        try await subscriptions.readAll().first { $0.id == id }
    }
}

extension HTTPReceiver.Request {
    /// The number of the event in the journal.
    var seq: Int? { header("webhook-id")?.split(separator: "-").last.flatMap { Int($0) } }
    var json: JSONValue { get throws { try JSONValue(parsing: body) } }
}

extension RealGateway {
    /// Runs a gateway that sends events to receivers on this machine, with short pauses after refusals.
    /// - Parameter folder: a folder that outlasts the gateway; nil for a temporary one.
    static func runDelivering<T>(
        in folder: TemporaryFolder? = nil,
        _ body: (RealGateway) async throws -> T
    ) async throws -> T {
        let place = try folder ?? TemporaryFolder()
        defer { if folder == nil { place.remove() } }
        return try await run(
            in: place,
            serving: { configuration in
                configuration.deliverySettings.allowedAddresses = ["127.0.0.1"]
                configuration.deliverySettings.schedule = DeliveryWorld.quickSchedule
                configuration.deliverySettings.timeoutSeconds = 3_600
                configuration.deliverySettings.pushContact = "mailto:me@example.org"
            },
            body
        )
    }
}
