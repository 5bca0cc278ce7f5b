-- Schema of the chat database (simplex_v1_chat.db).
--
-- Times are nanoseconds since 1970 UTC. JSON is stored as received, so that members unknown to this version are kept.
-- Flags are 0 or 1. A chat has the key user_id, chat_type, chat_id (ChatKey in Sources/ChatCore). It has no row of its
-- own, so triggers delete its data. Ids of contacts, groups and members are counted for each user: the ids of one user
-- must not reveal the numbers of another.
--
-- A later change is a new file beside this one, and a new line in schemas.c. A file that was released never changes.

-- ## Journal

-- One row: the epoch of the journal.
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
  -- Nanoseconds.
  event_ts INTEGER NOT NULL,
  -- NULL for an entry of no user.
  user_id INTEGER,
  -- JSON, compressed if that is shorter. Empty if the text is in a block or was removed.
  event BLOB NOT NULL,
  -- For an entry without user: the only user who may read it; 0 for all; NULL if unknown.
  audience INTEGER,
  -- Bytes of all entries up to this one, as they were written.
  stored_end INTEGER NOT NULL DEFAULT 0
);

-- Texts of consecutive entries in one zstd frame. Blocks do not overlap. The rows in events stay, with empty texts.
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
  -- 1 if the entry contains more than items of this chat.
  says_more INTEGER NOT NULL,
  PRIMARY KEY (user_id, chat, chat_item_id, seq)
) WITHOUT ROWID;


-- ## Users

CREATE TABLE users (
  user_id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Id of the user in the agent's database.
  agent_user_id INTEGER NOT NULL,
  contact_profile_id INTEGER NOT NULL,
  local_display_name TEXT NOT NULL UNIQUE,
  active_user INTEGER NOT NULL DEFAULT 0,
  -- The user with the greatest number was active last.
  active_order INTEGER NOT NULL DEFAULT 0,
  -- Hash of the password of a hidden user.
  view_pwd_hash BLOB,
  view_pwd_salt BLOB,
  show_ntfs INTEGER NOT NULL DEFAULT 1,
  send_rcpts_contacts INTEGER NOT NULL DEFAULT 1,
  send_rcpts_small_groups INTEGER NOT NULL DEFAULT 1,
  auto_accept_member_contacts INTEGER NOT NULL DEFAULT 0,
  -- Last number that was given to a contact, so that no number is used twice.
  last_contact_id INTEGER NOT NULL DEFAULT 0,
  -- Last change of the profile that members of groups have to learn.
  user_member_profile_updated_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Seconds; 0 keeps items forever.
  chat_item_ttl INTEGER NOT NULL DEFAULT 0,
  ui_themes TEXT,
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
  display_name TEXT NOT NULL,
  -- JSON as received.
  profile TEXT NOT NULL,
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

-- Names that are in use: a name is unique among the contacts and groups of a user.
CREATE TABLE display_names (
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  local_display_name TEXT NOT NULL,
  -- The chosen name, and the number that makes it unique (0 for none).
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

-- Contacts. Ids are counted for each user. There is no row for the user itself.
CREATE TABLE contacts (
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  contact_id INTEGER NOT NULL,
  contact_profile_id INTEGER NOT NULL REFERENCES contact_profiles,
  local_display_name TEXT NOT NULL,
  -- 0 for a contact that a group has made and that has no chat yet.
  contact_used INTEGER NOT NULL DEFAULT 1,
  contact_status TEXT NOT NULL DEFAULT 'active',
  enable_ntfs TEXT NOT NULL DEFAULT 'all',
  -- NULL for the setting of the user.
  send_rcpts INTEGER,
  favorite INTEGER NOT NULL DEFAULT 0,
  unread_chat INTEGER NOT NULL DEFAULT 0,
  -- JSON of the preferences that the user grants this contact.
  user_preferences TEXT NOT NULL DEFAULT '{}',
  custom_data TEXT,
  ui_themes TEXT,
  -- Seconds; 0 keeps items forever; NULL for the setting of the user.
  chat_item_ttl INTEGER,
  -- 1 if the chat was deleted and the contact was kept.
  chat_deleted INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Time of the last activity, which orders the list of chats.
  chat_ts INTEGER NOT NULL,
  -- The request from which the contact came, until it is accepted.
  contact_request_id INTEGER,
  -- Link of a prepared contact, which is not connected yet (ChatPreparation).
  conn_full_link_to_connect TEXT,
  conn_short_link_to_connect TEXT,
  welcome_shared_msg_id BLOB,
  request_shared_msg_id BLOB,
  -- Unread items, counted by triggers (ChatCounts).
  unread_count INTEGER NOT NULL DEFAULT 0,
  -- Increased by triggers with each change of data that the API shows (ContactInfoCache).
  card_version INTEGER NOT NULL DEFAULT 0,
  -- JSON of a member of a group that is becoming a contact.
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

-- Connections of the agent, of contacts and of members. A row without contact and member is a pending connection.
CREATE TABLE connections (
  connection_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  contact_id INTEGER,
  -- Id of the connection in the agent's database.
  agent_conn_id TEXT NOT NULL UNIQUE,
  conn_status TEXT NOT NULL,
  conn_type TEXT NOT NULL DEFAULT 'contact',
  conn_level INTEGER NOT NULL DEFAULT 0,
  conn_initiated INTEGER NOT NULL DEFAULT 0,
  -- 1 if the user has connected by an address, 0 by a one-time link.
  via_contact_uri INTEGER NOT NULL DEFAULT 0,
  -- Incognito profile of the user for this connection.
  custom_user_profile_id INTEGER REFERENCES contact_profiles,
  conn_full_link TEXT,
  conn_short_link TEXT,
  local_alias TEXT NOT NULL DEFAULT '',
  chat_version INTEGER NOT NULL,
  peer_min_version INTEGER NOT NULL DEFAULT 1,
  peer_max_version INTEGER NOT NULL DEFAULT 1,
  -- Code that the user has verified.
  security_code TEXT,
  security_code_verified_at INTEGER,
  auth_err_counter INTEGER NOT NULL DEFAULT 0,
  quota_err_counter INTEGER NOT NULL DEFAULT 0,
  -- Number of the agent's last message that was handled: a repeated message is dropped.
  last_rcv_msg_id INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Id of the request by which the user connects to an address: the same in each attempt.
  x_contact_id BLOB,
  -- The user's address or group link through which the peer has connected.
  via_user_contact_link INTEGER,
  -- Post-quantum encryption: supported by the peer, chosen, and in use for sent and received messages.
  pq_support INTEGER NOT NULL DEFAULT 0,
  pq_encryption INTEGER NOT NULL DEFAULT 0,
  pq_snd_enabled INTEGER,
  pq_rcv_enabled INTEGER,
  -- Number of the agent's last event that was handled.
  last_agent_event INTEGER NOT NULL DEFAULT 0,
  -- JSON: metadata of the last received message.
  last_rcv_msg_meta TEXT,
  -- The member of a group, instead of a contact.
  group_member_id INTEGER,
  -- The contact who has forwarded the link.
  via_contact INTEGER,
  -- 1 if the user joins a group by its link.
  via_group_link INTEGER NOT NULL DEFAULT 0,
  group_link_id TEXT,
  FOREIGN KEY (user_id, contact_id) REFERENCES contacts ON DELETE CASCADE
);
CREATE INDEX idx_connections_contact ON connections (user_id, contact_id);
CREATE INDEX idx_connections_short_link ON connections (user_id, conn_short_link) WHERE conn_short_link IS NOT NULL;
-- An index of one column alone would be chosen for other queries too, and cost more with each connection.
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

-- Connections that the agent has not deleted yet.
CREATE TABLE retired_connections (
  retired_id INTEGER PRIMARY KEY AUTOINCREMENT,
  agent_conn_id TEXT NOT NULL UNIQUE,
  -- Farewell: 0 tells the peer nothing, 1 tells the peer first, 2 sends earlier messages first.
  farewell INTEGER NOT NULL
);

-- Users of connections that were removed from this database. A row stays until the agent has reported the deletion.
CREATE TABLE deleted_connections (
  agent_conn_id TEXT NOT NULL PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX idx_deleted_connections_user ON deleted_connections (user_id);

-- Probes that came from a contact or a member (Probes).
CREATE TABLE received_probes (
  received_probe_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL,
  -- Either a contact or a member.
  contact_id INTEGER,
  group_member_id INTEGER,
  -- NULL if only the hash has come.
  probe BLOB,
  probe_hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  FOREIGN KEY (user_id, contact_id) REFERENCES contacts ON DELETE CASCADE,
  FOREIGN KEY (user_id, group_member_id) REFERENCES group_members ON DELETE CASCADE
);
CREATE INDEX idx_received_probes_hash ON received_probes (user_id, probe_hash);
CREATE INDEX idx_received_probes_contact ON received_probes (user_id, contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX idx_received_probes_member ON received_probes (user_id, group_member_id)
  WHERE group_member_id IS NOT NULL;

-- Probes that were sent to a contact or a member.
CREATE TABLE sent_probes (
  sent_probe_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL,
  -- Either a contact or a member.
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
  -- Either a contact or a member.
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
  user_contact_link_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL UNIQUE REFERENCES users ON DELETE CASCADE,
  agent_conn_id TEXT NOT NULL UNIQUE,
  conn_full_link TEXT NOT NULL,
  conn_short_link TEXT,
  -- JSON.
  settings TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- 1 if the data of the short link must be replaced, because the profile has changed.
  link_data_stale INTEGER NOT NULL DEFAULT 0,
  -- A number that no row of connections has.
  connection_id INTEGER NOT NULL DEFAULT 0
);

-- Requests to addresses. A request has a contact from the start, and a connection after it was accepted.
CREATE TABLE contact_requests (
  contact_request_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  contact_id INTEGER NOT NULL,
  user_contact_link_id INTEGER REFERENCES user_addresses ON DELETE SET NULL,
  agent_invitation_id BLOB NOT NULL,
  connection_id INTEGER REFERENCES connections ON DELETE SET NULL,
  -- 1 if the agent must still be told about the acceptance.
  accepting INTEGER NOT NULL DEFAULT 0,
  -- Message that is sent as soon as the connection allows.
  auto_reply TEXT,
  peer_min_version INTEGER NOT NULL,
  peer_max_version INTEGER NOT NULL,
  x_contact_id BLOB,
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

-- Requests to the address of a business. Each has a group.
CREATE TABLE business_requests (
  user_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  -- Id by which a repeated request is recognised.
  x_contact_id BLOB,
  welcome_shared_msg_id BLOB,
  -- Message that is sent as soon as the customer can read it.
  auto_reply TEXT,
  PRIMARY KEY (user_id, group_id),
  FOREIGN KEY (user_id, group_id) REFERENCES groups ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX idx_business_requests_id ON business_requests (user_id, x_contact_id) WHERE x_contact_id IS NOT NULL;


-- ## Groups

-- Groups and channels. Ids are counted for each user.
CREATE TABLE groups (
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  group_id INTEGER NOT NULL,
  local_display_name TEXT NOT NULL,
  -- JSON as received.
  profile TEXT NOT NULL,
  local_alias TEXT NOT NULL DEFAULT '',
  -- The user as a member.
  membership_id INTEGER NOT NULL,
  -- Number of members that are in the group now, with the user.
  current_members INTEGER NOT NULL DEFAULT 1,
  -- Number in the group of the next member.
  next_index INTEGER NOT NULL DEFAULT 0,
  enable_ntfs TEXT NOT NULL DEFAULT 'all',
  send_rcpts INTEGER,
  favorite INTEGER NOT NULL DEFAULT 0,
  unread_chat INTEGER NOT NULL DEFAULT 0,
  unread_count INTEGER NOT NULL DEFAULT 0,
  custom_data TEXT,
  ui_themes TEXT,
  chat_item_ttl INTEGER,
  -- Link by which the user joins after an invitation. The contact's item shows the invitation.
  invitation TEXT,
  invitation_item_id INTEGER,
  -- Time at which the user's profile was last sent to the members.
  member_profile_sent_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  chat_ts INTEGER NOT NULL,
  -- JSON of a business chat: the side whose profile the group shows, and the member ids of both sides.
  business TEXT,
  -- Link by which the user has joined.
  via_group_link_uri TEXT,
  -- Link of a prepared group, which is not joined yet (GroupPreparation).
  conn_full_link_to_connect TEXT,
  conn_short_link_to_connect TEXT,
  welcome_shared_msg_id BLOB,
  request_shared_msg_id BLOB,
  -- GroupPreparation.Progress.
  connecting_progress INTEGER NOT NULL DEFAULT 0,
  -- Id of a channel; NULL for an ordinary group.
  public_group_id BLOB,
  -- Public key of the channel.
  root_key BLOB,
  -- The user's private key in the channel.
  member_key BLOB,
  -- Number of members that an owner states.
  public_members INTEGER,
  -- Version of the last applied change of the roster.
  roster_version INTEGER,
  -- Version of the last roster that was applied as a whole.
  complete_roster_version INTEGER,
  -- Time of the next reading of a joined channel's link.
  link_due_at INTEGER NOT NULL DEFAULT 0,
  -- Private key of a channel that the user has created.
  root_private_key BLOB,
  -- 1 while the command that creates the channel is not answered.
  in_progress INTEGER NOT NULL DEFAULT 0,
  -- State of the user as a relay of the channel; NULL if the user does not serve it.
  relay_own_status TEXT,
  -- Time at which the user, as an owner, has last sent the profile (OwnerAgreement).
  profile_said_at INTEGER,
  -- Last version of the roster that the user has written.
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

-- Members, with the user as a member of each group. Ids are counted for each user.
CREATE TABLE group_members (
  user_id INTEGER NOT NULL,
  group_member_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  -- Number in the group, by which sets of members are bits.
  index_in_group INTEGER NOT NULL,
  -- Id that all members know.
  member_id BLOB NOT NULL,
  member_role TEXT NOT NULL,
  member_category TEXT NOT NULL,
  member_status TEXT NOT NULL,
  show_messages INTEGER NOT NULL DEFAULT 1,
  blocked_by_admin INTEGER NOT NULL DEFAULT 0,
  -- Contact of the user; 0 for the user itself; NULL if unknown.
  invited_by INTEGER,
  invited_by_member_id INTEGER,
  local_display_name TEXT NOT NULL,
  -- NULL for the user, and for members who are no contacts.
  contact_id INTEGER,
  contact_profile_id INTEGER NOT NULL REFERENCES contact_profiles,
  -- Profile by which the group knows the user, if it is not the user's own.
  incognito_profile_id INTEGER REFERENCES contact_profiles,
  peer_min_version INTEGER NOT NULL,
  peer_max_version INTEGER NOT NULL,
  -- Link that the user has sent with the invitation.
  invitation TEXT,
  -- Step that remains until the member is connected (MemberSteps), and its link.
  step TEXT,
  step_request TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- 1 if the user is connected to the member, and has not told the admin who has introduced them.
  untold INTEGER NOT NULL DEFAULT 0,
  -- Request of a member who joins by the user's link, until the agent knows about the acceptance.
  join_invitation BLOB,
  -- 1 if the member at whose link the user has joined has sent its profile.
  link_profile_received INTEGER NOT NULL DEFAULT 0,
  -- Time of the last activity in the member's support chat; NULL if there is none.
  support_ts INTEGER,
  -- Unread items of the support chat, counted by triggers (ChatCounts).
  unread_count INTEGER NOT NULL DEFAULT 0,
  -- Number of the member's messages that wait for an answer.
  support_attention INTEGER NOT NULL DEFAULT 0,
  support_mentions INTEGER NOT NULL DEFAULT 0,
  support_last_message_ts INTEGER,
  -- Id of the group's description that the member already has from the link.
  welcome_shared_msg_id BLOB,
  -- Public key of the member.
  member_key BLOB,
  -- Link of a member that is a relay.
  relay_link TEXT,
  -- Version of the last roster that this relay has sent to the member.
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

-- Pairs of members that the user has introduced to each other. A row stays until one of them reports the connection.
CREATE TABLE group_introductions (
  user_id INTEGER NOT NULL,
  new_member_id INTEGER NOT NULL,
  to_member_id INTEGER NOT NULL,
  -- 1 if the earlier member has reported the connection.
  to_connected INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, new_member_id, to_member_id),
  FOREIGN KEY (user_id, new_member_id) REFERENCES group_members ON DELETE CASCADE,
  FOREIGN KEY (user_id, to_member_id) REFERENCES group_members ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX idx_group_introductions_to ON group_introductions (user_id, to_member_id);

-- Members to whom the user has introduced a member that waits for a review.
CREATE TABLE review_introductions (
  user_id INTEGER NOT NULL,
  new_member_id INTEGER NOT NULL,
  to_member_id INTEGER NOT NULL,
  PRIMARY KEY (user_id, new_member_id, to_member_id),
  FOREIGN KEY (user_id, new_member_id) REFERENCES group_members ON DELETE CASCADE
) WITHOUT ROWID;

-- Link of a group, by which others join.
CREATE TABLE group_links (
  -- Counted together with the addresses of users.
  user_contact_link_id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  connection_id INTEGER NOT NULL,
  agent_conn_id TEXT NOT NULL UNIQUE,
  conn_full_link TEXT NOT NULL,
  conn_short_link TEXT,
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
  item_member_id BLOB NOT NULL,
  shared_msg_id BLOB NOT NULL,
  moderator_member_id INTEGER NOT NULL,
  moderated_at INTEGER NOT NULL,
  UNIQUE (user_id, group_id, item_member_id, shared_msg_id),
  FOREIGN KEY (user_id, group_id) REFERENCES groups ON DELETE CASCADE
);

-- Times of the user's last changes of a group (GroupAgreement).
CREATE TABLE own_group_changes (
  user_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  subject TEXT NOT NULL,
  -- The changed member, or 0.
  group_member_id INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, group_id, subject, group_member_id),
  FOREIGN KEY (user_id, group_id) REFERENCES groups ON DELETE CASCADE
) WITHOUT ROWID;

-- Ids of messages that may arrive twice: from the author, and forwarded.
CREATE TABLE received_group_messages (
  received_id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  author_member_id INTEGER NOT NULL,
  shared_msg_id BLOB NOT NULL,
  -- The member who has forwarded the message; NULL if it came from its author.
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
  relay_profile TEXT NOT NULL,
  -- Separated by commas.
  domains TEXT NOT NULL,
  preset INTEGER NOT NULL,
  tested INTEGER,
  enabled INTEGER NOT NULL,
  deleted INTEGER NOT NULL DEFAULT 0,
  UNIQUE (user_id, address)
);

-- Connections of tests of relays that are not deleted yet.
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
  relay_link TEXT,
  -- Confirmation of the agent with the relay's answer, until it is accepted.
  confirmation_id BLOB,
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

-- Parts of file descriptions that relays of a channel forward, apart for each relay (ChannelDescriptions).
CREATE TABLE channel_descriptions (
  file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
  -- The relay.
  group_member_id INTEGER NOT NULL,
  part_no INTEGER NOT NULL,
  descr_text TEXT NOT NULL,
  PRIMARY KEY (file_id, group_member_id)
) WITHOUT ROWID;

-- Rosters that are being received, one from each relay.
CREATE TABLE roster_transfers (
  user_id INTEGER NOT NULL,
  -- The relay.
  group_member_id INTEGER NOT NULL,
  shared_msg_id BLOB NOT NULL,
  author_member_id INTEGER NOT NULL,
  roster_version INTEGER NOT NULL,
  size INTEGER NOT NULL,
  digest BLOB NOT NULL,
  next_chunk INTEGER NOT NULL DEFAULT 1,
  bytes BLOB NOT NULL,
  -- Message with the roster as its owner has signed it.
  message BLOB,
  sent_at INTEGER,
  PRIMARY KEY (user_id, group_member_id),
  FOREIGN KEY (user_id, group_member_id) REFERENCES group_members ON DELETE CASCADE
) WITHOUT ROWID;


-- ## Channels that this store serves as a relay

-- Channels that the user serves as a relay.
CREATE TABLE served_channels (
  user_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  channel_link TEXT NOT NULL,
  -- Request of the owner, until it is answered.
  invitation BLOB,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER NOT NULL DEFAULT 0,
  inactive_at INTEGER,
  -- Last roster, with the message that its owner has signed.
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

-- Members to whom a relay has announced a member.
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
  -- Member of the support chat, or 0 for the group.
  support_member_id INTEGER NOT NULL,
  author_member_id INTEGER NOT NULL,
  -- The message with its signatures.
  element BLOB NOT NULL,
  includes_joining INTEGER NOT NULL,
  -- 1 if the relay stops serving the channel after this message.
  ends_service INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  FOREIGN KEY (user_id, group_id) REFERENCES groups ON DELETE CASCADE
);
CREATE INDEX idx_relay_tasks ON relay_tasks (user_id, group_id, support_member_id, task_id);

-- Bodies that a relay is forwarding to members. The jobs of a group run one after the other.
CREATE TABLE relay_jobs (
  job_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  support_member_id INTEGER NOT NULL,
  body_id INTEGER NOT NULL,
  -- JSON: author of each message in the body.
  author_member_ids TEXT NOT NULL,
  includes_joining INTEGER NOT NULL,
  ends_service INTEGER NOT NULL,
  -- index_in_group of the last member who has the body.
  cursor INTEGER NOT NULL DEFAULT -1,
  -- Arrival of the first message.
  created_at INTEGER NOT NULL,
  FOREIGN KEY (user_id, group_id) REFERENCES groups ON DELETE CASCADE
);
CREATE INDEX idx_relay_jobs ON relay_jobs (user_id, group_id, support_member_id, job_id);
CREATE TRIGGER relay_job_gone AFTER DELETE ON relay_jobs
BEGIN
  DELETE FROM message_bodies WHERE body_id = OLD.body_id AND deliveries <= 1;
  UPDATE message_bodies SET deliveries = deliveries - 1 WHERE body_id = OLD.body_id;
END;

-- Connections of a relay that serve for a single answer.
CREATE TABLE passing_connections (
  agent_conn_id TEXT NOT NULL PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  -- 1 if the peer answers, 0 if this side does.
  is_answered INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;


-- ## Chats and items

-- Items of chats. Deleted content is removed or replaced, never only hidden.
CREATE TABLE chat_items (
  chat_item_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  -- 0 contact, 1 group, 2 notes, 3 support chat of a member (ChatKey).
  chat_type INTEGER NOT NULL,
  chat_id INTEGER NOT NULL,
  created_by_msg_id INTEGER,
  item_sent INTEGER NOT NULL,
  -- Time of sending, by the clock of the relay.
  item_ts INTEGER NOT NULL,
  item_status TEXT NOT NULL,
  -- JSON of CIContent.
  item_content TEXT NOT NULL,
  -- JSON of the content as received.
  msg_content TEXT,
  msg_content_tag TEXT,
  item_text TEXT NOT NULL,
  -- JSON of the markup; NULL if it was not parsed yet (ItemMarkup).
  formatted_text TEXT,
  -- Id of the message that all participants know.
  shared_msg_id BLOB,
  -- JSON of the quotation as received.
  quoted_item TEXT,
  quoted_shared_msg_id BLOB,
  item_forwarded TEXT,
  -- Chat and item from which the item was forwarded.
  forwarded_chat_type INTEGER,
  forwarded_chat_id INTEGER,
  forwarded_item_id INTEGER,
  item_deleted INTEGER NOT NULL DEFAULT 0,
  item_deleted_ts INTEGER,
  item_edited INTEGER NOT NULL DEFAULT 0,
  -- 1 while a live message is being written.
  item_live INTEGER,
  -- Seconds until the item disappears, and the time at which that happens.
  timed_ttl INTEGER,
  timed_delete_at INTEGER,
  via_proxy INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Member who has written the item; NULL for the user, and in chats with one peer.
  author_member_id INTEGER,
  -- 1 if the text has a link (ItemLinks).
  has_link INTEGER NOT NULL DEFAULT 0,
  -- Member who has forwarded the message of its author.
  forwarded_by_member_id INTEGER,
  -- JSON of the mentioned members, and 1 if the user is one of them.
  mentions TEXT,
  user_mention INTEGER NOT NULL DEFAULT 0,
  -- Moderator who has deleted the item.
  item_deleted_by INTEGER,
  -- Time that orders the item in its chat (ItemOrder).
  order_ts INTEGER NOT NULL DEFAULT 0,
  -- Author of the quoted message; 0 for the user; NULL in chats with one peer.
  quoted_member_id INTEGER,
  -- 1 if the group itself is shown as the sender.
  show_group_as_sender INTEGER NOT NULL DEFAULT 0,
  -- Group of an item in a support chat.
  support_group_id INTEGER,
  -- File of the item (files).
  file_id INTEGER,
  -- State of the signature of a channel's message.
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

-- Earlier contents of edited items.
CREATE TABLE chat_item_versions (
  chat_item_version_id INTEGER PRIMARY KEY AUTOINCREMENT,
  chat_item_id INTEGER NOT NULL REFERENCES chat_items ON DELETE CASCADE,
  msg_content TEXT NOT NULL,
  item_version_ts INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX idx_chat_item_versions_item ON chat_item_versions (chat_item_id);

-- Reactions to items. The item is named by its shared id, since the reaction may come first.
CREATE TABLE chat_item_reactions (
  chat_item_reaction_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  chat_type INTEGER NOT NULL,
  chat_id INTEGER NOT NULL,
  shared_msg_id BLOB NOT NULL,
  reaction_sent INTEGER NOT NULL,
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
  status TEXT NOT NULL,
  via_proxy INTEGER,
  PRIMARY KEY (chat_item_id, group_member_id)
) WITHOUT ROWID;

-- Counts of the rows of group_item_statuses, so that a changed status costs the same in groups of any size.
CREATE TABLE group_item_totals (
  chat_item_id INTEGER PRIMARY KEY REFERENCES chat_items ON DELETE CASCADE,
  members INTEGER NOT NULL,
  sent INTEGER NOT NULL DEFAULT 0,
  received INTEGER NOT NULL DEFAULT 0,
  -- Receipts of another text than the sent one.
  received_other INTEGER NOT NULL DEFAULT 0
);

-- Numbers of items of a chat and a day (ChatCounts). A day is 86,400 seconds of UTC.
CREATE TABLE chat_item_days (
  user_id INTEGER NOT NULL,
  chat_type INTEGER NOT NULL,
  chat_id INTEGER NOT NULL,
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

-- Call of a contact that has not ended.
CREATE TABLE calls (
  user_id INTEGER NOT NULL,
  contact_id INTEGER NOT NULL,
  shared_call_id BLOB NOT NULL,
  call_uuid TEXT NOT NULL,
  -- Item of the call.
  chat_item_id INTEGER NOT NULL,
  -- 1 if the user has started the call.
  item_sent INTEGER NOT NULL,
  call_state TEXT NOT NULL,
  call_status TEXT NOT NULL,
  connected_at INTEGER,
  call_ts INTEGER NOT NULL,
  PRIMARY KEY (user_id, contact_id),
  FOREIGN KEY (user_id, contact_id) REFERENCES contacts ON DELETE CASCADE
) WITHOUT ROWID;


-- ## Messages

-- Received messages that are not handled (UnhandledMessages). The content of other messages is only in their items.
CREATE TABLE messages (
  message_id INTEGER PRIMARY KEY,
  connection_id INTEGER REFERENCES connections ON DELETE CASCADE,
  -- Name of the event in the chat protocol.
  chat_msg_event TEXT NOT NULL,
  msg_body BLOB NOT NULL,
  shared_msg_id BLOB,
  agent_msg_id INTEGER,
  created_at INTEGER NOT NULL
);
CREATE INDEX idx_messages_connection ON messages (connection_id);

-- Bodies of messages to send, one row for all recipients.
CREATE TABLE message_bodies (
  body_id INTEGER PRIMARY KEY,
  -- Number of rows that refer to the body.
  deliveries INTEGER NOT NULL,
  body BLOB NOT NULL
);

-- Outbox: messages for the agent, one row for each connection. The row is written in the transaction of the change,
-- and stays until the agent has reported the result. The agent knows its number, and accepts it once.
CREATE TABLE deliveries (
  delivery_id INTEGER PRIMARY KEY AUTOINCREMENT,
  connection_id INTEGER NOT NULL REFERENCES connections ON DELETE CASCADE,
  -- NULL after the result is known.
  body_id INTEGER,
  -- The item may be deleted.
  chat_item_id INTEGER,
  msg_flags INTEGER NOT NULL DEFAULT 0,
  -- Number of the message at the agent, after it has accepted the message.
  agent_msg_id INTEGER,
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
  group_member_id INTEGER NOT NULL,
  body_id INTEGER NOT NULL,
  chat_item_id INTEGER,
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

-- Files of items, and descriptions that are files themselves. A file is deleted with its item.
CREATE TABLE files (
  file_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  -- NULL for a file without item.
  chat_item_id INTEGER REFERENCES chat_items ON DELETE CASCADE,
  is_sent INTEGER NOT NULL,
  protocol TEXT NOT NULL,
  file_name TEXT NOT NULL,
  file_size INTEGER NOT NULL,
  chunk_size INTEGER NOT NULL,
  -- Name in the folder for files, or an absolute path.
  file_path TEXT,
  -- Key of the file on the disk; NULL if it is not encrypted.
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
  -- FileTask.
  task INTEGER NOT NULL DEFAULT 0,
  -- Sent file: number of recipients, and the description by which it is deleted from the servers.
  recipients INTEGER NOT NULL DEFAULT 0,
  sender_descr TEXT,
  -- Received file: FileStatus, sender, and the wishes of the user.
  transfer_status TEXT NOT NULL DEFAULT 'new',
  group_member_id INTEGER,
  to_receive INTEGER NOT NULL DEFAULT 0,
  approved_relays INTEGER NOT NULL DEFAULT 0,
  descr_id INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Mode of a file that comes inside messages (InlineFiles).
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

-- Descriptions from which files are received, in parts.
CREATE TABLE file_descriptions (
  descr_id INTEGER PRIMARY KEY AUTOINCREMENT,
  file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
  descr_text TEXT NOT NULL,
  part_no INTEGER NOT NULL,
  is_complete INTEGER NOT NULL
);
CREATE INDEX idx_file_descriptions_file ON file_descriptions (file_id);

-- Recipients of a sent file, each with its own description.
CREATE TABLE snd_files (
  snd_file_id INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
  -- Connection of the recipient, or a member whose connection is not ready.
  connection_id INTEGER REFERENCES connections ON DELETE CASCADE,
  group_member_id INTEGER,
  descr_id INTEGER,
  file_status TEXT NOT NULL DEFAULT 'new',
  -- Message with the last part of the description.
  delivery_id INTEGER
);
CREATE INDEX idx_snd_files_file ON snd_files (file_id);
CREATE INDEX idx_snd_files_connection ON snd_files (connection_id) WHERE connection_id IS NOT NULL;
CREATE INDEX idx_snd_files_delivery ON snd_files (delivery_id) WHERE delivery_id IS NOT NULL;

-- Chunks of files that come inside messages.
CREATE TABLE inline_chunks (
  file_id INTEGER NOT NULL REFERENCES files ON DELETE CASCADE,
  -- From 1.
  chunk_no INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (file_id, chunk_no)
) WITHOUT ROWID;

-- Files on the disk that no item uses yet.
CREATE TABLE uploads (
  file_path TEXT NOT NULL PRIMARY KEY,
  user_id INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Uploads that can be resumed.
CREATE TABLE partial_uploads (
  upload_id TEXT NOT NULL PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  file_name TEXT NOT NULL,
  -- NULL for a file that is stored without encryption.
  file_key TEXT,
  file_nonce TEXT,
  file_size INTEGER,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX idx_partial_uploads_user ON partial_uploads (user_id);
CREATE INDEX idx_partial_uploads_age ON partial_uploads (updated_at);

-- Remaining work of deleted files: on the disk, at the agent, and on the servers.
CREATE TABLE retired_files (
  retired_id INTEGER PRIMARY KEY AUTOINCREMENT,
  file_path TEXT,
  -- The agent must delete the file.
  agent_file_id TEXT,
  is_sent INTEGER NOT NULL,
  -- The servers must delete the chunks.
  sender_descr TEXT,
  agent_user_id INTEGER
);

-- One row: number and size of all files on the disk, counted by triggers.
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
  file_size INTEGER NOT NULL DEFAULT 0,
  -- Time of the last change of the file.
  modified_at INTEGER NOT NULL DEFAULT 0,
  -- Key of the object. It is independent of the key of the file.
  seal_key TEXT,
  seal_nonce TEXT,
  -- StoredObject.State: 0 being stored, 1 stored, 2 to be deleted.
  object_state INTEGER NOT NULL,
  -- The object is not deleted before.
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
  -- Items below are in spans.
  covered INTEGER NOT NULL,
  -- Changes of items below are recorded in search_changed.
  watched INTEGER NOT NULL,
  -- Numbers of changes of search_spans and search_sizes.
  spans_written INTEGER NOT NULL DEFAULT 0,
  sizes_written INTEGER NOT NULL DEFAULT 0
);
INSERT INTO search_state (covered, watched) VALUES (0, 0);

-- Items that have changed after their span was written. A repeated change gets a new number.
CREATE TABLE search_changed (
  note INTEGER PRIMARY KEY AUTOINCREMENT,
  chat_item_id INTEGER NOT NULL UNIQUE
);

-- Large spans with lists of items that have changed or are deleted.
CREATE TABLE search_stale (
  large_span INTEGER PRIMARY KEY
);

-- Usable spans, with the time ranges of their items.
CREATE TABLE search_spans (
  is_large INTEGER NOT NULL,
  -- Items with an id of span × size up to (span + 1) × size; the size is 128 or 16,384 (SearchSpan).
  span INTEGER NOT NULL,
  first_ts INTEGER NOT NULL,
  last_ts INTEGER NOT NULL,
  first_created INTEGER NOT NULL,
  last_created INTEGER NOT NULL,
  -- Greatest time by which an item is later than one with a greater id; NULL if unknown.
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

-- Lists of items with a trigram, by trigram and span in one integer.
CREATE TABLE search_large_lists (
  list INTEGER PRIMARY KEY,
  items BLOB NOT NULL
);

-- The same for small spans.
CREATE TABLE search_small_lists (
  list INTEGER PRIMARY KEY,
  items BLOB NOT NULL
);

-- Bytes of all lists of a trigram in large spans.
CREATE TABLE search_totals (
  gram INTEGER PRIMARY KEY,
  bytes INTEGER NOT NULL
);

-- One row: all rows of search_totals together (ListSizes).
CREATE TABLE search_sizes (
  sizes BLOB NOT NULL,
  -- Bloom filter of all large spans; NULL if one of them has none.
  runs BLOB
);
INSERT INTO search_sizes (sizes) VALUES (x'');


-- ## Servers

-- Operators of servers.
CREATE TABLE server_operators (
  server_operator_id INTEGER PRIMARY KEY AUTOINCREMENT,
  server_operator_tag TEXT UNIQUE,
  trade_name TEXT NOT NULL,
  legal_name TEXT,
  server_domains TEXT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1,
  -- JSON, like the roles for files.
  smp_roles TEXT NOT NULL,
  xftp_roles TEXT NOT NULL
);

-- Versions of the conditions of use.
CREATE TABLE usage_conditions (
  usage_conditions_id INTEGER PRIMARY KEY,
  conditions_commit TEXT NOT NULL UNIQUE,
  notified_at INTEGER,
  created_at INTEGER NOT NULL
);

-- Accepted conditions of an operator.
CREATE TABLE operator_usage_conditions (
  server_operator_id INTEGER NOT NULL REFERENCES server_operators ON DELETE CASCADE,
  conditions_commit TEXT NOT NULL,
  accepted_at INTEGER NOT NULL,
  auto_accepted INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (server_operator_id, conditions_commit)
) WITHOUT ROWID;

-- Servers of a user.
CREATE TABLE protocol_servers (
  server_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  protocol TEXT NOT NULL,
  -- Address, with the password if there is one.
  server TEXT NOT NULL,
  preset INTEGER NOT NULL,
  tested INTEGER,
  enabled INTEGER NOT NULL,
  -- JSON; NULL for the roles of the operator.
  roles TEXT,
  -- 1 if the configuration names the server. Such servers follow the configuration until the user sets its servers.
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
  -- SHA-256 of the controller's authority certificate, and the key that signs its commands.
  ctrl_fingerprint BLOB NOT NULL UNIQUE,
  id_pub BLOB NOT NULL,
  -- Keys of this device of the last session and of the one before: an announcement is for one of them.
  dh_priv_key BLOB NOT NULL,
  prev_dh_priv_key BLOB
);

-- Paired devices whose core this one uses.
CREATE TABLE remote_hosts (
  remote_host_id INTEGER PRIMARY KEY AUTOINCREMENT,
  host_device_name TEXT NOT NULL,
  -- Folder for the files of the host, below the folder of remote hosts.
  store_path TEXT NOT NULL UNIQUE,
  bind_addr TEXT,
  bind_iface TEXT,
  bind_port INTEGER,
  ca_cert BLOB NOT NULL,
  ca_key BLOB NOT NULL,
  -- Signs the commands of all sessions.
  id_key BLOB NOT NULL,
  host_fingerprint BLOB NOT NULL UNIQUE,
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
  request_key BLOB NOT NULL PRIMARY KEY,
  -- Hash of the request: the same key with another request is refused.
  fingerprint BLOB NOT NULL,
  -- NULL until the request has an answer.
  answer BLOB,
  created_at INTEGER NOT NULL,
  -- Connection of a request without an answer, which may run again.
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

-- Subscriptions to which the gateway delivers events: webhooks and pushes.
CREATE TABLE event_subscriptions (
  subscription_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  key_id TEXT NOT NULL,
  -- JSON.
  settings TEXT NOT NULL,
  state TEXT NOT NULL,
  -- Number of the last journal entry that was taken over.
  position INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  failing_since INTEGER,
  succeeded_at INTEGER
) WITHOUT ROWID;

-- Entries of the journal that a subscription has not finished.
CREATE TABLE event_subscription_entries (
  subscription_id TEXT NOT NULL REFERENCES event_subscriptions ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  first_attempt INTEGER,
  next_attempt INTEGER NOT NULL,
  PRIMARY KEY (subscription_id, seq)
) WITHOUT ROWID;

-- Last attempts of a subscription.
CREATE TABLE event_delivery_attempts (
  attempt_id INTEGER PRIMARY KEY AUTOINCREMENT,
  subscription_id TEXT NOT NULL REFERENCES event_subscriptions ON DELETE CASCADE,
  event_id TEXT NOT NULL,
  event_type TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  duration INTEGER NOT NULL,
  status INTEGER,
  outcome TEXT NOT NULL,
  error TEXT,
  next_attempt INTEGER
);
CREATE INDEX idx_event_delivery_attempts ON event_delivery_attempts (subscription_id, attempt_id);

-- Keys of the gateway by which receivers recognise it.
CREATE TABLE event_sender_keys (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) WITHOUT ROWID;
