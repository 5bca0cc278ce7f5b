internal import SQLCipher

/// The tables of groups and their members. Ids count per user, as those of contacts do: see ``ChatSchema``.
enum GroupSchema {
    static let migration = Migration(name: "20261122_groups", up: [tables, counts, ChatNames.groupTriggers, deletion].joined(separator: "\n"))

    static let connecting = Migration(
        name: "20261122_connecting_members",
        up: """
            -- The member that was there before says that it is connected to the new one.
            ALTER TABLE group_introductions ADD COLUMN to_connected INTEGER NOT NULL DEFAULT 0;
            -- The user is connected to the member, and has not told the admin who has introduced them.
            ALTER TABLE group_members ADD COLUMN untold INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE waiting_messages ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
            """)

    private static let kind = ChatKey.Kind.group.rawValue

    private static let tables = """
        ALTER TABLE users ADD COLUMN last_group_id INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE users ADD COLUMN last_group_member_id INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE groups (
          user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
          group_id INTEGER NOT NULL,
          local_display_name TEXT NOT NULL,
          profile TEXT NOT NULL,
          local_alias TEXT NOT NULL DEFAULT '',
          -- the user as a member
          membership_id INTEGER NOT NULL,
          -- how many members are in it now, with the user
          current_members INTEGER NOT NULL DEFAULT 1,
          -- the number of the next member
          next_index INTEGER NOT NULL DEFAULT 0,
          enable_ntfs TEXT NOT NULL DEFAULT 'all',
          send_rcpts INTEGER,
          favorite INTEGER NOT NULL DEFAULT 0,
          unread_chat INTEGER NOT NULL DEFAULT 0,
          unread_count INTEGER NOT NULL DEFAULT 0,
          custom_data TEXT,
          ui_themes TEXT,
          chat_item_ttl INTEGER,
          -- to join with, in a group that the user is invited to; the contact's item shows the invitation
          invitation TEXT,
          invitation_item_id INTEGER,
          -- when the members were last sent the user's profile
          member_profile_sent_at INTEGER,
          created_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL,
          chat_ts INTEGER NOT NULL,
          PRIMARY KEY (user_id, group_id)
        ) WITHOUT ROWID;
        CREATE INDEX idx_groups_chat_ts ON groups (user_id, chat_ts);
        CREATE INDEX idx_groups_unread ON groups (user_id, unread_count, enable_ntfs) WHERE unread_count > 0;
        CREATE TABLE group_members (
          user_id INTEGER NOT NULL,
          group_member_id INTEGER NOT NULL,
          group_id INTEGER NOT NULL,
          index_in_group INTEGER NOT NULL,
          -- the id that all members know
          member_id BLOB NOT NULL,
          member_role TEXT NOT NULL,
          member_category TEXT NOT NULL,
          member_status TEXT NOT NULL,
          show_messages INTEGER NOT NULL DEFAULT 1,
          blocked_by_admin INTEGER NOT NULL DEFAULT 0,
          -- a contact of the user; 0 for the user, null when it is not known
          invited_by INTEGER,
          invited_by_member_id INTEGER,
          local_display_name TEXT NOT NULL,
          -- null for the user
          contact_id INTEGER,
          contact_profile_id INTEGER NOT NULL REFERENCES contact_profiles,
          -- the profile that the group knows the user by, when that is not the user's own
          incognito_profile_id INTEGER REFERENCES contact_profiles,
          peer_min_version INTEGER NOT NULL,
          peer_max_version INTEGER NOT NULL,
          -- what the user has invited the member with
          invitation TEXT,
          -- what is left to do over the network (MemberConnectionWorker), with what the member is to be joined by
          step TEXT,
          step_request TEXT,
          created_at INTEGER NOT NULL,
          updated_at INTEGER NOT NULL,
          PRIMARY KEY (user_id, group_member_id),
          FOREIGN KEY (user_id, group_id) REFERENCES groups ON DELETE CASCADE
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX idx_group_members_member_id ON group_members (user_id, group_id, member_id);
        CREATE INDEX idx_group_members_index ON group_members (user_id, group_id, index_in_group);
        CREATE INDEX idx_group_members_contact ON group_members (user_id, contact_id);
        CREATE INDEX idx_group_members_profile ON group_members (contact_profile_id);
        CREATE INDEX idx_group_members_incognito ON group_members (incognito_profile_id) WHERE incognito_profile_id IS NOT NULL;
        CREATE INDEX idx_group_members_step ON group_members (user_id, group_member_id) WHERE step IS NOT NULL;
        CREATE INDEX idx_groups_invitation ON groups (user_id, invitation) WHERE invitation IS NOT NULL;
        ALTER TABLE connections ADD COLUMN group_member_id INTEGER;
        -- The contact who has passed the link on.
        ALTER TABLE connections ADD COLUMN via_contact INTEGER;
        -- The member who has passed a message on.
        ALTER TABLE chat_items ADD COLUMN forwarded_by_member_id INTEGER;
        CREATE INDEX idx_connections_member ON connections (user_id, group_member_id) WHERE group_member_id IS NOT NULL;
        -- Pairs of members that the user has introduced to each other, until one of them says that they are connected.
        CREATE TABLE group_introductions (
          user_id INTEGER NOT NULL,
          new_member_id INTEGER NOT NULL,
          to_member_id INTEGER NOT NULL,
          PRIMARY KEY (user_id, new_member_id, to_member_id),
          FOREIGN KEY (user_id, new_member_id) REFERENCES group_members ON DELETE CASCADE,
          FOREIGN KEY (user_id, to_member_id) REFERENCES group_members ON DELETE CASCADE
        ) WITHOUT ROWID;
        CREATE INDEX idx_group_introductions_to ON group_introductions (user_id, to_member_id);
        -- Messages to members whose connections are not up yet.
        CREATE TABLE waiting_messages (
          waiting_id INTEGER PRIMARY KEY,
          user_id INTEGER NOT NULL,
          group_member_id INTEGER NOT NULL,
          body_id INTEGER NOT NULL,
          chat_item_id INTEGER,
          msg_flags INTEGER NOT NULL,
          FOREIGN KEY (user_id, group_member_id) REFERENCES group_members ON DELETE CASCADE
        );
        CREATE INDEX idx_waiting_messages_member ON waiting_messages (user_id, group_member_id);
        -- What became of an item at each member.
        CREATE TABLE group_item_statuses (
          chat_item_id INTEGER NOT NULL REFERENCES chat_items ON DELETE CASCADE,
          group_member_id INTEGER NOT NULL,
          status TEXT NOT NULL,
          via_proxy INTEGER,
          PRIMARY KEY (chat_item_id, group_member_id)
        ) WITHOUT ROWID;
        -- How a member of a group is becoming a contact.
        ALTER TABLE contacts ADD COLUMN member_contact TEXT;
        -- Whom an item mentions, and whether the user is among them.
        ALTER TABLE chat_items ADD COLUMN mentions TEXT;
        ALTER TABLE chat_items ADD COLUMN user_mention INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX idx_chat_items_author ON chat_items (user_id, chat_type, chat_id, author_member_id, chat_item_id)
          WHERE author_member_id IS NOT NULL;
        CREATE INDEX idx_chat_items_unread_mentions ON chat_items (user_id, chat_type, chat_id) WHERE user_mention = 1 AND item_status = 'rcvNew';
        -- The member who has reacted; 0 for the user, and where there is one peer.
        ALTER TABLE chat_item_reactions ADD COLUMN author_member_id INTEGER NOT NULL DEFAULT 0;
        -- The author of the item that it is to, as chat_items has it; 0 for the user, and where there is one peer. Members may give their messages the ids
        -- of others'.
        ALTER TABLE chat_item_reactions ADD COLUMN item_author_id INTEGER NOT NULL DEFAULT 0;
        DROP INDEX idx_chat_item_reactions;
        CREATE UNIQUE INDEX idx_chat_item_reactions ON chat_item_reactions
          (user_id, chat_type, chat_id, shared_msg_id, item_author_id, reaction_sent, author_member_id, reaction);
        -- Messages that may come twice: from their author, and forwarded.
        CREATE TABLE received_group_messages (
          received_id INTEGER PRIMARY KEY,
          user_id INTEGER NOT NULL,
          group_id INTEGER NOT NULL,
          author_member_id INTEGER NOT NULL,
          shared_msg_id BLOB NOT NULL,
          -- the member that has forwarded it; null when its author has sent it
          forwarded_by INTEGER,
          UNIQUE (user_id, group_id, author_member_id, shared_msg_id),
          FOREIGN KEY (user_id, group_id) REFERENCES groups ON DELETE CASCADE
        );
        """

    private static let counts = """
        \(ChatCounts.triggersDropped)
        \(ChatCounts.triggers(for: ChatCounts.withGroups))
        """

    /// Triggers that delete dependent rows. The counts by day come last, since the deletion of the items counts them
    /// down first.
    private static let deletion = """
        CREATE TRIGGER group_chat_deleted AFTER DELETE ON groups BEGIN
        \(["chat_items", "chat_item_reactions", "chat_tags_chats", "chat_item_days"].map { table in
            "DELETE FROM \(table) WHERE user_id = OLD.user_id AND chat_type = \(kind) AND chat_id = OLD.group_id;"
        }.joined(separator: "\n"))
        END;
        -- What was sent to the member still goes out: the connection itself is deleted after that (RetiredConnectionWorker).
        CREATE TRIGGER group_member_deleted AFTER DELETE ON group_members BEGIN
          UPDATE connections SET group_member_id = NULL, conn_status = 'deleted'
            WHERE user_id = OLD.user_id AND group_member_id = OLD.group_member_id;
        END;
        CREATE TRIGGER waiting_message_gone AFTER DELETE ON waiting_messages BEGIN
          DELETE FROM message_bodies WHERE body_id = OLD.body_id AND deliveries <= 1;
          UPDATE message_bodies SET deliveries = deliveries - 1 WHERE body_id = OLD.body_id;
        END;
        """
}
