internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// Message that a relay has to pass on.
struct RelayedMessage {
    /// Member of the support chat that the message belongs to; nil for a message to the whole channel.
    var supportMember: MemberRecord?
    let author: MemberRecord
    /// The encoded message, which becomes an element of a body with several messages.
    let element: [UInt8]
    /// Whether members who are still joining get the message too.
    var includesJoiningMembers = false
    /// Whether this message is the last message: the relay then stops serving the channel.
    var endsChannelService = false

    func store(in group: GroupRecord, _ tx: Transaction) throws {
        if endsChannelService { try RelayJobs.deleteAll(of: group, tx) }
        try tx.db.insert(
            into: "relay_tasks",
            [
                "user_id": group.userId, "group_id": group.groupId, "support_member_id": supportMember?.memberId ?? 0,
                "author_member_id": author.memberId, "element": element, "includes_joining": includesJoiningMembers,
                "ends_service": endsChannelService, "created_at": tx.now.nanoseconds,
            ]
        )
        tx.followUpWork.insert(.relayDelivery)
    }
}

/// The delivery jobs of a relay. A job sends one body, which joins several waiting messages, to one page of members
/// after the other. The transaction that writes the deliveries of a page also writes the cursor: after a crash no
/// member misses the body, and no member gets the body twice.
enum RelayJobs {
    /// Key of a sequence of bodies: all bodies to the whole channel, or all bodies to one support chat. The bodies of a
    /// sequence are sent one after the other, so that the messages keep their order.
    struct DeliverySequence: Hashable, Sendable {
        let userId: Int64
        let groupId: Int64
        /// Id of the member to whom the support chat belongs; 0 for the whole channel.
        let supportMemberId: Int64

        fileprivate var keyArguments: [Argument] { [userId, groupId, supportMemberId] }
    }

    /// The number of members who get a body in one transaction.
    static let membersPerPage = 500

    private static let sequenceCondition = "WHERE user_id = ? AND group_id = ? AND support_member_id = ?"

    static func readPendingSequences(_ db: StoreConnection) throws -> [DeliverySequence] {
        try db.query(
            """
            SELECT user_id, group_id, support_member_id FROM relay_jobs UNION SELECT user_id, group_id, support_member_id FROM relay_tasks
            """
        ).map {
            DeliverySequence(
                userId: try $0.int64("user_id"),
                groupId: try $0.int64("group_id"),
                supportMemberId: try $0.int64("support_member_id")
            )
        }
    }

    static func deleteAll(of group: GroupRecord, _ tx: Transaction) throws {
        for table in ["relay_tasks", "relay_jobs"] {
            try tx.db.execute(
                "DELETE FROM \(table) WHERE user_id = :user_id AND group_id = :group_id",
                ["user_id": group.userId, "group_id": group.groupId]
            )
        }
    }

    /// Adds the last body for a channel, and deletes all other messages and bodies that wait for the channel. After
    /// this body, the relay stops serving the channel.
    static func addLastBody(_ body: [UInt8], in group: GroupRecord, _ tx: Transaction) throws {
        try deleteAll(of: group, tx)
        try addJob(
            body,
            authors: [],
            DeliverySequence(userId: group.userId, groupId: group.groupId, supportMemberId: 0),
            includesJoining: true,
            endsService: true,
            since: tx.now,
            tx
        )
    }

    private static func addJob(
        _ body: [UInt8],
        authors: [Int64],
        _ sequence: DeliverySequence,
        includesJoining: Bool,
        endsService: Bool,
        since: Timestamp,
        _ tx: Transaction
    ) throws {
        // The job counts as one delivery, so that the body exists as long as the job.
        let bodyId = try MessageBodies.store(body, deliveries: 1, in: tx.db)
        try tx.db.insert(
            into: "relay_jobs",
            [
                "user_id": sequence.userId, "group_id": sequence.groupId, "support_member_id": sequence.supportMemberId,
                "body_id": bodyId, "author_member_ids": authors.map(String.init).joined(separator: ","),
                "includes_joining": includesJoining, "ends_service": endsService, "created_at": since.nanoseconds,
            ]
        )
        tx.followUpWork.insert(.relayDelivery)
    }

    /// Joins the oldest waiting messages that fit into one body, and stores the body as a job. If the oldest
    /// message is too large for a body, drops this message instead.
    /// - Returns: whether messages were waiting.
    private static func storeNextJob(_ sequence: DeliverySequence, _ tx: Transaction) throws -> Bool {
        let rows = try tx.db.query(
            "SELECT * FROM relay_tasks \(sequenceCondition) ORDER BY task_id LIMIT \(MessageElements.maxElements)",
            sequence.keyArguments
        )
        guard let first = rows.first else { return false }
        let (includesJoining, endsService) = (try first.bool("includes_joining"), try first.bool("ends_service"))
        let alike = try rows.prefix {
            try $0.bool("includes_joining") == includesJoining && $0.bool("ends_service") == endsService
        }
        let elements = try alike.map { try $0.blob("element") }
        let (batches, tooLarge) = BinaryBatch.splitIntoBatches(sizes: elements.map(\.count))
        let taken = tooLarge.first == 0 ? 0..<1 : batches.first ?? 0..<1
        if tooLarge.first != 0 {
            try addJob(
                BinaryBatch.encodeElements(Array(elements[taken])),
                authors: alike[taken].map { try $0.int64("author_member_id") },
                sequence,
                includesJoining: includesJoining,
                endsService: endsService,
                since: Timestamp(nanoseconds: first.int64("created_at")),
                tx
            )
        }
        try tx.db.execute(
            "DELETE FROM relay_tasks \(sequenceCondition) AND task_id <= ?",
            sequence.keyArguments + [alike[taken.upperBound - 1].int64("task_id")]
        )
        return true
    }

    /// Sends the oldest waiting body of the channel or support chat to the next page of members.
    static func sendNextPage(_ sequence: DeliverySequence, _ tx: Transaction) throws {
        guard let user = try UserRecord.find(sequence.userId, in: tx.db),
            let group = try GroupRecord.find(sequence.groupId, user: sequence.userId, in: tx.db)
        else {
            for table in ["relay_tasks", "relay_jobs"] {
                try tx.db.execute("DELETE FROM \(table) \(sequenceCondition)", sequence.keyArguments)
            }
            return
        }
        let query =
            "SELECT j.*, b.body FROM relay_jobs j JOIN message_bodies b ON b.body_id = j.body_id \(sequenceCondition) ORDER BY job_id LIMIT 1"
        var row = try tx.db.queryFirst(query, sequence.keyArguments)
        if row == nil, try storeNextJob(sequence, tx) { row = try tx.db.queryFirst(query, sequence.keyArguments) }
        // A valid job has a body. If the query finds no row, the sequence has only invalid jobs, and these jobs are
        // deleted.
        guard let row else {
            return try tx.db.execute("DELETE FROM relay_jobs \(sequenceCondition)", sequence.keyArguments)
        }
        let job = try Job(row, sequence)
        guard group.isServedNow || job.endsChannelService else { return try deleteAll(of: group, tx) }
        let isLast =
            try sequence.supportMemberId == 0
            ? sendChannelBody(job, in: group, user, tx) : sendSupportBody(job, in: group, user, tx)
        guard isLast else { return }
        try tx.db.execute("DELETE FROM relay_jobs WHERE job_id = ?", [job.jobId])
        if job.endsChannelService { try group.disconnectAllMembers(afterDelivery: true, tx) }
    }

    private struct Job {
        let jobId: Int64
        let sequence: DeliverySequence
        let bodyId: Int64
        let body: [UInt8]
        let authorIds: [Int64]
        let includesJoiningMembers: Bool
        let endsChannelService: Bool
        let lastMemberIndex: Int64

        init(_ row: Row, _ sequence: DeliverySequence) throws {
            jobId = try row.int64("job_id")
            self.sequence = sequence
            bodyId = try row.int64("body_id")
            body = try row.blob("body")
            authorIds = try row.string("author_member_ids").split(separator: ",").compactMap { Int64($0) }
            includesJoiningMembers = try row.bool("includes_joining")
            endsChannelService = try row.bool("ends_service")
            lastMemberIndex = try row.int64("cursor")
        }
    }

    /// Sends the body of a job to the next page of members of the channel. A body consists of one or several encoded
    /// messages, and a page has at most ``membersPerPage`` members.
    /// - Returns: whether this was the last page, so that the job is complete.
    private static func sendChannelBody(
        _ job: Job,
        in group: GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> Bool {
        let rows = try tx.db.query(
            """
            SELECT m.group_member_id AS recipient_id, m.index_in_group, m.member_role, m.member_status,
            cn.connection_id, cn.agent_conn_id, cn.conn_status,
              cn.auth_err_counter
            FROM group_members m LEFT JOIN connections cn ON cn.connection_id =
            (SELECT max(x.connection_id) FROM connections x
              WHERE x.user_id = m.user_id AND x.group_member_id = m.group_member_id)
            WHERE m.user_id = :user_id AND m.group_id = :group_id AND m.index_in_group > :index_in_group
            ORDER BY m.index_in_group LIMIT :limit
            """,
            [
                "user_id": group.userId, "group_id": group.groupId, "index_in_group": job.lastMemberIndex,
                "limit": Int64(membersPerPage),
            ]
        )
        var bodies = try BodyVariants(job, in: group, user, tx)
        for row in rows {
            guard GroupMemberStatus(rawValue: try row.string("member_status")).isCurrent,
                try row.string("member_role") != GroupMemberRole.relay.rawValue,
                let connectionId = try row.int64OrNil("connection_id"),
                try row.int64("auth_err_counter") < ConnectionRecord.authErrorLimit
            else { continue }
            let status = ConnStatus(stored: try row.string("conn_status"))
            let recipient = RelayRecipient(connectionId: connectionId, agentConnId: try row.string("agent_conn_id"))
            if status == .ready || status == .sndReady {
                bodies.addRecipient(
                    recipient,
                    id: try row.int64("recipient_id"),
                    index: try row.int64("index_in_group")
                )
            } else if job.includesJoiningMembers, status != .deleted {
                bodies.joiningMembers.append(
                    Recipients.MemberRef(userId: group.userId, memberId: try row.int64("recipient_id"))
                )
            }
        }
        try bodies.enqueueBodies(tx)
        guard rows.count == membersPerPage, let last = rows.last else { return true }
        try tx.db.execute(
            "UPDATE relay_jobs SET cursor = :cursor WHERE job_id = :job_id",
            ["cursor": last.int64("index_in_group"), "job_id": job.jobId]
        )
        return false
    }

    /// Sends the body of a job to the moderators and to the member of the support chat. A body consists of one or
    /// several encoded messages.
    /// - Returns: always true: this call sends the body to all of these members, so the job is complete.
    private static func sendSupportBody(
        _ job: Job,
        in group: GroupRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws -> Bool {
        var bodies = try BodyVariants(job, in: group, user, tx)
        var members = try MemberRecord.findModerators(in: group, tx.db).filter {
            $0.memberId != job.sequence.supportMemberId
        }
        if let supported = try MemberRecord.find(job.sequence.supportMemberId, user: group.userId, in: tx.db) {
            members.append(supported)
        }
        for member in members where member.status.isCurrent && member.isReachable {
            guard let connection = member.connection else { continue }
            bodies.addRecipient(RelayRecipient(connection), id: member.memberId, index: member.indexInGroup)
        }
        try bodies.enqueueBodies(tx)
        return true
    }

    /// Variants of a body for different members. A variant lacks the member's own messages, and has the profiles of
    /// authors whom the member does not know.
    private struct BodyVariants {
        private struct Variant: Hashable {
            var omittedAuthorId: Int64?
            var unknownAuthorIds: [Int64] = []
        }

        private let job: Job
        private var announcements: [Int64: MemberAnnouncements] = [:]
        private var encodedProfiles: [Int64: [UInt8]] = [:]
        private var recipients: [Variant: [RelayRecipient]] = [:]
        private var announcedAuthorIds: Set<Int64> = []
        /// Members who get the body after they have joined.
        var joiningMembers: [Recipients.MemberRef] = []

        init(_ job: Job, in group: GroupRecord, _ user: UserRecord, _ tx: Transaction) throws {
            self.job = job
            let introduction = MemberIntroduction(group: group, user: user, tx: tx)
            // Profiles of owners are left out: the members know the owners from the link of the channel and from the
            // introductions after joining.
            for author in try MemberRecord.findAll(Set(job.authorIds), user: group.userId, in: tx.db).values
            where author.role != .owner && !author.status.isRemoved {
                // The profile of an author is omitted if it is too long for a message.
                guard let profile = try? introduction.encodeAnnouncement(of: author),
                    profile.count + 4 <= ChatMessageLimits.messageBytes
                else { continue }
                encodedProfiles[author.memberId] = profile
                announcements[author.memberId] = try MemberAnnouncements(of: author, tx.db)
            }
        }

        mutating func addRecipient(_ recipient: RelayRecipient, id: Int64, index: Int64) {
            var form = Variant()
            if job.authorIds.contains(id) { form.omittedAuthorId = id }
            for (author, known) in announcements where author != id && !known.contains(index) {
                form.unknownAuthorIds.append(author)
                announcements[author]?.insert(index)
                announcedAuthorIds.insert(author)
            }
            form.unknownAuthorIds.sort()
            recipients[form, default: []].append(recipient)
        }

        func enqueueBodies(_ tx: Transaction) throws {
            for (form, recipients) in recipients {
                if form == Variant() {
                    try tx.db.execute(
                        """
                        UPDATE message_bodies SET deliveries = deliveries + :added_deliveries WHERE body_id = :body_id
                        """,
                        ["added_deliveries": Int64(recipients.count), "body_id": job.bodyId]
                    )
                    try tx.enqueueRelayedBody(job.body, job.bodyId, to: recipients)
                } else {
                    for body in encodeVariant(form) { try tx.enqueueRelayedBody(body, to: recipients) }
                }
            }
            for author in announcedAuthorIds { try announcements[author]?.store(tx) }
            guard !joiningMembers.isEmpty else { return }
            let bodyId = try MessageBodies.store(job.body, deliveries: joiningMembers.count, in: tx.db)
            for member in joiningMembers {
                try tx.db.execute(
                    """
                    INSERT INTO waiting_messages (user_id, group_member_id, body_id, msg_flags, created_at)
                    VALUES (:user_id, :group_member_id, :body_id, 0, :created_at)
                    """,
                    [
                        "user_id": member.userId, "group_member_id": member.memberId, "body_id": bodyId,
                        "created_at": tx.now.nanoseconds,
                    ]
                )
            }
        }

        private func encodeVariant(_ form: Variant) -> [[UInt8]] {
            guard let elements = try? BinaryBatch.parseElements(of: job.body), elements.count == job.authorIds.count
            else {
                return [job.body]
            }
            let others = zip(elements, job.authorIds).filter { $0.1 != form.omittedAuthorId }.map(\.0)
            // A member who has written all messages of the body gets no delivery at all, not even the profiles.
            guard !others.isEmpty else { return [] }
            let all = form.unknownAuthorIds.compactMap { encodedProfiles[$0] } + others
            return BinaryBatch.splitIntoBatches(sizes: all.map(\.count)).batches.map {
                BinaryBatch.encodeElements(Array(all[$0]))
            }
        }
    }
}
