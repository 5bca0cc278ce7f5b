internal import SQLCipher

/// The tables of groups and their members. Ids count per user, as those of contacts do: see ``ChatSchema``.
enum GroupSchema {
    static let migration = Migration(name: "20261122_groups", up: [tables, counts, ChatNames.groupTriggers, deletion].joined(separator: "\n"))

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
        """

    private static let counts = """
        DROP TRIGGER chat_items_uncounted;
        DROP TRIGGER chat_items_moved;
        DROP TRIGGER chat_items_read;
        \(ChatCounts.triggers(for: ChatCounts.withGroups))
        """

    /// The counts last: those of the items that go are counted down before.
    private static let deletion = """
        CREATE TRIGGER group_chat_deleted AFTER DELETE ON groups BEGIN
        \(["chat_items", "chat_item_reactions", "chat_tags_chats", "chat_item_days"].map { table in
            "DELETE FROM \(table) WHERE user_id = OLD.user_id AND chat_type = \(kind) AND chat_id = OLD.group_id;"
        }.joined(separator: "\n"))
        END;
        """
}
