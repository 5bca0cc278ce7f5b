import ChatCore
import Clocks
import JSON
import SMPTestSupport
import SimpleXCrypto
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Delivery of events to webhooks", .socketTimeLimit) struct DeliveryTests {
    @Test
    func `A webhook gets each event once, in order within a chat, with a valid signature`() async throws {
        try await DeliveryWorld.run { world in
            let receiver = try await HTTPReceiver.start { _ in .status(204) }
            let secret = Webhook.SigningSecret.random()
            try await world.addWebhook(to: receiver) { $0.signingSecret = secret }
            try await world.withDelivery { engine in
                let chats = (0..<60).map { Int64($0 % 7 + 1) }
                world.publish(chats)
                let requests = await receiver.nextRequests(60)
                for chat in 1...7 {
                    let seqs = try requests.filter {
                        try $0.json["event"]?["toContact"]?["contactId"] == .integer(Int64(chat))
                    }.compactMap(\.seq)
                    #expect(seqs == (1...60).filter { chats[$0 - 1] == chat })
                }
                for request in requests {
                    let (id, time) = (
                        try #require(request.header("webhook-id")), try #require(request.header("webhook-timestamp"))
                    )
                    let entry = try #require(
                        try await world.journal.readEntries(after: UInt64(request.seq ?? 0) - 1, limit: 1).first
                    )
                    #expect(request.body == EventForm.encodeEntry(entry, epoch: "test") && id == "test-\(entry.seq)")
                    let mac = HMAC.sha256(Array("\(id).\(time).\(request.text)".utf8), key: secret.bytes)
                    #expect(request.header("webhook-signature") == "v1,\(Base64.encode(mac))")
                    #expect(abs((Int64(time) ?? 0) - WallClock.seconds()) < 60)
                }
                try await world.waitUntilTaken(60)
                #expect(try await world.subscriptions.readEntries(of: "wh_1").isEmpty)
                #expect(
                    try await engine.listAttempts(of: "wh_1").count {
                        $0.outcome == "delivered" && $0.httpStatus == 204
                    } == 60
                )
                #expect(receiver.connectionCount <= world.settings.maxParallelRequests)
            }
        }
    }

    @Test
    func `An event that a webhook refuses is sent again before later events of its chat, and delays no other chat`()
        async throws
    {
        try await DeliveryWorld.run { world in
            let refusals = Mutex(2)
            let others = AsyncStream.makeStream(of: Void.self)
            let receiver = try await HTTPReceiver.start { request in
                guard request.text.contains(#""contactId":1}"#), refusals.withLock({ $0 }) > 0 else {
                    if request.text.contains(#""contactId":2}"#) { others.continuation.finish() }
                    return .status(200)
                }
                refusals.withLock { $0 -= 1 }
                // The refusals wait for the event of the other chat, so that this event arrives during the refused
                // attempts.
                for await _ in others.stream {}
                return .status(500)
            }
            try await world.addWebhook(to: receiver)
            try await world.withDelivery { engine in
                world.publish([1, 1, 2, 1])
                let requests = await receiver.nextRequests(6)
                #expect(requests.compactMap(\.seq).filter { $0 != 3 } == [1, 1, 1, 2, 4])
                try await world.waitUntilTaken(4)
                let attempts = try await engine.listAttempts(of: "wh_1").filter {
                    $0.eventId == "test-1"
                }
                #expect(attempts.map(\.attemptNumber) == [3, 2, 1] && attempts.map(\.httpStatus) == [200, 500, 500])
                #expect(
                    attempts.map(\.outcome) == ["delivered", "failed", "failed"]
                        && attempts[2].nextAttemptUnixMilliseconds != nil
                )
            }
        }
    }

    @Test
    func `After a restart, only events that the webhook's receiver has not accepted are sent again`() async throws {
        try await DeliveryWorld.run { world in
            let isOpen = Mutex(false)
            let receiver = try await HTTPReceiver.start { request in
                request.text.contains(#""contactId":1}"#) && !isOpen.withLock { $0 } ? .silence : .status(200)
            }
            try await world.addWebhook(to: receiver)
            try await world.withDelivery { _ in
                world.publish([1, 2, 3, 1])
                #expect(Set(await receiver.nextRequests(3).compactMap(\.seq)) == [1, 2, 3])
                try await waitUntil("the other events are stored") {
                    try await world.subscriptions.readEntries(of: "wh_1").count == 2
                }
            }
            world.publish([4])
            isOpen.withLock { $0 = true }
            try await world.withDelivery { _ in
                #expect(await receiver.nextRequests(3).compactMap(\.seq).sorted() == [1, 4, 5])
                try await world.waitUntilTaken(5)
            }
            #expect(receiver.requests.count == 6)
        }
    }

    @Test
    func `Events that a webhook has not answered are sent in order after a restart`() async throws {
        try await DeliveryWorld.run({ $0.maxDoneEntries = 4 }) { world in
            let isOpen = Mutex(false)
            let receiver = try await HTTPReceiver.start { request in
                request.text.contains(#""contactId":1}"#) && !isOpen.withLock { $0 } ? .silence : .status(200)
            }
            try await world.addWebhook(to: receiver)
            try await world.withDelivery { _ in
                world.publish([1, 1, 2, 3, 4, 5, 6, 7, 8, 9])
                #expect(Set(await receiver.nextRequests(9).compactMap(\.seq)) == [1, 3, 4, 5, 6, 7, 8, 9, 10])
                try await world.waitUntilTaken(10)
                let rows = try await world.subscriptions.readEntries(of: "wh_1")
                #expect(rows.map(\.seq) == [1, 2] && rows.allSatisfy { $0.state == .replay })
            }
            world.publish([1])
            isOpen.withLock { $0 = true }
            try await world.withDelivery { _ in
                #expect(await receiver.nextRequests(3).compactMap(\.seq) == [1, 2, 11])
                try await world.waitUntilTaken(11)
                try await waitUntil("no entry is stored") {
                    try await world.subscriptions.readEntries(of: "wh_1").isEmpty
                }
            }
        }
    }

    @Test
    func `A dead or silent receiver does not delay the events of other receivers`() async throws {
        try await DeliveryWorld.run({ $0.maxWaitingEntries = 300 }) { world in
            let (silent, good) = (
                try await HTTPReceiver.start { _ in .silence }, try await HTTPReceiver.start { _ in .status(200) }
            )
            let dead = try await HTTPReceiver.start { _ in .status(200) }
            try await world.addWebhook("wh_silent", to: silent)
            try await world.addWebhook("wh_dead", to: dead)
            await dead.stop()
            try await world.addWebhook("wh_good", to: good)
            try await world.withDelivery { engine in
                for _ in 0..<20 { world.publish((1...100).map { Int64($0) }) }
                #expect(Set(await good.nextRequests(2_000).compactMap(\.seq)).count == 2_000)
                #expect(silent.requests.count <= world.settings.maxParallelRequests)
                // The position is stored only after a whole block of events, so up to one block more is counted as
                // waiting.
                for id in ["wh_silent", "wh_dead"] {
                    let waiting = try #require(engine.waitingCount(id))
                    #expect((300..<300 + EventHub.minEntriesPerRead).contains(waiting))
                }
                #expect(try await world.storedSubscription("wh_dead")?.position == 0)
            }
        }
    }

    @Test
    func `A receiver that has refused all events gets all these events as soon as the receiver accepts events again`()
        async throws
    {
        try await DeliveryWorld.run { world in
            let running = Atomic(0)
            let most = Atomic(0)
            let isOpen = Atomic(false)
            let receiver = try await HTTPReceiver.start { _ in
                let now = running.add(1, ordering: .relaxed).newValue
                defer { running.subtract(1, ordering: .relaxed) }
                if isOpen.load(ordering: .relaxed) { return .status(200) }
                most.store(max(now, most.load(ordering: .relaxed)), ordering: .relaxed)
                return .status(503)
            }
            try await world.addWebhook(to: receiver)
            try await world.withDelivery { _ in
                world.publish((1...50).map { Int64($0) })
                _ = await receiver.nextRequests(30)
                #expect(most.load(ordering: .relaxed) <= world.settings.maxParallelRequests)
                #expect(try await world.storedSubscription()?.failingSinceMilliseconds != nil)
                isOpen.store(true, ordering: .relaxed)
                try await waitUntil("all events are accepted") { try await world.storedSubscription()?.position == 50 }
                #expect(try await world.storedSubscription()?.failingSinceMilliseconds == nil)
            }
        }
    }

    @Test
    func `If a receiver refuses one event but accepts others, the event is set aside after the last attempt`()
        async throws
    {
        try await DeliveryWorld.run { world in
            let receiver = try await HTTPReceiver.start { request in
                .status(request.text.contains(#""contactId":1}"#) ? 400 : 200)
            }
            try await world.addWebhook(to: receiver)
            try await world.withDelivery { engine in
                world.publish([1, 2])
                // Each accepted event of another chat shows that the receiver works, so the refusals count toward the
                // last attempt.
                try await waitUntil("the refused event is set aside") {
                    world.publish([3])
                    return try await engine.listAttempts(of: "wh_1").contains {
                        $0.outcome == "abandoned"
                    }
                }
                let attempts = try await engine.listAttempts(of: "wh_1").filter {
                    $0.eventId == "test-1"
                }
                #expect(
                    attempts.count == world.settings.schedule.retryPauses.count + 1
                        && attempts.first?.nextAttemptUnixMilliseconds == nil
                )
                let last = world.journal.latestSeq
                try await waitUntil("the other events are accepted") {
                    try await world.storedSubscription()?.position == last
                }
                #expect(try await world.storedSubscription()?.state == .active)
            }
        }
    }

    @Test
    func `A webhook that was stopped after many failures continues at its position as soon as it is set active`()
        async throws
    {
        try await DeliveryWorld.run({ $0.schedule.maxFailureTime = .milliseconds(30) }) { world in
            let isOpen = Atomic(false)
            let receiver = try await HTTPReceiver.start { _ in .status(isOpen.load(ordering: .relaxed) ? 200 : 500) }
            try await world.addWebhook(to: receiver)
            try await world.withDelivery { engine in
                world.publish([1, 1])
                try await waitUntil("the webhook is stopped") {
                    try await world.storedSubscription()?.state == .failed
                }
                #expect(try await world.storedSubscription()?.position == 0)
                isOpen.store(true, ordering: .relaxed)
                _ = try await engine.changeSubscription("wh_1", kind: Webhook.kind, .retryNow) { old in
                    var new = old
                    new.state = .active
                    return new
                }
                try await waitUntil("both events are accepted") { try await world.storedSubscription()?.position == 2 }
            }
        }
    }

    @Test
    func `An answer of 410 from the receiver ends the webhook permanently`() async throws {
        try await DeliveryWorld.run { world in
            let receiver = try await HTTPReceiver.start { _ in .status(410) }
            try await world.addWebhook(to: receiver)
            let log = LogRecorder()
            try await world.withDelivery(log: log.makeLogger()) { _ in
                world.publish([1])
                try await waitUntil("the webhook has ended") { try await world.storedSubscription()?.state == .gone }
                world.publish([2, 3])
            }
            try await world.withDelivery { engine in
                let found = try await engine.findSubscription("wh_1", kind: Webhook.kind)
                #expect(found?.state == .gone)
            }
            #expect(receiver.requests.count == 1)
            let text = log.lines.map(\.text).joined()
            #expect(text.contains("wh_1") && !text.contains("127.0.0.1"))
        }
    }

    @Test
    func `The times of attempts, and of the last success of a webhook, come from the clock of the deliveries`()
        async throws
    {
        let now: Int64 = 1_000_000
        try await DeliveryWorld.run({
            $0.clock = DeliveryClock(wallMilliseconds: { now }, monotonicMilliseconds: { 0 })
        }) { world in
            let receiver = try await HTTPReceiver.start { _ in .status(204) }
            try await world.addWebhook(to: receiver)
            try await world.withDelivery { engine in
                world.publish([1])
                try await world.waitUntilTaken(1)
                let attempt = try await engine.listAttempts(of: "wh_1").first
                #expect(attempt?.startedMilliseconds == now && attempt?.durationMilliseconds == 0)
                #expect(try await world.storedSubscription()?.lastSuccessMilliseconds == now)
            }
            #expect(receiver.requests.first?.header("webhook-timestamp") == "\(now / 1_000)")
        }
    }

    @Test
    func `The header Retry-After of a receiver delays all events of the webhook, by a day at most`() async throws {
        try await DeliveryWorld.run { world in
            let receiver = try await HTTPReceiver.start { request in
                .status(429, [("Retry-After", request.target == "/wh_1" ? "1000" : "99999999")])
            }
            try await world.addWebhook(to: receiver)
            try await world.addWebhook("wh_2", to: receiver)
            try await world.withDelivery { engine in
                let before = WallClock.milliseconds()
                world.publish([1])
                _ = await receiver.nextRequests(2)
                try await waitUntil("both webhooks have stored entries") {
                    let counts = (
                        try await world.subscriptions.readEntries(of: "wh_1").count,
                        try await world.subscriptions.readEntries(of: "wh_2").count
                    )
                    return counts == (1, 1)
                }
                let first = try await world.subscriptions.readEntries(of: "wh_1")[0].nextAttemptUnixMilliseconds
                #expect((before + 1_000_000...WallClock.milliseconds() + 1_000_000).contains(first))
                #expect(
                    try await world.subscriptions.readEntries(of: "wh_2")[0].nextAttemptUnixMilliseconds
                        <= WallClock.milliseconds()
                        + DeliverySchedule.longestPauseMilliseconds
                )
                world.publish([2])
                try await waitUntil("the other event is read") { engine.waitingCount("wh_1") == 2 }
                #expect(receiver.requests.count == 2)
            }
        }
    }

    @Test
    func `If the journal deletes events that a receiver refuses, the receiver gets a gap instead of the events`()
        async throws
    {
        try await DeliveryWorld.run { world in
            let isOpen = Atomic(false)
            let receiver = try await HTTPReceiver.start { _ in .status(isOpen.load(ordering: .relaxed) ? 200 : 500) }
            try await world.addWebhook(to: receiver)
            try await world.withDelivery { _ in
                world.publish([1, 2, 3, 4, 5, 6])
                _ = await receiver.nextRequest()
            }
            world.journal.removeEntries(before: 5)
            isOpen.store(true, ordering: .relaxed)
            try await world.withDelivery { engine in
                try await world.waitUntilTaken(6)
                // The receiver may read the request of an earlier attempt late, so the stored attempts are checked
                // instead of its requests.
                let taken = try await engine.listAttempts(of: "wh_1").filter {
                    $0.outcome == "delivered"
                }.map(\.eventId)
                #expect(
                    taken.last == "gap-test-4" && Set(taken.dropLast()) == ["test-5", "test-6"] && taken.count == 3
                )
                let gap = receiver.requests.first { $0.header("webhook-id") == "gap-test-4" }
                #expect(try gap?.json == ["event": ["type": "gap", "oldest": "test-4"]])
                #expect(
                    try gap.map {
                        try Contract.servedContract.violations(ofWebhook: "gap", header: $0.header, body: $0.json)
                    } == []
                )
                try await waitUntil("the webhook has no stored entry") {
                    try await world.subscriptions.readEntries(of: "wh_1").isEmpty
                }
            }
        }
    }

    @Test
    func `A receiver gets a gap only if one of the deleted events matches the receiver's filter`() async throws {
        try await DeliveryWorld.run { world in
            let isOpen = Atomic(false)
            let receiver = try await HTTPReceiver.start { _ in .status(isOpen.load(ordering: .relaxed) ? 200 : 500) }
            let other = try await HTTPReceiver.start { _ in .status(200) }
            try await world.addWebhook(to: receiver)
            try await world.addWebhook("wh_2", to: other) { $0.requestedEvents.chats = [EventChat(.direct, 9)] }
            try await world.withDelivery { engine in
                world.publish([1, 2, 3, 4, 5, 9])
                _ = await receiver.nextRequest()
                // The second webhook gets only events of the chat 9, so it has skipped the first five events.
                #expect(await other.nextRequest().seq == 6)
                world.journal.removeEntries(before: 6)
                isOpen.store(true, ordering: .relaxed)
                world.publish([9])
                try await waitUntil("all events are accepted") {
                    let places = (
                        try await world.storedSubscription()?.position,
                        try await world.storedSubscription("wh_2")?.position
                    )
                    return places == (7, 7)
                }
                #expect(other.requests.map(\.seq) == [6, 7])
                let ids = receiver.requests.compactMap { $0.header("webhook-id") }
                #expect(ids.contains("gap-test-5") || Set(ids).isSuperset(of: (1...7).map { "test-\($0)" }))
                #expect(engine.waitingCount("wh_1") == 0)
            }
        }
    }

    @Test
    func `A webhook gets only the events that both its filter and its key permit`() async throws {
        try await DeliveryWorld.run { world in
            let (typed, bound) = (
                try await HTTPReceiver.start { _ in .status(200) }, try await HTTPReceiver.start { _ in .status(200) }
            )
            try await world.addWebhook("wh_1", to: typed) { $0.requestedEvents.types = ["contactConnected"] }
            try await world.addWebhook("wh_2", to: bound) { webhook in
                webhook = Webhook(
                    url: webhook.url,
                    urlText: webhook.urlText,
                    secret: webhook.signingSecret,
                    rights: SubscriptionRights(Principal(keyID: world.keyId, scopes: .events, userId: 2))
                )
            }
            try await world.withDelivery { _ in
                world.journal.publish([String](repeating: "contactUpdated", count: 600), userId: 1)
                world.journal.publish(["contactConnected"], userId: 1)
                world.journal.publish(["contactUpdated"], userId: 2)
                #expect(await typed.nextRequest().seq == 601)
                #expect(await bound.nextRequest().seq == 602)
                try await waitUntil("both positions are at the end") {
                    let places = (
                        try await world.storedSubscription()?.position ?? 0,
                        try await world.storedSubscription("wh_2")?.position
                    )
                    return places.0 >= 601 && places.1 == 602
                }
            }
            // The position is stored after the last skipped event, so that skipped events are not read again.
            #expect(try await world.storedSubscription()?.position == 602)
            #expect(typed.requests.count == 1 && bound.requests.count == 1)
        }
    }

    @Test
    func `After the key of a webhook is revoked, the webhook's events wait until the webhook gets another key`()
        async throws
    {
        try await DeliveryWorld.run { world in
            let receiver = try await HTTPReceiver.start { _ in .status(200) }
            try await world.addWebhook(to: receiver)
            try await world.withDelivery { engine in
                world.publish([1])
                #expect(await receiver.nextRequest().seq == 1)
                try await world.waitUntilTaken(1)
                _ = try world.keyFile.revokeKey(id: world.keyId)
                world.keys.reloadKeys()
                world.publish([2, 3])
                let other = try world.keyFile.addKey(name: "other", scopes: [.events, .write]).record.id
                world.keys.reloadKeys()
                #expect(receiver.requests.count == 1)
                _ = try await engine.changeSubscription("wh_1", kind: Webhook.kind) { old in
                    var new = old
                    new.keyId = other
                    return new
                }
                #expect(Set(await receiver.nextRequests(2).compactMap(\.seq)) == [2, 3])
            }
        }
    }

    @Test
    func `On request, single events or all events after a position are sent to a webhook a second time`() async throws {
        try await DeliveryWorld.run { world in
            let receiver = try await HTTPReceiver.start { _ in .status(200) }
            try await world.addWebhook(to: receiver)
            try await world.withDelivery { engine in
                world.publish([1, 2, 3, 4])
                _ = await receiver.nextRequests(4)
                try await world.waitUntilTaken(4)
                _ = try await engine.changeSubscription(
                    "wh_1",
                    kind: Webhook.kind,
                    .replayEntries([2, 3])
                ) { $0 }
                #expect(Set(await receiver.nextRequests(2).compactMap(\.seq)) == [2, 3])
                try await waitUntil("the webhook has no stored entry") {
                    try await world.subscriptions.readEntries(of: "wh_1").isEmpty
                }
                #expect(try await world.storedSubscription()?.position == 4)
                _ = try await engine.changeSubscription("wh_1", kind: Webhook.kind, .afterEntry(1)) { $0 }
                #expect(Set(await receiver.nextRequests(3).compactMap(\.seq)) == [2, 3, 4])
                _ = try await engine.changeSubscription("wh_1", kind: Webhook.kind) { old in
                    var new = old
                    new.state = .paused
                    return new
                }
                world.publish([5, 6])
                _ = try await engine.changeSubscription("wh_1", kind: Webhook.kind, .afterEntry(5)) {
                    old in
                    var new = old
                    new.state = .active
                    return new
                }
                #expect(await receiver.nextRequest().seq == 6)
                #expect(receiver.requests.count == 10)
            }
        }
    }
}
