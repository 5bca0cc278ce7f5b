import ChatAPI
import JSON
import TestSupport
import Testing

@testable import ChatCore
@testable import ChatStore

@Suite("Scheduled messages", .socketTimeLimit)
struct ScheduledMessagesTests {
    private func refusalReason(_ body: () async throws -> some Any) async -> String {
        do {
            _ = try await body()
            return "accepted"
        } catch let refused as PlannedRefusal {
            // In the API of the core, these two errors have the form of other errors.
            switch refused.error {
            case .error(.accessDenied): return "accessDenied"
            case .error(.quotaExceeded): return "quotaExceeded"
            default: break
            }
            let json = try? JSONEncoder().encodeValue(refused.error)
            return json?["errorType"]?["type"]?.stringValue ?? json?["storeError"]?["type"]?.stringValue ?? "other"
        } catch {
            return "\(error)"
        }
    }

    @Test
    func `A scheduled message is sent at its time, and its text is then deleted from the schedule`() async throws {
        try await PlannedWorld.withWorld { world in
            let made = try await world.scheduleText("later", in: 100)
            #expect(made.receiver?.state == .waiting && made.sendAt == world.now.adding(seconds: 100))
            world.advanceClock(by: 99)
            try await world.sendDueMessages()
            #expect(try await world.findScheduled(made.id) == made)
            world.advanceClock(by: 1)
            try await world.sendDueMessages()
            try await waitForText("later", world.bob)
            let sent = try #require(try await world.findScheduled(made.id))
            #expect(sent.receiver?.state == .sent && sent.content == nil && sent.isFinished)
            let events = try await world.alice.events().filter { $0.event["type"] == "newChatItems" }
            let items = events.last?.event["chatItems"]?.arrayValue ?? []
            #expect(items.map { $0["chatItem"]?["meta"]?["itemId"]?.integerValue } == sent.receiver?.itemIds)
            #expect(items.first?["chatItem"]?["chatDir"] == ["type": "directSnd"])
            #expect(try await world.storedTexts() == [])
        }
    }

    @Test
    func `If the time of a scheduled message passes while the core is closed, the next start sends the message once`()
        async throws
    {
        try await PlannedWorld.withWorld { world in
            let made = try await world.scheduleText("late", in: 100)
            try await world.restart(after: 1_000)
            try await waitForText("late", world.bob)
            try await world.restart(after: 1_000)
            try await world.sendDueMessages()
            try await exchangeText(world.alice, world.bob, "end")
            #expect(try await world.receivedTexts() == ["late", "end"])
            #expect(try await world.findScheduled(made.id)?.receiver?.state == .sent)
        }
    }

    @Test
    func `A message cannot be scheduled in the past, more than a year ahead, as a report or to an unknown contact`()
        async throws
    {
        try await PlannedWorld.withWorld { world in
            #expect(await refusalReason { try await world.scheduleText("a", in: 0) } == "commandError")
            #expect(await refusalReason { try await world.scheduleText("a", in: -1) } == "commandError")
            #expect(
                await refusalReason { try await world.scheduleText("a", in: PlannedLimits.maxDelaySeconds + 1) }
                    == "commandError"
            )
            let nobody = PlannedRequest.Receivers.chats([ChatRef(chatType: .direct, chatId: 9)])
            #expect(await refusalReason { try await world.scheduleText("a", to: nobody) } == "contactNotFound")
            let report = ComposedMessage(msgContent: .report(text: "", reason: .spam), mentions: [:])
            let request = PlannedRequest(
                .scheduled,
                to: .chats([ChatRef(chatType: .direct, chatId: 1)]),
                PlannedContent(messages: [report])
            )
            let refused = await refusalReason {
                try await world.controller.planMessages(request, by: world.caller) { _ in nil }
            }
            #expect(refused == "commandError")
            let past = world.now.adding(seconds: -1)
            let text = PlannedContent(messages: [PlannedWorld.makeTextMessage("a")])
            #expect(
                await refusalReason { try await world.controller.checkPlannedMessage(text, at: past, by: world.caller) }
                    == "commandError"
            )
            #expect(
                await refusalReason { try await world.controller.checkPlannedMessage(text, at: nil, by: world.caller) }
                    == "accepted"
            )
            let stored = try await world.storedTexts()
            #expect(stored == [])
        }
    }

    @Test
    func `A scheduled message is refused at its time if the key that scheduled it has ended or may no longer send`()
        async throws
    {
        try await PlannedWorld.withWorld { world in
            let first = try await world.scheduleText("first", in: 10)
            let second = try await world.scheduleText("second", in: 20)
            let third = try await world.scheduleText("third", in: 30)
            world.controller.setPlannedRightsLookup { _ in .unknown }
            world.advanceClock(by: 10)
            try await world.sendDueMessages()
            #expect(try await world.findScheduled(first.id)?.receiver?.state == .waiting)
            world.controller.setPlannedRightsLookup { _ in .ended }
            world.advanceClock(by: 60)
            try await world.sendDueMessages()
            for id in [first.id, second.id, third.id] {
                let failed = try #require(try await world.findScheduled(id))
                #expect(failed.receiver?.state == .failed && failed.content == nil)
                #expect(failed.receiver?.problem?["errorType"]?["type"] == "accessDenied")
            }
            world.controller.setPlannedRightsLookup { _ in
                .valid(CommandRights(scopes: [.write], chats: [.contact(7)], paths: .ownFolders))
            }
            let fourth = try await world.scheduleText("fourth", in: 1)
            world.advanceClock(by: 1)
            try await world.sendDueMessages()
            #expect(
                try await world.findScheduled(fourth.id)?.receiver?.problem?["errorType"]?["type"] == "accessDenied"
            )
            let bound = PlannedCaller(
                userId: 1,
                keyId: "bound",
                rights: CommandRights(scopes: [.write], chats: [.contact(7)], paths: .ownFolders)
            )
            #expect(await refusalReason { try await world.scheduleText("fifth", in: 1, by: bound) } == "accessDenied")
            #expect(try await world.controller.findPlannedMessage(fourth.id, .scheduled, for: bound) == nil)
            #expect(try await world.receivedTexts() == [])
        }
    }

    @Test
    func `A scheduled message with unreadable data does not delay the messages scheduled after it`() async throws {
        try await PlannedWorld.withWorld { world in
            let (first, second) = (
                try await world.scheduleText("one", in: 10), try await world.scheduleText("two", in: 20)
            )
            try await world.controller.store.write { tx in
                try tx.db.execute("UPDATE planned_receivers SET done_at = 'never' WHERE planned_id = ?", [first.id])
            }
            world.advanceClock(by: 20)
            try await world.sendDueMessages()
            #expect(try await world.findScheduled(second.id)?.receiver?.state == .sent)
            try await waitForText("two", world.bob)
        }
    }

    @Test
    func `A waiting scheduled message can be changed or cancelled, but a sent message cannot`() async throws {
        try await PlannedWorld.withWorld { world in
            let (first, second) = (
                try await world.scheduleText("one", in: 10), try await world.scheduleText("two", in: 10)
            )
            let time = world.now.adding(seconds: 50)
            let changed = try await world.controller.changePlannedMessage(first.id, by: world.caller) {
                $0 == first
            } _: {
                $0.messages = [PlannedWorld.makeTextMessage("changed")]
                $1 = time
            }
            guard case .found(let new) = changed else {
                Issue.record("\(changed)")
                return
            }
            #expect(new.sendAt == time && new.content?.messages.first?.msgContent == .text(text: "changed"))
            let stale = try await world.controller.changePlannedMessage(first.id, by: world.caller) {
                $0 == first
            } _: { _, _ in
            }
            guard case .changedByOther = stale else {
                Issue.record("\(stale)")
                return
            }
            _ = try await world.controller.cancelPlannedMessages(second.id, .scheduled, by: world.caller, deletes: true)
            #expect(try await world.findScheduled(second.id) == nil)
            world.advanceClock(by: 49)
            try await world.sendDueMessages()
            world.advanceClock(by: 1)
            try await world.sendDueMessages()
            try await waitForText("changed", world.bob)
            let late = try await world.controller.changePlannedMessage(first.id, by: world.caller) { _ in
                true
            } _: { _, _ in
            }
            guard case .finished = late,
                case .finished = try await world.controller.cancelPlannedMessages(
                    first.id,
                    .scheduled,
                    by: world.caller,
                    deletes: true
                )
            else {
                Issue.record("\(late)")
                return
            }
            #expect(try await world.receivedTexts() == ["changed"])
        }
    }

    @Test
    func `Scheduled messages fail when their contact is deleted, and are deleted with their user`() async throws {
        try await PlannedWorld.withWorld { world in
            let made = try await world.scheduleText("quokka", in: 100)
            #expect(try await world.storedTexts().count == 1)
            try await world.alice.run("/_delete @1 full notify=off")
            #expect(try await world.storedTexts() == [])
            let failed = try #require(try await world.findScheduled(made.id)?.receiver)
            #expect(failed.state == .failed && failed.problem?["storeError"]?["type"] == "contactNotFound")
            try await world.alice.createUser("other")
            try await world.alice.run("/_delete user 1 del_smp=on")
            let rows = try await world.controller.store.read { db in
                try db.query("SELECT 1 FROM planned_messages").count + db.query("SELECT 1 FROM planned_receivers").count
            }
            #expect(rows == 0)
        }
    }

    @Test
    func `While a user is hidden, the user's scheduled messages cannot be listed or cancelled, but are sent`()
        async throws
    {
        try await PlannedWorld.withWorld { world in
            let made = try await world.scheduleText("secret", in: 10)
            try await world.alice.createUser("other")
            try await world.alice.run(#"/_hide user 1 "s3cret""#)
            #expect(await refusalReason { try await world.findScheduled(made.id) } == "userUnknown")
            #expect(
                await refusalReason {
                    try await world.controller.listPlannedMessages(
                        .scheduled,
                        for: world.caller,
                        PlannedListPart(limit: 10)
                    )
                } == "userUnknown"
            )
            #expect(
                await refusalReason {
                    try await world.controller.cancelPlannedMessages(
                        made.id,
                        .scheduled,
                        by: world.caller,
                        deletes: true
                    )
                } == "userUnknown"
            )
            world.advanceClock(by: 10)
            try await world.sendDueMessages()
            try await waitForText("secret", world.bob)
        }
    }

    @Test
    func `Waiting scheduled messages are cancelled in a copy of the store`() async throws {
        try await PlannedWorld.withWorld { world in
            let made = try await world.scheduleText("once", in: 10)
            try await world.controller.store.write { try ChatStore.makeIndependentCopy($0.db) }
            let cancelled = try #require(try await world.findScheduled(made.id))
            #expect(cancelled.receiver?.state == .cancelled && cancelled.content == nil)
            world.advanceClock(by: 10)
            try await world.sendDueMessages()
            try await exchangeText(world.alice, world.bob, "end")
            #expect(try await world.receivedTexts() == ["end"])
        }
    }

    @Test
    func `A scheduled message to a pending connection waits until the contact is connected, also after its time`()
        async throws
    {
        try await PlannedWorld.withWorld(connected: false) { world in
            let invitation = try await world.alice.run("/_connect 1 incognito=off", as: 1)
            let link = try #require(invitation["connLinkInvitation"]?["connFullLink"]?.stringValue)
            let id = try #require(invitation["connection"]?["pccConnId"]?.integerValue)
            let pending = PlannedRequest.Receivers.chats([ChatRef(chatType: .contactConnection, chatId: id)])
            let made = try await world.scheduleText("welcome", to: pending, in: 10)
            world.advanceClock(by: 20)
            try await world.sendDueMessages()
            #expect(try await world.findScheduled(made.id)?.receiver?.state == .waiting)
            try await world.bob.run("/_connect 1 incognito=off \(link)", as: 1)
            try await waitForText("welcome", world.bob)
            let sent = try #require(try await world.findScheduled(made.id)?.receiver)
            #expect(sent.state == .sent && sent.chat.chatType == .direct)
        }
    }

    @Test
    func `A scheduled message finds its contact by name or alias, and is refused if no contact or two contacts fit`()
        async throws
    {
        try await PlannedWorld.withWorld { world in
            _ = try await world.scheduleText("by name", to: .contact(name: "bob"))
            try await world.alice.run("/_set alias @1 plumber")
            _ = try await world.scheduleText("by alias", to: .contact(name: "plumber"))
            try await world.sendDueMessages()
            try await waitForText("by alias", world.bob)
            #expect(try await world.receivedTexts() == ["by name", "by alias"])
            #expect(
                await refusalReason { try await world.scheduleText("a", to: .contact(name: "carol")) }
                    == "contactNotFoundByName"
            )
            try await world.bob.createUser("bob2")
            try await connectUsers(world.alice, 1, to: world.bob, 2)
            try await world.alice.run("/_set alias @2 plumber")
            #expect(
                await refusalReason { try await world.scheduleText("a", to: .contact(name: "plumber")) }
                    == "commandError"
            )
        }
    }

    @Test
    func `A link as recipient means no chat before its use, then a pending connection, and finally the contact`()
        async throws
    {
        try await PlannedWorld.withWorld(connected: false) { world in
            let invitation = try await world.bob.run("/_connect 1 incognito=off", as: 1)
            let link = try #require(invitation["connLinkInvitation"]?["connFullLink"]?.stringValue)
            #expect(try await world.controller.findPlannedChat(link: link, for: world.caller) == nil)
            try await world.alice.run("/_connect 1 incognito=off \(link)", as: 1)
            let pending = try #require(try await world.controller.findPlannedChat(link: link, for: world.caller))
            let made = try await world.scheduleText("first", to: .chats([pending]))
            try await waitForText("first", world.bob)
            #expect(
                try await world.controller.findPlannedChat(link: link, for: world.caller)
                    == world.findScheduled(made.id)?.receiver?.chat
            )
            #expect(
                await refusalReason { try await world.controller.findPlannedChat(link: "no link", for: world.caller) }
                    == "invalidConnReq"
            )
        }
    }

    @Test
    func `A key without the scope 'admin' may use only a share of the limit of scheduled messages`() async throws {
        try await PlannedWorld.withWorld { world in
            func caller(_ key: String) -> PlannedCaller {
                PlannedCaller(
                    userId: 1,
                    keyId: key,
                    rights: CommandRights(scopes: [.read, .write], paths: .ownFolders)
                )
            }
            let (one, other) = (caller("one"), caller("other"))
            for _ in 0..<PlannedLimits.maxScheduledPerKey { _ = try await world.scheduleText("a", in: 1_000, by: one) }
            #expect(await refusalReason { try await world.scheduleText("a", in: 1_000, by: one) } == "quotaExceeded")
            let text = PlannedContent(messages: [PlannedWorld.makeTextMessage("a")])
            let check = await refusalReason { try await world.controller.checkPlannedMessage(text, at: nil, by: one) }
            #expect(check == "quotaExceeded")
            _ = try await world.scheduleText("a", in: 1_000, by: other)
            let first = try await world.controller.listPlannedMessages(
                .scheduled,
                for: world.caller,
                PlannedListPart(limit: 2)
            )
            _ = try await world.controller.cancelPlannedMessages(first[1].id, .scheduled, by: one, deletes: true)
            _ = try await world.scheduleText("a", in: 1_000, by: one)
            // A key with the scope `admin` may use more than the share.
            for _ in 0...PlannedLimits.maxScheduledPerKey { _ = try await world.scheduleText("a", in: 1_000) }
        }
    }

    @Test
    func `Results of sent scheduled messages are deleted after 30 days, also without new scheduled messages`()
        async throws
    {
        try await PlannedWorld.withWorld { world in
            let made = [try await world.scheduleText("one"), try await world.scheduleText("two", in: 100)]
            try await world.sendDueMessages()
            world.advanceClock(by: 100)
            try await world.sendDueMessages()
            world.advanceClock(by: PlannedLimits.resultLifetimeSeconds - 50)
            let next = try await world.controller.plannedMessageWorker.runRound()
            #expect(next != nil)
            #expect(try await world.findScheduled(made[0].id) == nil)
            #expect(try await world.findScheduled(made[1].id)?.receiver?.state == .sent)
            world.advanceClock(by: 51)
            #expect(try await world.controller.plannedMessageWorker.runRound() == nil)
            #expect(try await world.findScheduled(made[1].id) == nil)
        }
    }

    @Test
    func `A store at its limit of scheduled messages refuses further scheduled messages`() async throws {
        try await PlannedWorld.withWorld { world in
            for _ in 0..<PlannedLimits.maxScheduledMessages { _ = try await world.scheduleText("a", in: 1_000) }
            #expect(await refusalReason { try await world.scheduleText("a", in: 1_000) } == "quotaExceeded")
            let first = try await world.controller.listPlannedMessages(
                .scheduled,
                for: world.caller,
                PlannedListPart(limit: 1)
            )
            _ = try await world.controller.cancelPlannedMessages(
                first[0].id,
                .scheduled,
                by: world.caller,
                deletes: true
            )
            _ = try await world.scheduleText("a", in: 1_000)
        }
    }
}
