import SQLCipher
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore
@testable import ChatStore

/// Workers at the start of a store.
@Suite(.socketTimeLimit) struct WorkerStartTests {
    /// Opens a store with a user and a group that has been started before, without starting it.
    private func openStore(in world: World) async throws -> Core {
        let first = try await world.core("alice")
        try await first.createUser("alice")
        try await first.run(#"/_group 1 incognito=off {"displayName":"team","fullName":""}"#)
        try await first.run("/_create *1 text a note")
        await first.controller.close()
        // The first start of stored databases compares them, and may store other values.
        try await world.core("alice").controller.close()
        return try await world.core("alice", started: false)
    }

    @Test
    func `Opening and starting an idle store takes few reads and writes, and commits nothing`() async throws {
        let core = try await openStore(in: World()), controller = core.controller
        let (chat, agent) = (controller.store.database, controller.services.agent.database)
        let (chatAccesses, agentAccesses) = (chat.accessCount, agent.accessCount)
        #expect(chatAccesses <= 8)
        #expect(agentAccesses <= 4)
        try await controller.start()
        // Without an object storage, the worker for objects ends at once.
        try await waitUntil("all workers wait") {
            controller.workers.allSatisfy { $0 is ObjectWorker || $0.signal.isAwaited }
        }
        #expect(chat.accessCount - chatAccesses <= 4)
        #expect(chat.commitCount == 0)
        await core.controller.close()
    }

    @Test
    func `No worker of an idle store has work to do when the store starts`() async throws {
        let core = try await openStore(in: World()), controller = core.controller
        for (worker, start) in zip(controller.workers, await controller.findWorkerStarts()) {
            #expect(start.pause != .zero, "\(type(of: worker))")
        }
        await core.controller.close()
    }

    /// The names of the workers that have found work in a transaction. The error undoes the transaction.
    private struct FoundWork: Error, Equatable {
        let workers: [String]
    }

    @Test
    func `At a start, each worker finds the work that an earlier run has left`() async throws {
        let core = try await openStore(in: World()), controller = core.controller
        let work: [(worker: any Worker.Type, statements: [String])] = [
            (TimedItemWorker.self, ["UPDATE chat_items SET timed_delete_at = 1"]),
            (RetiredConnectionWorker.self, ["INSERT INTO retired_users (agent_user_id, del_smp_queues) VALUES (7, 0)"]),
            (
                RetiredConnectionWorker.self,
                ["INSERT INTO retired_connections (agent_conn_id, farewell) VALUES ('one', 0)"]
            ),
            (
                LinkDataWorker.self,
                [
                    """
                    INSERT INTO user_addresses (user_id, agent_conn_id, conn_full_link, settings, created_at, link_data_stale)
                    VALUES (1, 'one', 'link', '{}', 1, 1)
                    """
                ]
            ),
            (
                LinkDataWorker.self,
                [
                    """
                    INSERT INTO group_links (user_contact_link_id, user_id, group_id, connection_id, agent_conn_id,
                      conn_full_link, group_link_id, member_role, created_at, link_data_stale)
                    VALUES (1, 1, 1, 1, 'one', 'link', 'id', 'member', 1, 1)
                    """
                ]
            ),
            (ExpiryWorker.self, ["UPDATE users SET chat_item_ttl = 60"]),
            (ExpiryWorker.self, ["UPDATE contact_profiles SET badge_changes_at = 1"]),
            (
                SearchIndexWorker.self,
                [
                    """
                    INSERT INTO search_spans (is_large, span, first_ts, last_ts, first_created, last_created)
                    VALUES (1, 0, 1, 1, 1, 1)
                    """
                ]
            ),
            (MemberStepWorker.self, ["UPDATE group_members SET step = 'asked'"]),
            (
                ChannelLinkWorker.self,
                [
                    "UPDATE group_members SET member_role = 'member'",
                    "UPDATE groups SET public_group_id = x'01', conn_short_link_to_connect = 'link', connecting_progress = 1",
                ]
            ),
            (FileWorker.self, ["INSERT INTO retired_files (file_path, is_sent) VALUES ('gone', 1)"]),
            (FileWorker.self, ["INSERT INTO uploads (file_path, user_id, created_at) VALUES ('old', 1, 1)"]),
            (
                FileWorker.self,
                ["INSERT INTO partial_uploads (upload_id, user_id, file_name, updated_at) VALUES ('old', 1, 'name', 1)"]
            ),
            (
                ServedChannelWorker.self,
                [
                    """
                    INSERT INTO served_channels (user_id, group_id, channel_link, invitation, created_at)
                    VALUES (1, 1, 'link', x'01', 1)
                    """
                ]
            ),
            (
                RelayDeliveryWorker.self,
                [
                    """
                    INSERT INTO relay_tasks (user_id, group_id, support_member_id, author_member_id, element,
                      includes_joining, ends_service, created_at)
                    VALUES (1, 1, 0, 0, x'01', 0, 0, 1)
                    """
                ]
            ),
            (
                PlannedMessageWorker.self,
                [
                    """
                    INSERT INTO planned_messages (user_id, broadcasts, key_id, send_rate, created_at)
                    VALUES (1, 0, 'key', 1, 1)
                    """
                ]
            ),
        ]
        for (worker, statements) in work {
            await #expect(throws: FoundWork(workers: ["\(worker)"])) {
                try await controller.store.database.write { [workers = controller.workers] db in
                    for statement in statements { try db.execute(statement) }
                    let found = try workers.filter { try $0.findTimeUntilWork(db) == .zero }
                    throw FoundWork(workers: found.map { "\(type(of: $0))" })
                }
            }
        }
        // The worker for objects finds its work in a folder, and only with an object storage.
        let asked = Set(work.map { "\($0.worker)" })
        #expect(controller.workers.map { "\(type(of: $0))" }.filter { !asked.contains($0) } == ["ObjectWorker"])
        await core.controller.close()
    }

    @Test
    func `A worker does work that is added between the worker's first check for work and its wait`() async throws {
        let core = try await openStore(in: World()), controller = core.controller
        let store = controller.store
        let asked = zip(controller.workers, await controller.findWorkerStarts()).first { $0.0 is FileWorker }
        let (worker, start) = try #require(asked)
        #expect(start.pause != .zero)
        try await store.write { tx in
            try tx.db.execute("INSERT INTO retired_files (file_path, is_sent) VALUES ('gone', 1)")
            tx.followUpWork.insert(worker.followUpWork)
        }
        let run = Task { await worker.run(from: start) }
        try await waitUntil("the worker has removed the file") {
            try await store.read { try !$0.hasRow("SELECT 1 FROM retired_files") }
        }
        run.cancel()
        await run.value
        await core.controller.close()
    }
}
