internal import SQLCipher

/// The tables of `simplex_v1_chat.db`.
///
/// Times are nanoseconds since 1970 UTC. JSON is stored as received, so that members unknown to this version are kept.
///
/// Contact ids are counted for each user: the key is (user_id, contact_id). In an app's store they are counted over all
/// users, but there a chat is only addressed under the active user. Here every address names its user
/// (`/users/2/chats/direct/1`), several users are served at the same time, and the ids of one user must not reveal the
/// number of another user's contacts.
///
/// There is no contact row for a user's own profile, and there are no preset contacts: the first contact of a user is
/// contact 1. `userContactId` of a user is its user id; it addresses nothing.
enum ChatSchema {
    static let migrations: [Migration] = [
        JournalSchema.migration,
        Migration(name: "20261121_users", up: users),
        Migration(name: "20261121_contacts", up: contacts),
        Migration(name: "20261121_messages", up: messages),
        Migration(name: "20261121_deliveries", up: deliveries),
        Migration(name: "20261121_requests", up: RequestClaim.schema),
        Migration(name: "20261121_deliveries_without_bodies", up: deliveriesWithoutBodies),
        AddressSchema.migration,
        Migration(name: "20261121_post_quantum", up: ConnectionPostQuantum.schema),
        Migration(name: "20261121_prepared_contacts", up: ChatPreparation.schema),
        AddressSchema.linkData,
        Migration(name: "20261121_agent_events", up: "ALTER TABLE connections ADD COLUMN last_agent_event INTEGER NOT NULL DEFAULT 0;"),
        Probes.migration,
        NoteFolderRecord.migration,
        ItemForwarding.migration,
        Migration(name: "20261121_batched_deliveries", up: MessageBatches.schema),
        Migration(name: "20261121_tags", up: TagSchema.tables),
        Migration(name: "20261121_user_settings", up: userSettings),
        ServerSchema.migration,
        ChatCounts.migration,
        SearchSchema.migration,
        Shipment.migration,
        ChatCounts.withoutInsertTrigger,
        SearchSchema.totals,
        ChatNames.migration,
        ContactInfoCache.migration,
        Migration(name: "20261121_last_message", up: "ALTER TABLE connections ADD COLUMN last_rcv_msg_meta TEXT;"),
        SearchSchema.numberedLists,
        UnhandledMessages.migration,
        SearchSchema.runs,
        ChatCounts.unreadWithNotifications,
        AddressSchema.connection,
        RequestClaim.progress,
        JournalSchema.subjects,
        RequestItems.migration,
        DeletedConnections.migration,
        Migration(name: "20261122_formatted_text", up: ItemMarkup.column),
        AddressSchema.pendingRequests,
        ChatKeySchema.migration,
        Migration(name: "20261122_item_authors", up: "ALTER TABLE chat_items ADD COLUMN author_member_id INTEGER;"),
        MessageBodies.migration,
        ItemLinks.migration,
        GroupSchema.migration,
        Migration(name: "20261122_moderation", up: ItemHiding.column + GroupModeration.table),
        GroupSchema.connecting,
        ItemOrder.migration,
        BusinessChats.migration,
        Probes.ofMembers,
        GroupItemStatuses.counts,
        GroupLinkSchema.migration,
        BusinessChats.requests,
        QuotedAuthor.migration,
        GroupPreparation.migration,
        SupportChats.migration,
        GroupLinkSchema.welcomes,
        MemberAdmission.migration,
        FileSchema.migration,
        PartialUploads.migration,
        RemoteControlSchema.migration,
        CallRecord.migration,
        EventSubscriptions.migration,
        ChannelFields.migration,
        ChannelLinkWorker.migration,
        ChatRelays.migration,
        GroupRelayRecord.migration,
        ServedChannel.migration,
        JournalSchema.forms,
        OwnerAgreement.migration,
        InlineFiles.migration,
        RemovedMembers.migration,
        GroupRecord.countOfMembers,
        GroupAgreement.migration,
        JournalSchema.origin,
        FileTotals.migration,
        StoredObject.migration,
        EventBlock.migration,
        ItemOrder.bySecond,
        FileSchema.seals,
    ]

    private static let users = """
        CREATE TABLE users (
          user_id INTEGER PRIMARY KEY AUTOINCREMENT,
          agent_user_id INTEGER NOT NULL,
          contact_profile_id INTEGER NOT NULL,
          local_display_name TEXT NOT NULL UNIQUE,
          active_user INTEGER NOT NULL DEFAULT 0,
          active_order INTEGER NOT NULL DEFAULT 0,
          view_pwd_hash BLOB,
          view_pwd_salt BLOB,
          show_ntfs INTEGER NOT NULL DEFAULT 1,
          send_rcpts_contacts INTEGER NOT NULL DEFAULT 1,
          send_rcpts_small_groups INTEGER NOT NULL DEFAULT 1,
          auto_accept_member_contacts INTEGER NOT NULL DEFAULT 0,
          last_contact_id INTEGER NOT NULL DEFAULT 0,
          user_member_profile_updated_at INTEGER,
          created_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL
        );
        CREATE TABLE contact_profiles (
          contact_profile_id INTEGER PRIMARY KEY AUTOINCREMENT,
          user_id INTEGER REFERENCES users ON DELETE CASCADE,
          display_name TEXT NOT NULL,
          profile TEXT NOT NULL,
          local_alias TEXT NOT NULL DEFAULT '',
          created_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL
        );
        CREATE INDEX idx_contact_profiles_user ON contact_profiles (user_id);
        CREATE TABLE display_names (
          user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
          local_display_name TEXT NOT NULL,
          ldn_base TEXT NOT NULL,
          ldn_suffix INTEGER NOT NULL DEFAULT 0,
          PRIMARY KEY (user_id, local_display_name)
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX idx_display_names_base ON display_names (user_id, ldn_base, ldn_suffix);
        CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        """

    /// A time to live of 0 seconds keeps items forever. The agent later deletes its data of users that were deleted.
    private static let userSettings = """
        ALTER TABLE users ADD COLUMN chat_item_ttl INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE users ADD COLUMN ui_themes TEXT;
        ALTER TABLE users ADD COLUMN auto_accept_group_invitations INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE retired_users (agent_user_id INTEGER PRIMARY KEY, del_smp_queues INTEGER NOT NULL);
        """

    private static let contacts = """
        CREATE TABLE contacts (
          user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
          contact_id INTEGER NOT NULL,
          contact_profile_id INTEGER NOT NULL REFERENCES contact_profiles,
          local_display_name TEXT NOT NULL,
          contact_used INTEGER NOT NULL DEFAULT 1,
          contact_status TEXT NOT NULL DEFAULT 'active',
          enable_ntfs TEXT NOT NULL DEFAULT 'all',
          send_rcpts INTEGER,
          favorite INTEGER NOT NULL DEFAULT 0,
          unread_chat INTEGER NOT NULL DEFAULT 0,
          user_preferences TEXT NOT NULL DEFAULT '{}',
          custom_data TEXT,
          ui_themes TEXT,
          chat_item_ttl INTEGER,
          chat_deleted INTEGER NOT NULL DEFAULT 0,
          created_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL,
          chat_ts INTEGER NOT NULL,
          PRIMARY KEY (user_id, contact_id)
        ) WITHOUT ROWID;
        CREATE INDEX idx_contacts_chat_ts ON contacts (user_id, chat_ts);
        CREATE INDEX idx_contacts_profile ON contacts (contact_profile_id);
        CREATE TABLE connections (
          connection_id INTEGER PRIMARY KEY AUTOINCREMENT,
          user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
          contact_id INTEGER,
          agent_conn_id TEXT NOT NULL UNIQUE,
          conn_status TEXT NOT NULL,
          conn_type TEXT NOT NULL DEFAULT 'contact',
          conn_level INTEGER NOT NULL DEFAULT 0,
          conn_initiated INTEGER NOT NULL DEFAULT 0,
          via_contact_uri INTEGER NOT NULL DEFAULT 0,
          custom_user_profile_id INTEGER REFERENCES contact_profiles,
          conn_full_link TEXT,
          conn_short_link TEXT,
          local_alias TEXT NOT NULL DEFAULT '',
          chat_version INTEGER NOT NULL,
          peer_min_version INTEGER NOT NULL DEFAULT 1,
          peer_max_version INTEGER NOT NULL DEFAULT 1,
          security_code TEXT,
          security_code_verified_at INTEGER,
          auth_err_counter INTEGER NOT NULL DEFAULT 0,
          quota_err_counter INTEGER NOT NULL DEFAULT 0,
          last_rcv_msg_id INTEGER NOT NULL DEFAULT 0,
          created_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL,
          FOREIGN KEY (user_id, contact_id) REFERENCES contacts ON DELETE CASCADE
        );
        CREATE TABLE retired_connections (
          retired_id INTEGER PRIMARY KEY AUTOINCREMENT,
          agent_conn_id TEXT NOT NULL UNIQUE,
          farewell INTEGER NOT NULL
        );
        CREATE INDEX idx_connections_contact ON connections (user_id, contact_id);
        CREATE INDEX idx_connections_link ON connections (user_id, conn_full_link);
        """

    private static let messages = """
        CREATE TABLE messages (
          message_id INTEGER PRIMARY KEY AUTOINCREMENT,
          connection_id INTEGER REFERENCES connections ON DELETE CASCADE,
          msg_sent INTEGER NOT NULL,
          chat_msg_event TEXT NOT NULL,
          msg_body BLOB NOT NULL,
          shared_msg_id BLOB,
          agent_msg_id INTEGER,
          created_at INTEGER NOT NULL
        );
        CREATE INDEX idx_messages_connection ON messages (connection_id, created_at);
        CREATE TABLE chat_items (
          chat_item_id INTEGER PRIMARY KEY AUTOINCREMENT,
          user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
          contact_id INTEGER,
          created_by_msg_id INTEGER,
          item_sent INTEGER NOT NULL,
          item_ts INTEGER NOT NULL,
          item_status TEXT NOT NULL,
          item_content TEXT NOT NULL,
          msg_content TEXT,
          msg_content_tag TEXT,
          item_text TEXT NOT NULL,
          shared_msg_id BLOB,
          quoted_item TEXT,
          quoted_shared_msg_id BLOB,
          item_forwarded TEXT,
          item_deleted INTEGER NOT NULL DEFAULT 0,
          item_deleted_ts INTEGER,
          item_edited INTEGER NOT NULL DEFAULT 0,
          item_live INTEGER,
          timed_ttl INTEGER,
          timed_delete_at INTEGER,
          via_proxy INTEGER,
          created_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL,
          FOREIGN KEY (user_id, contact_id) REFERENCES contacts ON DELETE CASCADE
        );
        CREATE INDEX idx_chat_items_contact ON chat_items (user_id, contact_id, created_at, chat_item_id);
        CREATE INDEX idx_chat_items_ts ON chat_items (user_id, item_ts, chat_item_id);
        CREATE INDEX idx_chat_items_shared ON chat_items (user_id, contact_id, shared_msg_id);
        CREATE INDEX idx_chat_items_unread ON chat_items (user_id, contact_id, created_at, chat_item_id)
          WHERE item_status = 'rcvNew';
        CREATE INDEX idx_chat_items_timed ON chat_items (timed_delete_at) WHERE timed_delete_at IS NOT NULL;
        CREATE TABLE chat_item_versions (
          chat_item_version_id INTEGER PRIMARY KEY AUTOINCREMENT,
          chat_item_id INTEGER NOT NULL REFERENCES chat_items ON DELETE CASCADE,
          msg_content TEXT NOT NULL,
          item_version_ts INTEGER NOT NULL,
          created_at INTEGER NOT NULL
        );
        CREATE INDEX idx_chat_item_versions_item ON chat_item_versions (chat_item_id);
        CREATE TABLE chat_item_reactions (
          chat_item_reaction_id INTEGER PRIMARY KEY AUTOINCREMENT,
          user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
          contact_id INTEGER NOT NULL,
          shared_msg_id BLOB NOT NULL,
          reaction_sent INTEGER NOT NULL,
          reaction TEXT NOT NULL,
          reaction_ts INTEGER NOT NULL,
          FOREIGN KEY (user_id, contact_id) REFERENCES contacts ON DELETE CASCADE
        );
        CREATE UNIQUE INDEX idx_chat_item_reactions ON chat_item_reactions (user_id, contact_id, shared_msg_id, reaction_sent, reaction);
        """

    /// Messages to be passed to the agent. A row is written with the change that sends the message. It stays, also
    /// after crashes, until the agent, which knows the row's id as the external id of the message, has reported the
    /// result.
    private static let deliveries = """
        CREATE TABLE deliveries (
          delivery_id INTEGER PRIMARY KEY AUTOINCREMENT,
          connection_id INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
          message_id INTEGER,
          chat_item_id INTEGER REFERENCES chat_items ON DELETE SET NULL,
          msg_body BLOB,
          msg_flags INTEGER NOT NULL DEFAULT 0,
          agent_msg_id INTEGER,
          delivery_status TEXT NOT NULL DEFAULT 'pending',
          created_at INTEGER NOT NULL
        );
        CREATE INDEX idx_deliveries_pending ON deliveries (delivery_id) WHERE delivery_status = 'pending';
        CREATE INDEX idx_deliveries_agent_msg ON deliveries (connection_id, agent_msg_id);
        CREATE INDEX idx_deliveries_item ON deliveries (chat_item_id);
        """

    /// Removes the bodies from deliveries, since the messages have them. The agent knows its messages until it has
    /// reported their results.
    private static let deliveriesWithoutBodies = """
        ALTER TABLE deliveries RENAME TO deliveries_with_bodies;
        DROP INDEX idx_deliveries_pending;
        DROP INDEX idx_deliveries_agent_msg;
        DROP INDEX idx_deliveries_item;
        CREATE TABLE deliveries (
          delivery_id INTEGER PRIMARY KEY AUTOINCREMENT,
          connection_id INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
          message_id INTEGER NOT NULL,
          -- of an item that may be gone
          chat_item_id INTEGER,
          msg_flags INTEGER NOT NULL DEFAULT 0,
          agent_msg_id INTEGER,
          delivery_status TEXT NOT NULL DEFAULT 'pending',
          created_at INTEGER NOT NULL
        );
        INSERT INTO deliveries SELECT delivery_id, connection_id, message_id, chat_item_id, msg_flags, agent_msg_id,
          CASE delivery_status WHEN 'accepted' THEN 'sent' ELSE delivery_status END, created_at FROM deliveries_with_bodies;
        DELETE FROM sqlite_sequence WHERE name = 'deliveries';
        UPDATE sqlite_sequence SET name = 'deliveries' WHERE name = 'deliveries_with_bodies';
        DROP TABLE deliveries_with_bodies;
        CREATE INDEX idx_deliveries_pending ON deliveries (delivery_id) WHERE delivery_status = 'pending';
        CREATE INDEX idx_deliveries_agent_msg ON deliveries (connection_id, agent_msg_id) WHERE agent_msg_id IS NOT NULL;
        """
}
