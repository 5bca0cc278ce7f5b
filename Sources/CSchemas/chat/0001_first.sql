-- Schema of the chat database (simplex_v1_chat.db).
--
-- Times are nanoseconds since 1970 UTC, unless a remark says otherwise. Flags are 0 or 1. A name such as ChatKey or
-- ItemStatus is a type in Sources, which defines the values and the members of JSON. A remark may describe more than
-- one of the columns after it. A chat has the key user_id, chat_type, chat_id (ChatKey). No table has all chats, so
-- triggers delete the data of a chat. Ids of contacts, groups and members are counted separately for each user, so that
-- the ids of one user do not reveal the numbers of another user.
--
-- A later change is a new file beside this one, and a new line in schemas.c. A file that was released never changes.

-- ## Journal

-- One row: the random id of the journal (EventJournal).
CREATE TABLE journal_meta (
  epoch TEXT NOT NULL,
  -- Epoch of the journal from which the store was copied, and its last entry at that time.
  origin TEXT,
  origin_end INTEGER
);
INSERT INTO journal_meta (epoch) VALUES (lower(hex(randomblob(6))));

-- Entries of the journal. A number is never used again, so the key has AUTOINCREMENT.
CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  event_ts INTEGER NOT NULL,
  -- NULL for an entry of no user.
  user_id INTEGER,
  -- JSON, compressed if that is shorter (StoredEvent). Empty if the text is in a block.
  event BLOB NOT NULL,
  -- For an entry without user: the only user whose keys may read it; 0 for all; NULL if unknown.
  audience INTEGER,
  -- Sum of the bytes of all entries up to this one, as they were first written.
  stored_end INTEGER NOT NULL DEFAULT 0
);

-- Texts of consecutive entries in one zstd frame (EventBlock). Blocks do not overlap. The rows in events stay, with
-- empty texts.
CREATE TABLE event_blocks (
  last_seq INTEGER PRIMARY KEY,
  first_seq INTEGER NOT NULL,
  texts BLOB NOT NULL
);

-- Chats and items that an entry contains.
CREATE TABLE event_subjects (
  user_id INTEGER NOT NULL,
  -- As in commands: @1, #2, *1.
  chat TEXT NOT NULL,
  -- 0 for the chat itself.
  chat_item_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  -- 1 if the entry contains other chats too, or both items and the chat itself.
  says_more INTEGER NOT NULL,
  PRIMARY KEY (user_id, chat, chat_item_id, seq)
) WITHOUT ROWID;


-- ## Users

CREATE TABLE users (
  user_id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Id of the user in the agent's database.
  agent_user_id INTEGER NOT NULL,
  contact_profile_id INTEGER NOT NULL,
  -- Unique name. If a hidden user has the same name already, the name gets an invisible suffix (UserNames).
  local_display_name TEXT NOT NULL UNIQUE,
  active_user INTEGER NOT NULL DEFAULT 0,
  -- The user with the greatest number was active last.
  active_order INTEGER NOT NULL DEFAULT 0,
  -- Hash of the password of a hidden user.
  view_pwd_hash BLOB,
  view_pwd_salt BLOB,
  -- 1 if clients show notifications of the user.
  show_ntfs INTEGER NOT NULL DEFAULT 1,
  -- 1 if receipts are sent: to contacts, and in small groups.
  send_rcpts_contacts INTEGER NOT NULL DEFAULT 1,
  send_rcpts_small_groups INTEGER NOT NULL DEFAULT 1,
  -- 1 if the user accepts links of members who want to be contacts.
  auto_accept_member_contacts INTEGER NOT NULL DEFAULT 0,
  -- Last id that was assigned to a contact, so that no id is used twice. The same for groups and members below.
  last_contact_id INTEGER NOT NULL DEFAULT 0,
  -- Time of the last change of the profile that members of groups have to learn.
  user_member_profile_updated_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Seconds; 0 keeps items forever.
  chat_item_ttl INTEGER NOT NULL DEFAULT 0,
  -- JSON.
  ui_themes TEXT,
  -- 1 if the user accepts invitations to groups immediately.
  auto_accept_group_invitations INTEGER NOT NULL DEFAULT 0,
  last_group_id INTEGER NOT NULL DEFAULT 0,
  last_group_member_id INTEGER NOT NULL DEFAULT 0,
  -- 1 if the user serves channels as a relay.
  chat_relay INTEGER NOT NULL DEFAULT 0
);
CREATE TRIGGER users_uncounted AFTER DELETE ON users
BEGIN
  DELETE FROM chat_item_days WHERE user_id = OLD.user_id;
END;
CREATE TRIGGER uploads_unowned AFTER DELETE ON users
BEGIN
  INSERT INTO retired_files (file_path, is_sent) SELECT file_path, 1 FROM uploads WHERE user_id = OLD.user_id;
  DELETE FROM uploads WHERE user_id = OLD.user_id;
END;

-- Profiles of users, contacts and members, and the incognito profiles of users.
CREATE TABLE contact_profiles (
  contact_profile_id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- NULL until the row of the user exists.
  user_id INTEGER REFERENCES users ON DELETE CASCADE,
  -- Name in the profile, for the index.
  display_name TEXT NOT NULL,
  -- JSON of Profile.
  profile TEXT NOT NULL,
  -- Name that the user has chosen for the peer.
  local_alias TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
-- Contacts are found by their shown names.
CREATE INDEX idx_contact_profiles_user ON contact_profiles (user_id, display_name);
CREATE TRIGGER contact_card_profile AFTER UPDATE ON contact_profiles
BEGIN
  UPDATE contacts SET card_version = card_version + 1 WHERE contact_profile_id = NEW.contact_profile_id;
END;
CREATE TRIGGER contact_profile_changed AFTER UPDATE OF profile, local_alias ON contact_profiles
BEGIN
  DELETE FROM chat_names_changed WHERE note IN (
    SELECT n.note FROM contacts c
    JOIN chat_names_changed n ON n.user_id = c.user_id AND n.chat_type = 0 AND n.chat_id = c.contact_id
    WHERE c.contact_profile_id = NEW.contact_profile_id);
  INSERT INTO chat_names_changed (user_id, chat_type, chat_id) SELECT user_id, 0, contact_id FROM contacts
    WHERE contact_profile_id = NEW.contact_profile_id;
END;

-- Names that are in use. A name is unique among the contacts, groups and members of a user.
CREATE TABLE display_names (
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  local_display_name TEXT NOT NULL,
  -- Name that the peer has chosen, and the number that makes it unique (0 for none).
  ldn_base TEXT NOT NULL,
  ldn_suffix INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, local_display_name)
) WITHOUT ROWID;
CREATE UNIQUE INDEX idx_display_names_base ON display_names (user_id, ldn_base, ldn_suffix);

-- Settings of the whole store. A value is JSON or text.
CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

-- Deleted users whose data the agent has not deleted yet.
CREATE TABLE retired_users (
  agent_user_id INTEGER PRIMARY KEY,
  -- 1 if the queues are deleted on their relays too.
  del_smp_queues INTEGER NOT NULL
);


-- ## Contacts and connections

-- Contacts. The user itself has no row.
CREATE TABLE contacts (
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  contact_id INTEGER NOT NULL,
  contact_profile_id INTEGER NOT NULL REFERENCES contact_profiles,
  local_display_name TEXT NOT NULL,
  -- 0 if the contact is not in the list of chats. Only contacts imported from an app have 0.
  contact_used INTEGER NOT NULL DEFAULT 1,
  contact_status TEXT NOT NULL DEFAULT 'active',
  -- MsgFilter: messages with notifications.
  enable_ntfs TEXT NOT NULL DEFAULT 'all',
  -- NULL for the setting of the user.
  send_rcpts INTEGER,
  favorite INTEGER NOT NULL DEFAULT 0,
  -- 1 if the user has marked the chat as unread.
  unread_chat INTEGER NOT NULL DEFAULT 0,
  -- JSON of the preferences that the user has set for this contact.
  user_preferences TEXT NOT NULL DEFAULT '{}',
  -- JSON that a client has stored.
  custom_data TEXT,
  -- JSON.
  ui_themes TEXT,
  -- Seconds; 0 keeps items forever; NULL for the setting of the user.
  chat_item_ttl INTEGER,
  -- 1 if the user has deleted the chat and kept the contact. A new item makes it 0.
  chat_deleted INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Time of the last activity, which orders the list of chats.
  chat_ts INTEGER NOT NULL,
  -- Request from which the contact came.
  contact_request_id INTEGER,
  -- Link from which the chat was prepared before there was a connection (ChatPreparation).
  conn_full_link_to_connect TEXT,
  conn_short_link_to_connect TEXT,
  -- Id of the welcome message in the link.
  welcome_shared_msg_id BLOB,
  -- Id of the message that goes with the request. Each attempt uses the same id.
  request_shared_msg_id BLOB,
  -- Unread items, counted by ChatCounts and by triggers.
  unread_count INTEGER NOT NULL DEFAULT 0,
  -- Increased by triggers with each change of data that the API shows (ContactInfoCache).
  card_version INTEGER NOT NULL DEFAULT 0,
  -- JSON of MemberContact: the member of a group who is becoming the contact.
  member_contact TEXT,
  PRIMARY KEY (user_id, contact_id)
) WITHOUT ROWID;
CREATE INDEX idx_contacts_chat_ts ON contacts (user_id, chat_ts);
CREATE INDEX idx_contacts_profile ON contacts (contact_profile_id);
CREATE INDEX idx_contacts_short_link ON contacts (user_id, conn_short_link_to_connect)
  WHERE conn_short_link_to_connect IS NOT NULL;
CREATE INDEX idx_contacts_unread ON contacts (user_id, unread_count, enable_ntfs) WHERE unread_count > 0;
CREATE TRIGGER contact_named AFTER INSERT ON contacts
BEGIN
  DELETE FROM chat_names_changed WHERE user_id = NEW.user_id AND chat_type = 0 AND chat_id = NEW.contact_id;
  INSERT INTO chat_names_changed (user_id, chat_type, chat_id) VALUES (NEW.user_id, 0, NEW.contact_id);
END;
CREATE TRIGGER contact_unnamed AFTER DELETE ON contacts
BEGIN
  DELETE FROM chat_names_changed WHERE user_id = OLD.user_id AND chat_type = 0 AND chat_id = OLD.contact_id;
  INSERT INTO chat_names_changed (user_id, chat_type, chat_id) VALUES (OLD.user_id, 0, OLD.contact_id);
END;
CREATE TRIGGER contact_renamed AFTER UPDATE OF user_id, contact_id, local_display_name, contact_profile_id ON contacts
WHEN OLD.local_display_name <> NEW.local_display_name OR OLD.contact_profile_id <> NEW.contact_profile_id
  OR OLD.user_id <> NEW.user_id OR OLD.contact_id <> NEW.contact_id
BEGIN
  DELETE FROM chat_names_changed WHERE user_id = OLD.user_id AND chat_type = 0 AND chat_id = OLD.contact_id;
  INSERT INTO chat_names_changed (user_id, chat_type, chat_id) VALUES (OLD.user_id, 0, OLD.contact_id);
  DELETE FROM chat_names_changed WHERE user_id = NEW.user_id AND chat_type = 0 AND chat_id = NEW.contact_id;
  INSERT INTO chat_names_changed (user_id, chat_type, chat_id) VALUES (NEW.user_id, 0, NEW.contact_id);
END;
-- The counts are deleted last: the deletion of items decreases them before.
CREATE TRIGGER contact_chat_deleted AFTER DELETE ON contacts
BEGIN
  DELETE FROM chat_items WHERE user_id = OLD.user_id AND chat_type = 0 AND chat_id = OLD.contact_id;
  DELETE FROM chat_item_reactions WHERE user_id = OLD.user_id AND chat_type = 0 AND chat_id = OLD.contact_id;
  DELETE FROM chat_tags_chats WHERE user_id = OLD.user_id AND chat_type = 0 AND chat_id = OLD.contact_id;
  DELETE FROM chat_item_days WHERE user_id = OLD.user_id AND chat_type = 0 AND chat_id = OLD.contact_id;
END;

-- Connections with contacts and members. A row without contact and member is a pending connection.
CREATE TABLE connections (
  connection_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  contact_id INTEGER,
  -- Id of the connection in the agent's database.
  agent_conn_id TEXT NOT NULL UNIQUE,
  -- ConnStatus in its stored form.
  conn_status TEXT NOT NULL,
  -- Number of people who have passed the link on to the user.
  conn_level INTEGER NOT NULL DEFAULT 0,
  -- 1 if the user has made the invitation; 0 after the connection is established.
  conn_initiated INTEGER NOT NULL DEFAULT 0,
  -- 1 if the user has sent a request to an address or a group link; 0 for a one-time link.
  via_contact_uri INTEGER NOT NULL DEFAULT 0,
  -- Incognito profile of the user for this connection.
  custom_user_profile_id INTEGER REFERENCES contact_profiles,
  -- Link by which the connection was made, by either side.
  conn_full_link TEXT,
  conn_short_link TEXT,
  local_alias TEXT NOT NULL DEFAULT '',
  -- Version of the chat protocol that both sides use.
  chat_version INTEGER NOT NULL,
  peer_min_version INTEGER NOT NULL DEFAULT 1,
  peer_max_version INTEGER NOT NULL DEFAULT 1,
  -- Code that the user has verified.
  security_code TEXT,
  security_code_verified_at INTEGER,
  -- Messages that the relay has refused (AUTH), and attempts at a full queue (ConnectionFailures).
  auth_err_counter INTEGER NOT NULL DEFAULT 0,
  quota_err_counter INTEGER NOT NULL DEFAULT 0,
  -- Number of the agent's last message that was handled. A repeated message is dropped.
  last_rcv_msg_id INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Id of the request that the user has sent. Each attempt uses the same id.
  x_contact_id BLOB,
  -- Address or group link of the user through which the peer has connected.
  via_user_contact_link INTEGER,
  -- Post-quantum encryption: room for its headers, wanted by the user, and in use for sent and for received messages.
  pq_support INTEGER NOT NULL DEFAULT 0,
  pq_encryption INTEGER NOT NULL DEFAULT 0,
  -- NULL if unknown.
  pq_snd_enabled INTEGER,
  pq_rcv_enabled INTEGER,
  -- Number of the agent's last event that the chat shows.
  last_agent_event INTEGER NOT NULL DEFAULT 0,
  -- JSON of the agent's data about the last received message.
  last_rcv_msg_meta TEXT,
  -- Member whose connection it is; NULL for a contact.
  group_member_id INTEGER,
  -- Contact who has passed the link on.
  via_contact INTEGER,
  -- 1 if the connection was made by the link of a group, by either side.
  via_group_link INTEGER NOT NULL DEFAULT 0,
  -- Id in the group link by which the user asked to join.
  group_link_id TEXT,
  FOREIGN KEY (user_id, contact_id) REFERENCES contacts ON DELETE CASCADE
);
CREATE INDEX idx_connections_contact ON connections (user_id, contact_id);
CREATE INDEX idx_connections_short_link ON connections (user_id, conn_short_link) WHERE conn_short_link IS NOT NULL;
-- SQLite would use an index of only one column for other queries too, which would take longer with each connection.
CREATE INDEX idx_connections_link ON connections (user_id, conn_full_link) WHERE conn_full_link IS NOT NULL;
CREATE INDEX idx_connections_member ON connections (user_id, group_member_id) WHERE group_member_id IS NOT NULL;
CREATE INDEX idx_connections_joining ON connections (user_id, via_user_contact_link)
  WHERE via_group_link = 1 AND conn_status NOT IN ('ready', 'deleted');
CREATE TRIGGER contact_card_connected AFTER INSERT ON connections
WHEN NEW.contact_id IS NOT NULL
BEGIN
  UPDATE contacts SET card_version = card_version + 1 WHERE user_id = NEW.user_id AND contact_id = NEW.contact_id;
END;
CREATE TRIGGER contact_card_disconnected AFTER DELETE ON connections
WHEN OLD.contact_id IS NOT NULL
BEGIN
  UPDATE contacts SET card_version = card_version + 1 WHERE user_id = OLD.user_id AND contact_id = OLD.contact_id;
END;
-- Columns that the API shows. A message changes none of them.
CREATE TRIGGER contact_card_connection AFTER UPDATE OF connection_id, user_id, contact_id, agent_conn_id, conn_status,
  conn_initiated, via_contact_uri, x_contact_id, via_user_contact_link, custom_user_profile_id, conn_full_link,
  conn_short_link, local_alias, chat_version, peer_min_version, peer_max_version, auth_err_counter, quota_err_counter,
  security_code, security_code_verified_at, created_at, pq_support, pq_encryption, pq_snd_enabled,
  pq_rcv_enabled ON connections
WHEN OLD.contact_id IS NOT NULL OR NEW.contact_id IS NOT NULL
BEGIN
  UPDATE contacts SET card_version = card_version + 1 WHERE user_id = OLD.user_id AND contact_id = OLD.contact_id;
  UPDATE contacts SET card_version = card_version + 1 WHERE user_id = NEW.user_id AND contact_id = NEW.contact_id;
END;

-- Connections that the agent must delete.
CREATE TABLE retired_connections (
  retired_id INTEGER PRIMARY KEY AUTOINCREMENT,
  agent_conn_id TEXT NOT NULL UNIQUE,
  -- Farewell: 0 tells the peer nothing, 1 tells the peer, 2 sends the earlier messages first.
  farewell INTEGER NOT NULL
);

-- Users of connections that were removed from this database. A row stays until the agent has reported the deletion, or
-- for 30 days.
CREATE TABLE deleted_connections (
  agent_conn_id TEXT NOT NULL PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  -- Seconds.
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX idx_deleted_connections_user ON deleted_connections (user_id);

-- Probes, and hashes of probes, from contacts and members. They find two peers that are the same person (Probes).
CREATE TABLE received_probes (
  received_probe_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL,
  -- The peer, either a contact or a member.
  contact_id INTEGER,
  group_member_id INTEGER,
  -- NULL if only the hash has come.
  probe BLOB,
  -- SHA-256 of the probe.
  probe_hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  FOREIGN KEY (user_id, contact_id) REFERENCES contacts ON DELETE CASCADE,
  FOREIGN KEY (user_id, group_member_id) REFERENCES group_members ON DELETE CASCADE
);
CREATE INDEX idx_received_probes_hash ON received_probes (user_id, probe_hash);
CREATE INDEX idx_received_probes_contact ON received_probes (user_id, contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX idx_received_probes_member ON received_probes (user_id, group_member_id)
  WHERE group_member_id IS NOT NULL;

-- Probes that were sent to contacts and members.
CREATE TABLE sent_probes (
  sent_probe_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL,
  -- The peer, either a contact or a member.
  contact_id INTEGER,
  group_member_id INTEGER,
  probe BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  FOREIGN KEY (user_id, contact_id) REFERENCES contacts ON DELETE CASCADE,
  FOREIGN KEY (user_id, group_member_id) REFERENCES group_members ON DELETE CASCADE
);
CREATE INDEX idx_sent_probes_probe ON sent_probes (user_id, probe);
CREATE INDEX idx_sent_probes_created ON sent_probes (user_id, created_at);
CREATE INDEX idx_sent_probes_contact ON sent_probes (user_id, contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX idx_sent_probes_member ON sent_probes (user_id, group_member_id) WHERE group_member_id IS NOT NULL;

-- Contacts and members to whom the hash of a probe was sent.
CREATE TABLE sent_probe_hashes (
  sent_probe_hash_id INTEGER PRIMARY KEY AUTOINCREMENT,
  sent_probe_id INTEGER NOT NULL REFERENCES sent_probes ON DELETE CASCADE,
  user_id INTEGER NOT NULL,
  -- The peer, either a contact or a member.
  contact_id INTEGER,
  group_member_id INTEGER,
  FOREIGN KEY (user_id, contact_id) REFERENCES contacts ON DELETE CASCADE,
  FOREIGN KEY (user_id, group_member_id) REFERENCES group_members ON DELETE CASCADE
);
CREATE INDEX idx_sent_probe_hashes_probe ON sent_probe_hashes (sent_probe_id);
CREATE INDEX idx_sent_probe_hashes_contact ON sent_probe_hashes (user_id, contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX idx_sent_probe_hashes_member ON sent_probe_hashes (user_id, group_member_id)
  WHERE group_member_id IS NOT NULL;


-- ## Addresses and requests

-- Address of a user.
CREATE TABLE user_addresses (
  -- Counted together with the links of groups.
  user_contact_link_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL UNIQUE REFERENCES users ON DELETE CASCADE,
  agent_conn_id TEXT NOT NULL UNIQUE,
  conn_full_link TEXT NOT NULL,
  conn_short_link TEXT,
  -- JSON of AddressSettings.
  settings TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- 1 if the data of the short link must be replaced.
  link_data_stale INTEGER NOT NULL DEFAULT 0,
  -- Id of the connection in the API. No row of connections has it.
  connection_id INTEGER NOT NULL DEFAULT 0
);

-- Requests to addresses. A request has a contact from the start, and a connection after the user has accepted it.
CREATE TABLE contact_requests (
  contact_request_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  contact_id INTEGER NOT NULL,
  user_contact_link_id INTEGER REFERENCES user_addresses ON DELETE SET NULL,
  -- Id of the request at the agent.
  agent_invitation_id BLOB NOT NULL,
  connection_id INTEGER REFERENCES connections ON DELETE SET NULL,
  -- 1 if the agent must still be told about the acceptance.
  accepting INTEGER NOT NULL DEFAULT 0,
  -- JSON of the message that is sent as soon as the connection allows, then NULL.
  auto_reply TEXT,
  peer_min_version INTEGER NOT NULL,
  peer_max_version INTEGER NOT NULL,
  -- Id that is the same in a repeated request.
  x_contact_id BLOB,
  -- Id by which the peer knows the welcome message, and id of the peer's message.
  welcome_shared_msg_id BLOB,
  request_shared_msg_id BLOB,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  FOREIGN KEY (user_id, contact_id) REFERENCES contacts ON DELETE CASCADE
);
CREATE INDEX idx_contact_requests_contact ON contact_requests (user_id, contact_id);
CREATE INDEX idx_contact_requests_link ON contact_requests (user_contact_link_id);
CREATE INDEX idx_contact_requests_connection ON contact_requests (connection_id);
CREATE INDEX idx_contact_requests_invitation ON contact_requests (agent_invitation_id);
CREATE INDEX idx_contact_requests_x_contact_id ON contact_requests (user_id, x_contact_id);
CREATE INDEX idx_contact_requests_pending ON contact_requests (user_contact_link_id) WHERE connection_id IS NULL;

-- Requests to the address of a business. Each has made a group.
CREATE TABLE business_requests (
  user_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  -- Id that is the same in a repeated request.
  x_contact_id BLOB,
  -- Id by which the customer knows the welcome message.
  welcome_shared_msg_id BLOB,
  -- JSON of the message that is sent as soon as the customer can read it, then NULL.
  auto_reply TEXT,
  PRIMARY KEY (user_id, group_id),
  FOREIGN KEY (user_id, group_id) REFERENCES groups ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX idx_business_requests_id ON business_requests (user_id, x_contact_id) WHERE x_contact_id IS NOT NULL;


-- ## Groups

-- Groups and channels.
CREATE TABLE groups (
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  group_id INTEGER NOT NULL,
  local_display_name TEXT NOT NULL,
  -- JSON of GroupProfile.
  profile TEXT NOT NULL,
  -- Name that the user has chosen for the group.
  local_alias TEXT NOT NULL DEFAULT '',
  -- Member that is the user.
  membership_id INTEGER NOT NULL,
  -- Number of members that are in the group now, with the user.
  current_members INTEGER NOT NULL DEFAULT 1,
  -- index_in_group of the next new member.
  next_index INTEGER NOT NULL DEFAULT 0,
  -- MsgFilter: messages with notifications.
  enable_ntfs TEXT NOT NULL DEFAULT 'all',
  -- NULL for the setting of the user.
  send_rcpts INTEGER,
  favorite INTEGER NOT NULL DEFAULT 0,
  -- 1 if the user has marked the chat as unread.
  unread_chat INTEGER NOT NULL DEFAULT 0,
  -- Unread items, counted by ChatCounts and by triggers.
  unread_count INTEGER NOT NULL DEFAULT 0,
  -- JSON that a client has stored.
  custom_data TEXT,
  -- JSON.
  ui_themes TEXT,
  -- Seconds; 0 keeps items forever; NULL for the setting of the user.
  chat_item_ttl INTEGER,
  -- Link in the invitation of a contact, and the item that shows the invitation.
  invitation TEXT,
  invitation_item_id INTEGER,
  -- Time at which the user's profile was last sent to the members.
  member_profile_sent_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Time of the last activity, which orders the list of chats.
  chat_ts INTEGER NOT NULL,
  -- JSON of BusinessChatInfo, for a chat with a business or with a customer.
  business TEXT,
  -- Link by which the user has joined, or has asked to join.
  via_group_link_uri TEXT,
  -- Link from which the chat was prepared before the user joined (GroupPreparation).
  conn_full_link_to_connect TEXT,
  conn_short_link_to_connect TEXT,
  -- Id of the welcome message in the link.
  welcome_shared_msg_id BLOB,
  -- Id of the message that goes with the request. Each attempt uses the same id.
  request_shared_msg_id BLOB,
  -- GroupPreparation.Progress: 0 none, 1 the connection exists, 2 the request was sent.
  connecting_progress INTEGER NOT NULL DEFAULT 0,
  -- Id of a channel; NULL for an ordinary group.
  public_group_id BLOB,
  -- Public key that verifies the data of the link of the channel.
  root_key BLOB,
  -- The user's private key in the channel.
  member_key BLOB,
  -- Number of members of a channel, as its owner states it.
  public_members INTEGER,
  -- Version of the last applied roster, or of the last applied change of it.
  roster_version INTEGER,
  -- Version of the last roster that was applied as a whole.
  complete_roster_version INTEGER,
  -- Time of the next reading of a joined channel's link.
  link_due_at INTEGER NOT NULL DEFAULT 0,
  -- Private part of root_key, for a channel that the user has created.
  root_private_key BLOB,
  -- 1 until the command that creates the channel has its answer.
  in_progress INTEGER NOT NULL DEFAULT 0,
  -- RelayStatus of the user in the channel; NULL if the user is no relay of it.
  relay_own_status TEXT,
  -- Time of the last change of the profile by the user as an owner (OwnerAgreement).
  profile_said_at INTEGER,
  -- Last version of the roster that the user has written (OwnerAgreement).
  own_roster_version INTEGER,
  -- Rows in group_members, with removed members, counted by triggers.
  known_members INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, group_id)
) WITHOUT ROWID;
CREATE INDEX idx_groups_chat_ts ON groups (user_id, chat_ts);
CREATE INDEX idx_groups_unread ON groups (user_id, unread_count, enable_ntfs) WHERE unread_count > 0;
CREATE INDEX idx_groups_invitation ON groups (user_id, invitation) WHERE invitation IS NOT NULL;
CREATE INDEX idx_groups_via_link ON groups (user_id, via_group_link_uri) WHERE via_group_link_uri IS NOT NULL;
CREATE INDEX idx_groups_short_link ON groups (user_id, conn_short_link_to_connect)
  WHERE conn_short_link_to_connect IS NOT NULL;
CREATE INDEX idx_groups_in_progress ON groups (in_progress) WHERE in_progress = 1;
CREATE TRIGGER group_named AFTER INSERT ON groups
BEGIN
  DELETE FROM chat_names_changed WHERE user_id = NEW.user_id AND chat_type = 1 AND chat_id = NEW.group_id;
  INSERT INTO chat_names_changed (user_id, chat_type, chat_id) VALUES (NEW.user_id, 1, NEW.group_id);
END;
CREATE TRIGGER group_unnamed AFTER DELETE ON groups
BEGIN
  DELETE FROM chat_names_changed WHERE user_id = OLD.user_id AND chat_type = 1 AND chat_id = OLD.group_id;
  INSERT INTO chat_names_changed (user_id, chat_type, chat_id) VALUES (OLD.user_id, 1, OLD.group_id);
END;
CREATE TRIGGER group_renamed AFTER UPDATE OF local_display_name, local_alias, profile ON groups
BEGIN
  DELETE FROM chat_names_changed WHERE user_id = NEW.user_id AND chat_type = 1 AND chat_id = NEW.group_id;
  INSERT INTO chat_names_changed (user_id, chat_type, chat_id) VALUES (NEW.user_id, 1, NEW.group_id);
END;
-- The counts are deleted last: the deletion of items decreases them before.
CREATE TRIGGER group_chat_deleted AFTER DELETE ON groups
BEGIN
  DELETE FROM chat_items WHERE user_id = OLD.user_id AND chat_type = 1 AND chat_id = OLD.group_id;
  DELETE FROM chat_item_reactions WHERE user_id = OLD.user_id AND chat_type = 1 AND chat_id = OLD.group_id;
  DELETE FROM chat_tags_chats WHERE user_id = OLD.user_id AND chat_type = 1 AND chat_id = OLD.group_id;
  DELETE FROM chat_item_days WHERE user_id = OLD.user_id AND chat_type = 1 AND chat_id = OLD.group_id;
END;

-- Members of groups, with the user as a member of each group.
CREATE TABLE group_members (
  user_id INTEGER NOT NULL,
  group_member_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  -- Number in the group. It is the place of the member in sets of bits.
  index_in_group INTEGER NOT NULL,
  -- Id that all members know.
  member_id BLOB NOT NULL,
  member_role TEXT NOT NULL,
  -- GroupMemberCategory: how the member came into the group.
  member_category TEXT NOT NULL,
  member_status TEXT NOT NULL,
  -- 0 if the user has blocked the member.
  show_messages INTEGER NOT NULL DEFAULT 1,
  -- 1 if the member is blocked for all.
  blocked_by_admin INTEGER NOT NULL DEFAULT 0,
  -- Contact who has invited the member; 0 for the user; NULL if unknown.
  invited_by INTEGER,
  -- Member who has invited or introduced the member.
  invited_by_member_id INTEGER,
  local_display_name TEXT NOT NULL,
  -- NULL for the user, and for a member who is no contact.
  contact_id INTEGER,
  contact_profile_id INTEGER NOT NULL REFERENCES contact_profiles,
  -- Row of the user: the profile that the group knows, if it is not the user's own.
  incognito_profile_id INTEGER REFERENCES contact_profiles,
  peer_min_version INTEGER NOT NULL,
  peer_max_version INTEGER NOT NULL,
  -- Link that the user has sent with the invitation.
  invitation TEXT,
  -- Step that remains until the member is connected (MemberSteps), and the link for the step.
  step TEXT,
  step_request TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- 1 if the user must tell the introducing admin that it is connected to the member.
  untold INTEGER NOT NULL DEFAULT 0,
  -- Id of the member's request to join at the agent, until the agent knows about the acceptance.
  join_invitation BLOB,
  -- 1 if the host at whose link the user has joined has sent its profile.
  link_profile_received INTEGER NOT NULL DEFAULT 0,
  -- Time of the last activity in the member's support chat; NULL if there is none.
  support_ts INTEGER,
  -- Unread items of the support chat, counted by ChatCounts and by triggers.
  unread_count INTEGER NOT NULL DEFAULT 0,
  -- Unread messages of the member that no moderator has answered, and unread mentions of the user.
  support_attention INTEGER NOT NULL DEFAULT 0,
  support_mentions INTEGER NOT NULL DEFAULT 0,
  -- Time of sending of the member's last message.
  support_last_message_ts INTEGER,
  -- Id of the welcome message that the member knows from the link.
  welcome_shared_msg_id BLOB,
  -- Public key that verifies the signatures of the member in a channel.
  member_key BLOB,
  -- Link at which the channel is joined through this member, a relay; NULL for other members.
  relay_link TEXT,
  -- Version of the last roster that the user, as a relay, has sent to the member.
  roster_served INTEGER,
  PRIMARY KEY (user_id, group_member_id),
  FOREIGN KEY (user_id, group_id) REFERENCES groups ON DELETE CASCADE
) WITHOUT ROWID;
CREATE UNIQUE INDEX idx_group_members_member_id ON group_members (user_id, group_id, member_id);
CREATE INDEX idx_group_members_index ON group_members (user_id, group_id, index_in_group);
CREATE INDEX idx_group_members_contact ON group_members (user_id, contact_id);
CREATE INDEX idx_group_members_profile ON group_members (contact_profile_id);
CREATE INDEX idx_group_members_incognito ON group_members (incognito_profile_id)
  WHERE incognito_profile_id IS NOT NULL;
CREATE INDEX idx_group_members_step ON group_members (user_id, group_member_id) WHERE step IS NOT NULL;
CREATE INDEX idx_group_members_join ON group_members (join_invitation) WHERE join_invitation IS NOT NULL;
CREATE INDEX idx_group_members_support ON group_members (user_id, group_id) WHERE support_ts IS NOT NULL;
CREATE INDEX idx_group_members_attention ON group_members (user_id, group_id)
  WHERE member_category <> 'user'
  AND (member_status IN ('pending_approval', 'pending_review') OR support_attention > 0 OR support_mentions > 0);
CREATE INDEX idx_group_members_relay ON group_members (user_id, group_id, relay_link) WHERE relay_link IS NOT NULL;
CREATE INDEX idx_group_members_moderators ON group_members (user_id, group_id, index_in_group)
  WHERE member_role IN ('moderator', 'admin', 'owner');
CREATE INDEX idx_group_members_unknown ON group_members (user_id, group_id) WHERE member_status = 'unknown';
-- Messages for the member are still sent. RetiredConnectionWorker deletes the connection later.
CREATE TRIGGER group_member_deleted AFTER DELETE ON group_members
BEGIN
  UPDATE connections SET group_member_id = NULL, conn_status = 'deleted'
    WHERE user_id = OLD.user_id AND group_member_id = OLD.group_member_id;
END;
-- The counts are deleted last: the deletion of items decreases them before.
CREATE TRIGGER support_chat_deleted AFTER DELETE ON group_members
BEGIN
  DELETE FROM chat_items WHERE user_id = OLD.user_id AND chat_type = 3 AND chat_id = OLD.group_member_id;
  DELETE FROM chat_item_reactions WHERE user_id = OLD.user_id AND chat_type = 3 AND chat_id = OLD.group_member_id;
  DELETE FROM chat_item_days WHERE user_id = OLD.user_id AND chat_type = 3 AND chat_id = OLD.group_member_id;
END;
CREATE TRIGGER group_member_known AFTER INSERT ON group_members
BEGIN
  UPDATE groups SET known_members = known_members + 1 WHERE user_id = NEW.user_id AND group_id = NEW.group_id;
END;
CREATE TRIGGER group_member_forgotten AFTER DELETE ON group_members
BEGIN
  UPDATE groups SET known_members = known_members - 1 WHERE user_id = OLD.user_id AND group_id = OLD.group_id;
END;

-- Pairs of members whom the user has introduced to each other. After the reports of both members, the row is deleted if
-- both members are connected to the user.
CREATE TABLE group_introductions (
  user_id INTEGER NOT NULL,
  new_member_id INTEGER NOT NULL,
  to_member_id INTEGER NOT NULL,
  -- 1 if only the earlier member has reported the connection, 3 if only the new member has reported it, 2 if both have.
  to_connected INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, new_member_id, to_member_id),
  FOREIGN KEY (user_id, new_member_id) REFERENCES group_members ON DELETE CASCADE,
  FOREIGN KEY (user_id, to_member_id) REFERENCES group_members ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX idx_group_introductions_to ON group_introductions (user_id, to_member_id);

-- Moderators to whom the user has introduced a member that waits for a review.
CREATE TABLE review_introductions (
  user_id INTEGER NOT NULL,
  new_member_id INTEGER NOT NULL,
  to_member_id INTEGER NOT NULL,
  PRIMARY KEY (user_id, new_member_id, to_member_id),
  FOREIGN KEY (user_id, new_member_id) REFERENCES group_members ON DELETE CASCADE
) WITHOUT ROWID;

-- Links of groups, with which other people join.
CREATE TABLE group_links (
  -- Counted together with the addresses of users.
  user_contact_link_id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  -- Id of the connection in the API. No row of connections has it.
  connection_id INTEGER NOT NULL,
  agent_conn_id TEXT NOT NULL UNIQUE,
  conn_full_link TEXT NOT NULL,
  conn_short_link TEXT,
  -- The group's id in the data of its full link.
  group_link_id TEXT NOT NULL,
  -- Role of members who join.
  member_role TEXT NOT NULL,
  -- 1 if the data of the short link must be replaced.
  link_data_stale INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  UNIQUE (user_id, group_id),
  FOREIGN KEY (user_id, group_id) REFERENCES groups ON DELETE CASCADE
);
CREATE INDEX idx_group_links_full ON group_links (user_id, conn_full_link);

-- Moderations of messages that have not arrived yet.
CREATE TABLE group_moderations (
  moderation_id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  -- Id of the author that all members know.
  item_member_id BLOB NOT NULL,
  shared_msg_id BLOB NOT NULL,
  moderator_member_id INTEGER NOT NULL,
  moderated_at INTEGER NOT NULL,
  UNIQUE (user_id, group_id, item_member_id, shared_msg_id),
  FOREIGN KEY (user_id, group_id) REFERENCES groups ON DELETE CASCADE
);

-- Times of the last changes that the user has made in a group (GroupAgreement). They count for a day.
CREATE TABLE own_group_changes (
  user_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  subject TEXT NOT NULL,
  -- Changed member; 0 for the profile of the group.
  group_member_id INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, group_id, subject, group_member_id),
  FOREIGN KEY (user_id, group_id) REFERENCES groups ON DELETE CASCADE
) WITHOUT ROWID;

-- Messages that may arrive again: from the author, or forwarded. The oldest rows are deleted.
CREATE TABLE received_group_messages (
  received_id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  -- 0 for an unsigned message of a channel.
  author_member_id INTEGER NOT NULL,
  shared_msg_id BLOB NOT NULL,
  -- Member who has forwarded the message; NULL if it came from its author.
  forwarded_by INTEGER,
  UNIQUE (user_id, group_id, author_member_id, shared_msg_id),
  FOREIGN KEY (user_id, group_id) REFERENCES groups ON DELETE CASCADE
);

-- Ids of members who were removed from a channel, and cannot return (RemovedMembers).
CREATE TABLE removed_members (
  removed_id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  -- Id that all members know.
  member_id BLOB NOT NULL,
  UNIQUE (user_id, group_id, member_id),
  FOREIGN KEY (user_id, group_id) REFERENCES groups ON DELETE CASCADE
);


-- ## Channels

-- Relays that a user may choose for its channels. A deleted relay keeps its row, because channels refer to it.
CREATE TABLE chat_relays (
  chat_relay_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  address TEXT NOT NULL,
  -- JSON of RelayProfile.
  relay_profile TEXT NOT NULL,
  -- Names of domains, separated by commas.
  domains TEXT NOT NULL,
  -- 1 for a preset relay of an operator.
  preset INTEGER NOT NULL,
  -- Result of the last test; NULL without a test.
  tested INTEGER,
  enabled INTEGER NOT NULL,
  deleted INTEGER NOT NULL DEFAULT 0,
  UNIQUE (user_id, address)
);

-- Connections of tests of relays that have not ended.
CREATE TABLE relay_tests (
  agent_conn_id TEXT NOT NULL PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX idx_relay_tests_user ON relay_tests (user_id);

-- Relays of the user's own channels.
CREATE TABLE group_relays (
  group_relay_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  group_member_id INTEGER NOT NULL,
  chat_relay_id INTEGER NOT NULL REFERENCES chat_relays ON DELETE CASCADE,
  relay_status TEXT NOT NULL,
  -- Link at which the relay serves the channel.
  relay_link TEXT,
  -- Id at the agent of the confirmation with the relay's answer.
  confirmation_id BLOB,
  -- JSON of RelayCapabilities.
  capabilities TEXT NOT NULL DEFAULT '{}',
  UNIQUE (user_id, group_member_id),
  FOREIGN KEY (user_id, group_member_id) REFERENCES group_members ON DELETE CASCADE
);
CREATE INDEX idx_group_relays_group ON group_relays (user_id, group_id);
CREATE INDEX idx_group_relays_chat_relay ON group_relays (chat_relay_id);

-- Requests to the agent that are creating the link of a channel.
CREATE TABLE channel_links_in_progress (
  request_key BLOB NOT NULL PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX idx_channel_links_in_progress_user ON channel_links_in_progress (user_id);

-- Descriptions of files that relays of a channel forward in parts, separately for each relay (ChannelDescriptions).
CREATE TABLE channel_descriptions (
  file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
  -- The relay, as a member of the channel.
  group_member_id INTEGER NOT NULL,
  -- Number of the last part, from 1, and the text of all parts so far.
  part_no INTEGER NOT NULL,
  descr_text TEXT NOT NULL,
  PRIMARY KEY (file_id, group_member_id)
) WITHOUT ROWID;

-- Rosters that are being received, one from each sender (ChannelRosters).
CREATE TABLE roster_transfers (
  user_id INTEGER NOT NULL,
  -- Sender of the chunks: a relay of the channel, or at a relay an owner.
  group_member_id INTEGER NOT NULL,
  shared_msg_id BLOB NOT NULL,
  -- Owner who has signed the roster.
  author_member_id INTEGER NOT NULL,
  roster_version INTEGER NOT NULL,
  -- Bytes of the whole roster.
  size INTEGER NOT NULL,
  digest BLOB NOT NULL,
  -- Number of the next chunk, from 1.
  next_chunk INTEGER NOT NULL DEFAULT 1,
  bytes BLOB NOT NULL,
  -- At a relay: the message about the roster with its signatures, and the time of its arrival at the SMP relay.
  message BLOB,
  sent_at INTEGER,
  PRIMARY KEY (user_id, group_member_id),
  FOREIGN KEY (user_id, group_member_id) REFERENCES group_members ON DELETE CASCADE
) WITHOUT ROWID;


-- ## Channels that this store serves as a relay

-- Channels that the user serves, or has served, as a relay.
CREATE TABLE served_channels (
  user_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  channel_link TEXT NOT NULL,
  -- Id at the agent of the request of the owner, until it is answered.
  invitation BLOB,
  -- Failed attempts to answer the request.
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER NOT NULL DEFAULT 0,
  -- Time at which the relay became inactive in the channel; NULL if it is not inactive.
  inactive_at INTEGER,
  -- Last roster: its version, its bytes, the message of its owner, the owner, and the time of the message.
  roster_version INTEGER,
  roster BLOB,
  roster_message BLOB,
  roster_member_id INTEGER,
  roster_sent_at INTEGER,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, group_id),
  FOREIGN KEY (user_id, group_id) REFERENCES groups ON DELETE CASCADE
);
CREATE INDEX idx_served_channels_link ON served_channels (user_id, channel_link);
CREATE INDEX idx_served_channels_invitation ON served_channels (invitation) WHERE invitation IS NOT NULL;

-- Members to whom the user, as a relay, has announced a member.
CREATE TABLE member_announcements (
  user_id INTEGER NOT NULL,
  group_member_id INTEGER NOT NULL,
  -- Bit set over group_members.index_in_group.
  known_to BLOB NOT NULL,
  PRIMARY KEY (user_id, group_member_id),
  FOREIGN KEY (user_id, group_member_id) REFERENCES group_members ON DELETE CASCADE
);

-- Messages that a relay has to forward to members.
CREATE TABLE relay_tasks (
  task_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  -- Member of the support chat; 0 for the channel.
  support_member_id INTEGER NOT NULL,
  author_member_id INTEGER NOT NULL,
  -- Message with its signatures, as an element of a body.
  element BLOB NOT NULL,
  -- 1 if members who are still joining get the message too.
  includes_joining INTEGER NOT NULL,
  -- 1 if the relay stops serving the channel after this message.
  ends_service INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  FOREIGN KEY (user_id, group_id) REFERENCES groups ON DELETE CASCADE
);
CREATE INDEX idx_relay_tasks ON relay_tasks (user_id, group_id, support_member_id, task_id);

-- Bodies that a relay is forwarding to members. The jobs of a channel, and those of a support chat, run one after the
-- other.
CREATE TABLE relay_jobs (
  job_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  -- Member of the support chat; 0 for the channel.
  support_member_id INTEGER NOT NULL,
  body_id INTEGER NOT NULL,
  -- Authors of the messages in the body, in their order, separated by commas.
  author_member_ids TEXT NOT NULL,
  -- As in relay_tasks, for all messages of the body.
  includes_joining INTEGER NOT NULL,
  ends_service INTEGER NOT NULL,
  -- index_in_group of the last member to whom the body was passed on.
  cursor INTEGER NOT NULL DEFAULT -1,
  -- Time of the first message in the body.
  created_at INTEGER NOT NULL,
  FOREIGN KEY (user_id, group_id) REFERENCES groups ON DELETE CASCADE
);
CREATE INDEX idx_relay_jobs ON relay_jobs (user_id, group_id, support_member_id, job_id);
CREATE TRIGGER relay_job_gone AFTER DELETE ON relay_jobs
BEGIN
  DELETE FROM message_bodies WHERE body_id = OLD.body_id AND deliveries <= 1;
  UPDATE message_bodies SET deliveries = deliveries - 1 WHERE body_id = OLD.body_id;
END;

-- Connections that a relay has made for a single answer.
CREATE TABLE passing_connections (
  agent_conn_id TEXT NOT NULL PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  -- 1 if the connection ends with an answer of the peer; 0 if it ends when the own answer was sent.
  is_answered INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;


-- ## Chats and items

-- Items of chats. An item that is only marked as deleted keeps its content.
CREATE TABLE chat_items (
  chat_item_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  -- 0 contact, 1 group, 2 notes, 3 support chat of a member (ChatKey).
  chat_type INTEGER NOT NULL,
  chat_id INTEGER NOT NULL,
  -- 1 if the user has sent the item.
  item_sent INTEGER NOT NULL,
  -- Time of sending: of a received item by the clock of the SMP relay, or earlier as the forwarder states; of others by
  -- the clock of this machine.
  item_ts INTEGER NOT NULL,
  -- ItemStatus in its stored form.
  item_status TEXT NOT NULL,
  -- JSON of CIContent.
  item_content TEXT NOT NULL,
  -- Kind of the content; NULL for an item that is no message.
  msg_content_tag TEXT,
  -- Text that is shown and searched.
  item_text TEXT NOT NULL,
  -- JSON of the markup of the text; empty for none; NULL if the text was not parsed yet (ItemMarkup).
  formatted_text TEXT,
  -- Id of the message that all participants know.
  shared_msg_id BLOB,
  -- JSON of CIQuote, and the shared id of the quoted message.
  quoted_item TEXT,
  quoted_shared_msg_id BLOB,
  -- JSON of CIForwardedFrom.
  item_forwarded TEXT,
  -- Chat and item from which the item was forwarded.
  forwarded_chat_type INTEGER,
  forwarded_chat_id INTEGER,
  forwarded_item_id INTEGER,
  -- ItemHiding: 0 visible, 1 deleted, 2 author blocked by the user, 3 author blocked for all.
  item_deleted INTEGER NOT NULL DEFAULT 0,
  item_deleted_ts INTEGER,
  item_edited INTEGER NOT NULL DEFAULT 0,
  -- 1 while a live message is being written, 0 afterwards; NULL for other items.
  item_live INTEGER,
  -- Seconds until the item disappears, and the time at which that happens.
  timed_ttl INTEGER,
  timed_delete_at INTEGER,
  -- 1 if the message was sent through a proxy relay; NULL if unknown.
  via_proxy INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Member who has written the item; NULL for the user, and in chats with one peer.
  author_member_id INTEGER,
  -- 1 if the message is a link or has one in its text.
  has_link INTEGER NOT NULL DEFAULT 0,
  -- Member who has forwarded the message of its author.
  forwarded_by_member_id INTEGER,
  -- JSON of the mentioned members by their names (Mentions).
  mentions TEXT,
  -- 1 if the user is mentioned, or a received item of a group quotes the user.
  user_mention INTEGER NOT NULL DEFAULT 0,
  -- Moderator who has deleted the item.
  item_deleted_by INTEGER,
  -- Time that orders the item in its chat (ItemOrder).
  order_ts INTEGER NOT NULL DEFAULT 0,
  -- Author of the quoted message; 0 for the user; NULL in chats with one peer.
  quoted_member_id INTEGER,
  -- 1 if the item is shown as a post of the group, without its author.
  show_group_as_sender INTEGER NOT NULL DEFAULT 0,
  -- Group of an item in a support chat; NULL in other chats.
  support_group_id INTEGER,
  -- File of the item (files).
  file_id INTEGER,
  -- MsgSigStatus of a signed message of a channel; NULL for others.
  msg_signed TEXT
);
CREATE INDEX idx_chat_items_ts ON chat_items (user_id, item_ts, chat_item_id);
CREATE INDEX idx_chat_items_shared ON chat_items (user_id, chat_type, chat_id, shared_msg_id);
CREATE INDEX idx_chat_items_timed ON chat_items (timed_delete_at) WHERE timed_delete_at IS NOT NULL;
CREATE INDEX idx_chat_items_author ON chat_items (user_id, chat_type, chat_id, author_member_id, chat_item_id)
  WHERE author_member_id IS NOT NULL;
CREATE INDEX idx_chat_items_unread_mentions ON chat_items (user_id, chat_type, chat_id)
  WHERE user_mention = 1 AND item_status = 'rcvNew';
CREATE INDEX idx_chat_items_chat ON chat_items (user_id, chat_type, chat_id, order_ts, chat_item_id);
CREATE INDEX idx_chat_items_unread ON chat_items (user_id, chat_type, chat_id, order_ts, chat_item_id)
  WHERE item_status = 'rcvNew';
CREATE INDEX idx_chat_items_content ON chat_items (user_id, chat_type, chat_id, msg_content_tag, order_ts,
  chat_item_id) WHERE msg_content_tag IS NOT NULL;
CREATE INDEX idx_chat_items_links ON chat_items (user_id, chat_type, chat_id, order_ts, chat_item_id)
  WHERE has_link = 1;
CREATE INDEX idx_chat_items_support ON chat_items (user_id, support_group_id, shared_msg_id)
  WHERE support_group_id IS NOT NULL;
CREATE INDEX idx_chat_items_reports ON chat_items (user_id, support_group_id, order_ts, chat_item_id)
  WHERE msg_content_tag = 'report' AND support_group_id IS NOT NULL;
CREATE TRIGGER search_item_changed AFTER UPDATE OF item_text, user_id, chat_type, chat_id ON chat_items
WHEN NEW.chat_item_id < (SELECT watched FROM search_state)
BEGIN
  INSERT OR REPLACE INTO search_changed (chat_item_id) VALUES (NEW.chat_item_id);
  INSERT OR IGNORE INTO search_stale VALUES (NEW.chat_item_id / 16384);
END;
CREATE TRIGGER search_item_deleted AFTER DELETE ON chat_items
WHEN OLD.chat_item_id < (SELECT watched FROM search_state)
BEGIN
  DELETE FROM search_changed WHERE chat_item_id = OLD.chat_item_id;
  INSERT OR IGNORE INTO search_stale VALUES (OLD.chat_item_id / 16384);
END;
-- ChatCounts counts a new item: a trigger on insertion would make the database copy each changed page.
CREATE TRIGGER chat_items_uncounted AFTER DELETE ON chat_items
BEGIN
  UPDATE chat_item_days SET items = items - 1, unread = unread - (OLD.item_status = 'rcvNew')
    WHERE user_id = OLD.user_id AND chat_type = OLD.chat_type AND chat_id = OLD.chat_id
    AND day = OLD.order_ts / 86400000000000;
  UPDATE contacts SET unread_count = unread_count - 1
    WHERE OLD.item_status = 'rcvNew' AND OLD.chat_type = 0 AND user_id = OLD.user_id AND contact_id = OLD.chat_id;
  UPDATE groups SET unread_count = unread_count - 1
    WHERE OLD.item_status = 'rcvNew' AND OLD.chat_type = 1 AND user_id = OLD.user_id AND group_id = OLD.chat_id;
  UPDATE group_members SET unread_count = unread_count - 1
    WHERE OLD.item_status = 'rcvNew' AND OLD.chat_type = 3 AND user_id = OLD.user_id
    AND group_member_id = OLD.chat_id;
END;
CREATE TRIGGER chat_items_moved AFTER UPDATE OF user_id, chat_type, chat_id, order_ts ON chat_items
BEGIN
  UPDATE chat_item_days SET items = items - 1, unread = unread - (OLD.item_status = 'rcvNew')
    WHERE user_id = OLD.user_id AND chat_type = OLD.chat_type AND chat_id = OLD.chat_id
    AND day = OLD.order_ts / 86400000000000;
  UPDATE contacts SET unread_count = unread_count - 1
    WHERE OLD.item_status = 'rcvNew' AND OLD.chat_type = 0 AND user_id = OLD.user_id AND contact_id = OLD.chat_id;
  UPDATE groups SET unread_count = unread_count - 1
    WHERE OLD.item_status = 'rcvNew' AND OLD.chat_type = 1 AND user_id = OLD.user_id AND group_id = OLD.chat_id;
  UPDATE group_members SET unread_count = unread_count - 1
    WHERE OLD.item_status = 'rcvNew' AND OLD.chat_type = 3 AND user_id = OLD.user_id
    AND group_member_id = OLD.chat_id;
  INSERT OR IGNORE INTO chat_item_days
    VALUES (NEW.user_id, NEW.chat_type, NEW.chat_id, NEW.order_ts / 86400000000000, 0, 0);
  UPDATE chat_item_days SET items = items + 1, unread = unread + (NEW.item_status = 'rcvNew')
    WHERE user_id = NEW.user_id AND chat_type = NEW.chat_type AND chat_id = NEW.chat_id
    AND day = NEW.order_ts / 86400000000000;
  UPDATE contacts SET unread_count = unread_count + 1
    WHERE NEW.item_status = 'rcvNew' AND NEW.chat_type = 0 AND user_id = NEW.user_id AND contact_id = NEW.chat_id;
  UPDATE groups SET unread_count = unread_count + 1
    WHERE NEW.item_status = 'rcvNew' AND NEW.chat_type = 1 AND user_id = NEW.user_id AND group_id = NEW.chat_id;
  UPDATE group_members SET unread_count = unread_count + 1
    WHERE NEW.item_status = 'rcvNew' AND NEW.chat_type = 3 AND user_id = NEW.user_id
    AND group_member_id = NEW.chat_id;
END;
CREATE TRIGGER chat_items_read AFTER UPDATE OF item_status ON chat_items
WHEN (OLD.item_status = 'rcvNew') <> (NEW.item_status = 'rcvNew') AND OLD.user_id = NEW.user_id
  AND OLD.chat_type = NEW.chat_type AND OLD.chat_id = NEW.chat_id
BEGIN
  UPDATE chat_item_days SET unread = unread + (NEW.item_status = 'rcvNew') - (OLD.item_status = 'rcvNew')
    WHERE user_id = NEW.user_id AND chat_type = NEW.chat_type AND chat_id = NEW.chat_id
    AND day = NEW.order_ts / 86400000000000;
  UPDATE contacts SET unread_count = unread_count + (NEW.item_status = 'rcvNew') - (OLD.item_status = 'rcvNew')
    WHERE NEW.chat_type = 0 AND user_id = NEW.user_id AND contact_id = NEW.chat_id;
  UPDATE groups SET unread_count = unread_count + (NEW.item_status = 'rcvNew') - (OLD.item_status = 'rcvNew')
    WHERE NEW.chat_type = 1 AND user_id = NEW.user_id AND group_id = NEW.chat_id;
  UPDATE group_members SET unread_count = unread_count + (NEW.item_status = 'rcvNew') - (OLD.item_status = 'rcvNew')
    WHERE NEW.chat_type = 3 AND user_id = NEW.user_id AND group_member_id = NEW.chat_id;
END;

-- All versions of edited items, from the first one. Only the text is stored.
CREATE TABLE chat_item_versions (
  chat_item_version_id INTEGER PRIMARY KEY AUTOINCREMENT,
  chat_item_id INTEGER NOT NULL REFERENCES chat_items ON DELETE CASCADE,
  -- JSON of MsgContent.
  msg_content TEXT NOT NULL,
  -- Time at which the version was sent.
  item_version_ts INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX idx_chat_item_versions_item ON chat_item_versions (chat_item_id);

-- Reactions to items. The shared id names the item, because the reaction may come first.
CREATE TABLE chat_item_reactions (
  chat_item_reaction_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  chat_type INTEGER NOT NULL,
  chat_id INTEGER NOT NULL,
  shared_msg_id BLOB NOT NULL,
  -- 1 if the user has reacted.
  reaction_sent INTEGER NOT NULL,
  -- JSON of MsgReaction.
  reaction TEXT NOT NULL,
  reaction_ts INTEGER NOT NULL,
  -- Member who has reacted; 0 for the user, and in chats with one peer.
  author_member_id INTEGER NOT NULL DEFAULT 0,
  -- Author of the item, as in chat_items, and 0 for NULL. Members may give their messages the ids of others.
  item_author_id INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX idx_chat_item_reactions ON chat_item_reactions (user_id, chat_type, chat_id, shared_msg_id,
  item_author_id, reaction_sent, author_member_id, reaction);

-- Status of a sent item for each recipient in a group.
CREATE TABLE group_item_statuses (
  chat_item_id INTEGER NOT NULL REFERENCES chat_items ON DELETE CASCADE,
  group_member_id INTEGER NOT NULL,
  -- GroupSndStatus in its stored form.
  status TEXT NOT NULL,
  -- 1 if the message was sent through a proxy relay; NULL if unknown.
  via_proxy INTEGER,
  PRIMARY KEY (chat_item_id, group_member_id)
) WITHOUT ROWID;

-- Counts of the rows of group_item_statuses, so that a changed status costs the same in groups of any size.
CREATE TABLE group_item_totals (
  chat_item_id INTEGER PRIMARY KEY REFERENCES chat_items ON DELETE CASCADE,
  -- All recipients, and the numbers of those with the status sent, received intact, and received altered.
  members INTEGER NOT NULL,
  sent INTEGER NOT NULL DEFAULT 0,
  received INTEGER NOT NULL DEFAULT 0,
  received_other INTEGER NOT NULL DEFAULT 0
);

-- Numbers of items of a chat and a day, by order_ts (ChatCounts). A day is 86,400 seconds of UTC.
CREATE TABLE chat_item_days (
  user_id INTEGER NOT NULL,
  chat_type INTEGER NOT NULL,
  chat_id INTEGER NOT NULL,
  -- Days since 1970.
  day INTEGER NOT NULL,
  items INTEGER NOT NULL,
  unread INTEGER NOT NULL,
  PRIMARY KEY (user_id, chat_type, chat_id, day)
) WITHOUT ROWID;

-- Chat with the user's own notes. One for each user.
CREATE TABLE note_folders (
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  note_folder_id INTEGER NOT NULL DEFAULT 1,
  favorite INTEGER NOT NULL DEFAULT 0,
  unread_chat INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  chat_ts INTEGER NOT NULL,
  PRIMARY KEY (user_id, note_folder_id)
) WITHOUT ROWID;

-- Tags by which a user sorts its chats.
CREATE TABLE chat_tags (
  chat_tag_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  chat_tag_text TEXT NOT NULL,
  chat_tag_emoji TEXT,
  tag_order INTEGER NOT NULL
);
CREATE UNIQUE INDEX idx_chat_tags_text ON chat_tags (user_id, chat_tag_text);
CREATE UNIQUE INDEX idx_chat_tags_emoji ON chat_tags (user_id, chat_tag_emoji);

-- Tags of chats.
CREATE TABLE chat_tags_chats (
  user_id INTEGER NOT NULL,
  chat_type INTEGER NOT NULL,
  chat_id INTEGER NOT NULL,
  chat_tag_id INTEGER NOT NULL REFERENCES chat_tags ON DELETE CASCADE,
  PRIMARY KEY (user_id, chat_type, chat_id, chat_tag_id)
) WITHOUT ROWID;
CREATE INDEX idx_chat_tags_chats_tag ON chat_tags_chats (chat_tag_id);
CREATE TRIGGER contact_card_tagged AFTER INSERT ON chat_tags_chats
BEGIN
  UPDATE contacts SET card_version = card_version + 1
    WHERE NEW.chat_type = 0 AND user_id = NEW.user_id AND contact_id = NEW.chat_id;
END;
CREATE TRIGGER contact_card_untagged AFTER DELETE ON chat_tags_chats
BEGIN
  UPDATE contacts SET card_version = card_version + 1
    WHERE OLD.chat_type = 0 AND user_id = OLD.user_id AND contact_id = OLD.chat_id;
END;

-- Chats whose names have changed, also deleted ones. A repeated change gets a new number.
CREATE TABLE chat_names_changed (
  note INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL,
  chat_type INTEGER NOT NULL,
  chat_id INTEGER NOT NULL,
  UNIQUE (user_id, chat_type, chat_id)
);

-- Current calls. A contact has one call at most.
CREATE TABLE calls (
  user_id INTEGER NOT NULL,
  contact_id INTEGER NOT NULL,
  shared_call_id BLOB NOT NULL,
  -- Id by which programs ring.
  call_uuid TEXT NOT NULL,
  -- Item of the call.
  chat_item_id INTEGER NOT NULL,
  -- 1 if the user has started the call.
  item_sent INTEGER NOT NULL,
  -- JSON of CallState: keys and offers of both sides.
  call_state TEXT NOT NULL,
  -- CICallStatus, which the item shows.
  call_status TEXT NOT NULL,
  -- Time at which the media was connected.
  connected_at INTEGER,
  -- Time of the first item of the call.
  call_ts INTEGER NOT NULL,
  PRIMARY KEY (user_id, contact_id),
  FOREIGN KEY (user_id, contact_id) REFERENCES contacts ON DELETE CASCADE
) WITHOUT ROWID;


-- ## Messages

-- Received messages that are not handled, as received (UnhandledMessages). The content of handled messages is only in
-- items, profiles and settings. The program does not read the rows: they are for people who inspect a database.
CREATE TABLE messages (
  message_id INTEGER PRIMARY KEY,
  connection_id INTEGER REFERENCES connections ON DELETE CASCADE,
  -- Name of the event in the chat protocol.
  chat_msg_event TEXT NOT NULL,
  msg_body BLOB NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX idx_messages_connection ON messages (connection_id);

-- Bodies of messages to send, one row for all recipients.
CREATE TABLE message_bodies (
  body_id INTEGER PRIMARY KEY,
  -- Number of rows that refer to the body, in deliveries, waiting_messages and relay_jobs.
  deliveries INTEGER NOT NULL,
  body BLOB NOT NULL
);

-- Outbox: messages for the agent, one row for each connection. The row is written in the transaction of the change. The
-- agent gets the number of the row, and accepts each number once. The row stays for receipts, but a row with msg_flags
-- 2 is deleted as soon as its result is known.
CREATE TABLE deliveries (
  delivery_id INTEGER PRIMARY KEY AUTOINCREMENT,
  connection_id INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
  -- NULL after the result is known.
  body_id INTEGER,
  -- Item that shows the result. It may be deleted.
  chat_item_id INTEGER,
  -- 1 if the peer may show a notification; 2 if a relay of a channel forwards the message.
  msg_flags INTEGER NOT NULL DEFAULT 0,
  -- Number of the message at the agent, after the agent has reported its result. Receipts refer to it.
  agent_msg_id INTEGER,
  -- 'pending', 'sent' or 'failed'.
  delivery_status TEXT NOT NULL DEFAULT 'pending',
  -- In the first row of a batch: the last row of the batch (Shipment).
  last_delivery_id INTEGER,
  created_at INTEGER NOT NULL
);
CREATE INDEX idx_deliveries_pending ON deliveries (delivery_id) WHERE delivery_status = 'pending';
CREATE INDEX idx_deliveries_agent_msg ON deliveries (connection_id, agent_msg_id) WHERE agent_msg_id IS NOT NULL;
-- Deliveries are deleted with their connection.
CREATE TRIGGER delivery_gone AFTER DELETE ON deliveries
WHEN OLD.body_id IS NOT NULL
BEGIN
  DELETE FROM message_bodies WHERE body_id = OLD.body_id AND deliveries <= 1;
  UPDATE message_bodies SET deliveries = deliveries - 1 WHERE body_id = OLD.body_id;
END;

-- Messages to members whose connections are not ready.
CREATE TABLE waiting_messages (
  waiting_id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  -- Member. In a channel, the user itself stands for the first relay that connects.
  group_member_id INTEGER NOT NULL,
  body_id INTEGER NOT NULL,
  chat_item_id INTEGER,
  -- 1 if the peer may show a notification.
  msg_flags INTEGER NOT NULL,
  created_at INTEGER NOT NULL DEFAULT 0,
  FOREIGN KEY (user_id, group_member_id) REFERENCES group_members ON DELETE CASCADE
);
CREATE INDEX idx_waiting_messages_member ON waiting_messages (user_id, group_member_id);
CREATE TRIGGER waiting_message_gone AFTER DELETE ON waiting_messages
BEGIN
  DELETE FROM message_bodies WHERE body_id = OLD.body_id AND deliveries <= 1;
  UPDATE message_bodies SET deliveries = deliveries - 1 WHERE body_id = OLD.body_id;
END;


-- ## Files

-- Files of items, standalone files, and descriptions that are files themselves. A file is deleted with its item.
CREATE TABLE files (
  file_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  -- NULL for a file without item.
  chat_item_id INTEGER REFERENCES chat_items ON DELETE CASCADE,
  -- 1 if the user sends the file.
  is_sent INTEGER NOT NULL,
  -- FileProtocol.
  protocol TEXT NOT NULL,
  file_name TEXT NOT NULL,
  -- Bytes.
  file_size INTEGER NOT NULL,
  -- Bytes of a chunk of a file inside messages. For other files it is only shown.
  chunk_size INTEGER NOT NULL,
  -- Name in the folder for files, or an absolute path; NULL if the file is not on the disk.
  file_path TEXT,
  -- Key and nonce of the file on the disk; NULL if it is not encrypted.
  file_key TEXT,
  file_nonce TEXT,
  -- JSON of CIFileStatus.
  item_status TEXT NOT NULL,
  cancelled INTEGER NOT NULL DEFAULT 0,
  -- The file whose description this file carries.
  redirect_for INTEGER REFERENCES files ON DELETE CASCADE,
  -- Id of the file at the agent, and 1 if the agent has no more work with it.
  agent_file_id TEXT UNIQUE,
  agent_done INTEGER NOT NULL DEFAULT 0,
  -- Work that follows the commit (FileTask); 0 for none.
  task INTEGER NOT NULL DEFAULT 0,
  -- Sent file: number of descriptions for recipients (rounded up), and the description by which it is deleted from the
  -- servers.
  recipients INTEGER NOT NULL DEFAULT 0,
  sender_descr TEXT,
  -- Received file: FileStatus, the member who sends it, 1 if it is received at the next start, 1 if unknown servers are
  -- approved, and its description.
  transfer_status TEXT NOT NULL DEFAULT 'new',
  group_member_id INTEGER,
  to_receive INTEGER NOT NULL DEFAULT 0,
  approved_relays INTEGER NOT NULL DEFAULT 0,
  descr_id INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- InlineFileMode of a received file that comes inside messages; NULL for others.
  file_inline TEXT,
  -- Seal of an absolute path (StoredPath).
  path_seal BLOB
);
CREATE INDEX idx_files_item ON files (chat_item_id) WHERE chat_item_id IS NOT NULL;
CREATE INDEX idx_files_user ON files (user_id);
CREATE INDEX idx_files_path ON files (file_path) WHERE file_path IS NOT NULL;
CREATE INDEX idx_files_task ON files (task) WHERE task <> 0;
CREATE INDEX idx_files_redirect ON files (redirect_for) WHERE redirect_for IS NOT NULL;
CREATE TRIGGER file_gone AFTER DELETE ON files
WHEN OLD.file_path IS NOT NULL OR OLD.agent_file_id IS NOT NULL AND OLD.agent_done = 0
BEGIN
  INSERT INTO retired_files (file_path, agent_file_id, is_sent)
    VALUES ( OLD.file_path, CASE WHEN OLD.agent_done = 0 THEN OLD.agent_file_id END, OLD.is_sent);
END;
CREATE TRIGGER file_totals_insert AFTER INSERT ON files
WHEN NEW.file_path IS NOT NULL
BEGIN
  UPDATE file_totals SET files = files + 1, bytes = bytes + min(max(NEW.file_size, 0), 5368709120);
END;
CREATE TRIGGER file_totals_delete AFTER DELETE ON files
WHEN OLD.file_path IS NOT NULL
BEGIN
  UPDATE file_totals SET files = files - 1, bytes = bytes - min(max(OLD.file_size, 0), 5368709120);
END;
CREATE TRIGGER file_totals_update AFTER UPDATE OF file_path, file_size ON files
WHEN (OLD.file_path IS NULL) <> (NEW.file_path IS NULL) OR OLD.file_size <> NEW.file_size
BEGIN
  UPDATE file_totals
    SET files = files + (NEW.file_path IS NOT NULL) - (OLD.file_path IS NOT NULL),
    bytes = bytes + CASE WHEN NEW.file_path IS NULL THEN 0 ELSE min(max(NEW.file_size, 0),
    5368709120) END - CASE WHEN OLD.file_path IS NULL THEN 0 ELSE min(max(OLD.file_size, 0), 5368709120) END;
END;

-- Descriptions by which files are received: of a received file with the parts so far, and one for each recipient of a
-- sent file.
CREATE TABLE file_descriptions (
  descr_id INTEGER PRIMARY KEY AUTOINCREMENT,
  file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
  descr_text TEXT NOT NULL,
  -- Number of the last part, from 1; 0 for none.
  part_no INTEGER NOT NULL,
  is_complete INTEGER NOT NULL
);
CREATE INDEX idx_file_descriptions_file ON file_descriptions (file_id);

-- Recipients of sent files, each with its own description.
CREATE TABLE snd_files (
  snd_file_id INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
  -- Connection of the recipient; NULL while it is not ready.
  connection_id INTEGER REFERENCES connections ON DELETE CASCADE,
  -- Recipient in a group. In a channel, the user itself stands for the first relay that connects.
  group_member_id INTEGER,
  descr_id INTEGER,
  file_status TEXT NOT NULL DEFAULT 'new',
  -- Row of deliveries with the last part of the description.
  delivery_id INTEGER
);
CREATE INDEX idx_snd_files_file ON snd_files (file_id);
CREATE INDEX idx_snd_files_connection ON snd_files (connection_id) WHERE connection_id IS NOT NULL;
CREATE INDEX idx_snd_files_delivery ON snd_files (delivery_id) WHERE delivery_id IS NOT NULL;

-- Chunks of files that come inside messages.
CREATE TABLE inline_chunks (
  file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
  -- Number of the chunk in the file, from 1.
  chunk_no INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (file_id, chunk_no)
) WITHOUT ROWID;

-- Files on the disk that no item uses yet. They wait for some time.
CREATE TABLE uploads (
  file_path TEXT NOT NULL PRIMARY KEY,
  user_id INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Uploads that can be resumed. They wait for a day.
CREATE TABLE partial_uploads (
  upload_id TEXT NOT NULL PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  file_name TEXT NOT NULL,
  -- Key and nonce of the file on the disk; NULL if it is not encrypted.
  file_key TEXT,
  file_nonce TEXT,
  -- Bytes; NULL if unknown.
  file_size INTEGER,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX idx_partial_uploads_user ON partial_uploads (user_id);
CREATE INDEX idx_partial_uploads_age ON partial_uploads (updated_at);

-- Remaining work of deleted files: on the disk, at the agent, and on the servers.
CREATE TABLE retired_files (
  retired_id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- File that must be deleted on the disk.
  file_path TEXT,
  -- File that the agent must delete, and 1 if it is a sent file.
  agent_file_id TEXT,
  is_sent INTEGER NOT NULL,
  -- Description whose chunks the servers must delete, for this user of the agent.
  sender_descr TEXT,
  agent_user_id INTEGER
);

-- One row: number and bytes of all files that have a path, counted by triggers.
CREATE TABLE file_totals (
  files INTEGER NOT NULL,
  bytes INTEGER NOT NULL
);
INSERT INTO file_totals (files, bytes) VALUES (0, 0);

-- Files in the object storage, and objects there that are to be deleted.
CREATE TABLE stored_objects (
  object_key TEXT NOT NULL PRIMARY KEY,
  -- Name in the folder for files. NULL, like the key, for an object that is to be deleted.
  file_path TEXT,
  -- Bytes of the file, and the time of its last change: a file with other values is another file.
  file_size INTEGER NOT NULL DEFAULT 0,
  modified_at INTEGER NOT NULL DEFAULT 0,
  -- Key and nonce of the object. They are independent of those of the file.
  seal_key TEXT,
  seal_nonce TEXT,
  -- 0 being stored (after a crash the object may exist or not), 1 stored completely, 2 to be deleted.
  object_state INTEGER NOT NULL,
  -- Time before which the object is not deleted.
  due_at INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE UNIQUE INDEX idx_stored_objects_path ON stored_objects (file_path) WHERE object_state = 1;
CREATE INDEX idx_stored_objects_due ON stored_objects (due_at) WHERE object_state = 2;


-- ## Search
--
-- An index of trigrams (TrigramIndex). Items are grouped in spans by their ids. For each trigram and span there is the
-- list of the items that have the trigram; the lists of a trigram are adjacent. Items newer than all spans, and items
-- that have changed after their span was written, are read without the index. The tables are in no archive.

-- One row: state of the index.
CREATE TABLE search_state (
  -- Items with smaller ids are in spans.
  covered INTEGER NOT NULL,
  -- Changes of items with smaller ids are recorded in search_changed and search_stale.
  watched INTEGER NOT NULL,
  -- Number of changes of search_spans, and of search_sizes.
  spans_written INTEGER NOT NULL DEFAULT 0,
  sizes_written INTEGER NOT NULL DEFAULT 0
);
INSERT INTO search_state (covered, watched) VALUES (0, 0);

-- Items with new texts after their span was read. A repeated change gets a new number.
CREATE TABLE search_changed (
  note INTEGER PRIMARY KEY AUTOINCREMENT,
  chat_item_id INTEGER NOT NULL UNIQUE
);

-- Large spans, or the small ones in their place, with lists of items that have changed or are deleted. While span n is
-- rewritten, it has the number -1 - n.
CREATE TABLE search_stale (
  large_span INTEGER PRIMARY KEY
);

-- Usable spans, with the time ranges of their items.
CREATE TABLE search_spans (
  is_large INTEGER NOT NULL,
  -- Items with an id of span × size up to (span + 1) × size; the size is 128 or 16,384 (SearchSpan).
  span INTEGER NOT NULL,
  -- First and last time of sending of the items (item_ts), and of their creation.
  first_ts INTEGER NOT NULL,
  last_ts INTEGER NOT NULL,
  first_created INTEGER NOT NULL,
  last_created INTEGER NOT NULL,
  -- Maximal number of nanoseconds by which an item is later than an item with a greater id, for both times; NULL if
  -- unknown.
  disorder_ts INTEGER,
  disorder_created INTEGER,
  PRIMARY KEY (is_large, span)
) WITHOUT ROWID;

-- Trigrams that have lists in a large span.
CREATE TABLE search_span_grams (
  span INTEGER PRIMARY KEY,
  grams BLOB NOT NULL
);

-- Bloom filter of a large span (BloomFilter).
CREATE TABLE search_span_runs (
  span INTEGER PRIMARY KEY,
  runs BLOB NOT NULL
);

-- Lists of the items with a trigram, for large spans.
CREATE TABLE search_large_lists (
  -- Trigram and span in one integer (TrigramIndex.list).
  list INTEGER PRIMARY KEY,
  items BLOB NOT NULL
);

-- As search_large_lists, for small spans.
CREATE TABLE search_small_lists (
  list INTEGER PRIMARY KEY,
  items BLOB NOT NULL
);

-- Bytes of all lists of a trigram in large spans.
CREATE TABLE search_totals (
  -- Trigram as a number. A negative number stands for a chat.
  gram INTEGER PRIMARY KEY,
  bytes INTEGER NOT NULL
);

-- One row: all rows of search_totals together (ListSizes).
CREATE TABLE search_sizes (
  sizes BLOB NOT NULL,
  -- Bloom filter of all large spans together; NULL if one of them has none.
  runs BLOB
);
INSERT INTO search_sizes (sizes) VALUES (x'');


-- ## Servers

-- Operators of servers.
CREATE TABLE server_operators (
  server_operator_id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Fixed name of a preset operator.
  server_operator_tag TEXT UNIQUE,
  trade_name TEXT NOT NULL,
  legal_name TEXT,
  -- Ends of names of hosts, separated by commas.
  server_domains TEXT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1,
  -- JSON of ServerRoles, for servers of messages and of files.
  smp_roles TEXT NOT NULL,
  xftp_roles TEXT NOT NULL
);

-- Versions of the conditions of use.
CREATE TABLE usage_conditions (
  usage_conditions_id INTEGER PRIMARY KEY,
  -- Commit of the original's repository with the text.
  conditions_commit TEXT NOT NULL UNIQUE,
  -- Time at which the user has seen the notice.
  notified_at INTEGER,
  created_at INTEGER NOT NULL
);

-- Accepted conditions of an operator.
CREATE TABLE operator_usage_conditions (
  server_operator_id INTEGER NOT NULL REFERENCES server_operators ON DELETE CASCADE,
  conditions_commit TEXT NOT NULL,
  accepted_at INTEGER NOT NULL,
  -- 1: accepted because the deadline had passed, without an action of the user.
  auto_accepted INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (server_operator_id, conditions_commit)
) WITHOUT ROWID;

-- Servers of a user.
CREATE TABLE protocol_servers (
  server_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  -- 'smp' or 'xftp'.
  protocol TEXT NOT NULL,
  -- Address, with the password if there is one.
  server TEXT NOT NULL,
  preset INTEGER NOT NULL,
  -- Result of the last test; NULL without a test.
  tested INTEGER,
  enabled INTEGER NOT NULL,
  -- JSON of ServerRolesOverride; NULL for the roles of the operator.
  roles TEXT,
  -- 1 if the server came from the configuration. A server that the user has set has 0, and then the configuration only
  -- adds presets.
  configured INTEGER NOT NULL DEFAULT 0,
  UNIQUE (user_id, server)
);


-- ## Remote control

-- Paired devices that may use this core.
CREATE TABLE remote_controllers (
  remote_ctrl_id INTEGER PRIMARY KEY AUTOINCREMENT,
  ctrl_device_name TEXT NOT NULL,
  -- Authority of this device for the pairing: certificate (DER) and key.
  ca_cert BLOB NOT NULL,
  ca_key BLOB NOT NULL,
  -- SHA-256 of the controller's authority certificate, and the key that signs its invitations and commands.
  ctrl_fingerprint BLOB NOT NULL UNIQUE,
  id_pub BLOB NOT NULL,
  -- Keys of this device in the last session and in the one before. An announcement is for one of them.
  dh_priv_key BLOB NOT NULL,
  prev_dh_priv_key BLOB
);

-- Paired devices whose core this one uses.
CREATE TABLE remote_hosts (
  remote_host_id INTEGER PRIMARY KEY AUTOINCREMENT,
  host_device_name TEXT NOT NULL,
  -- Name of the folder for the files of the host, in the folder of remote hosts.
  store_path TEXT NOT NULL UNIQUE,
  -- Address, interface and port at which this device listened in the last session.
  bind_addr TEXT,
  bind_iface TEXT,
  bind_port INTEGER,
  -- Authority of this device for the pairing: certificate (DER) and key.
  ca_cert BLOB NOT NULL,
  ca_key BLOB NOT NULL,
  -- Private key that signs the invitations and commands of all sessions.
  id_key BLOB NOT NULL,
  -- SHA-256 of the host's authority certificate.
  host_fingerprint BLOB NOT NULL UNIQUE,
  -- Key of the host in the last session.
  host_dh_pub BLOB NOT NULL
);

-- One row at most: name of this device at paired devices.
CREATE TABLE local_device (
  device_id INTEGER PRIMARY KEY CHECK (device_id = 1),
  device_name TEXT NOT NULL
);


-- ## Requests of clients, and deliveries of events

-- Answers of requests with an idempotency key, kept for a day (RequestClaim).
CREATE TABLE requests (
  -- Hash of the idempotency key and its sender.
  request_key BLOB NOT NULL PRIMARY KEY,
  -- Hash of the request: the same key with another request is refused.
  fingerprint BLOB NOT NULL,
  -- NULL if the command may run again; empty if it may have run without an answer (StoredRequest).
  answer BLOB,
  -- Seconds.
  created_at INTEGER NOT NULL,
  -- Connection that the command is joining: a repetition continues with it.
  connection_id INTEGER
);
CREATE INDEX requests_created_at ON requests (created_at);

-- Items in stored answers. A repeated answer contains the items that still exist.
CREATE TABLE request_items (
  request_key BLOB NOT NULL REFERENCES requests ON DELETE CASCADE,
  chat_item_id INTEGER NOT NULL,
  PRIMARY KEY (request_key, chat_item_id)
) WITHOUT ROWID;
CREATE INDEX idx_request_items_item ON request_items (chat_item_id);

-- Subscriptions to events: webhooks, pushes, and consumers, whose workers take the events. Times are milliseconds since
-- 1970 UTC, also in the two tables below.
CREATE TABLE event_subscriptions (
  subscription_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  -- API key whose rights decide which events are sent.
  key_id TEXT NOT NULL,
  -- JSON of the kind, with secrets.
  settings TEXT NOT NULL,
  -- EventSubscription.State.
  state TEXT NOT NULL,
  -- Number of a journal entry. All entries up to it were sent, except those in the table below.
  position INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  -- Time since which all attempts have failed.
  failing_since INTEGER,
  -- Time at which the receiver last accepted an event.
  succeeded_at INTEGER
) WITHOUT ROWID;

-- Journal entries whose state differs from the state that follows from the position.
CREATE TABLE event_subscription_entries (
  subscription_id TEXT NOT NULL REFERENCES event_subscriptions ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  -- SubscribedEntry.State.
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  first_attempt INTEGER,
  next_attempt INTEGER NOT NULL,
  PRIMARY KEY (subscription_id, seq)
) WITHOUT ROWID;

-- Newest attempts of a subscription: at most 1,000.
CREATE TABLE event_delivery_attempts (
  attempt_id INTEGER PRIMARY KEY AUTOINCREMENT,
  subscription_id TEXT NOT NULL REFERENCES event_subscriptions ON DELETE CASCADE,
  -- Id of the event for the receiver.
  event_id TEXT NOT NULL,
  event_type TEXT NOT NULL,
  -- Number of the attempt, from 1.
  attempt INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  -- Milliseconds.
  duration INTEGER NOT NULL,
  -- HTTP status of the answer.
  status INTEGER,
  outcome TEXT NOT NULL,
  error TEXT,
  next_attempt INTEGER
);
CREATE INDEX idx_event_delivery_attempts ON event_delivery_attempts (subscription_id, attempt_id);

-- Private keys by which push services recognise the gateway.
CREATE TABLE event_sender_keys (
  -- Always 'vapid'.
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) WITHOUT ROWID;
