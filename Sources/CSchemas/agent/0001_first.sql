-- Schema of the agent's database (simplex_v1_agent.db).
--
-- Times are seconds since 1970 UTC. Flags are 0 or 1. A name such as QueueStatus is a type in Sources, which defines
-- the values. A remark may describe more than one of the columns after it. Keys and messages have no separate
-- encryption, since the whole file is encrypted. The caller is ChatCore.
--
-- A later change is a new file beside this one, and a new line in schemas.c. A file that was released never changes.

-- ## Users and servers

-- Users of the chat database, by their ids at the agent.
CREATE TABLE users (
  user_id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- 1 if the user was deleted. The row stays.
  deleted INTEGER NOT NULL DEFAULT 0
);

-- Relays for the queues of a user.
CREATE TABLE servers (
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  -- Place in the order of the list, from 0.
  position INTEGER NOT NULL,
  -- Address, with the password if there is one.
  address TEXT NOT NULL,
  -- Operator in the chat database.
  operator_id INTEGER,
  -- 1 if the relay is used for new queues.
  storage INTEGER NOT NULL DEFAULT 1,
  -- 1 if the relay is used as a proxy to relays of other operators.
  proxy INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (user_id, position)
) WITHOUT ROWID;

-- Servers for files of a user.
CREATE TABLE file_servers (
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  position INTEGER NOT NULL,
  address TEXT NOT NULL,
  operator_id INTEGER,
  -- 1 if the server is used for new files.
  storage INTEGER NOT NULL,
  proxy INTEGER NOT NULL,
  PRIMARY KEY (user_id, position)
) WITHOUT ROWID;

-- Counters of each relay, in the order of ServerStatistics.fields, separated by spaces.
CREATE TABLE servers_stats (
  user_id INTEGER NOT NULL,
  server TEXT NOT NULL,
  counts TEXT NOT NULL,
  PRIMARY KEY (user_id, server)
) WITHOUT ROWID;

-- Counters of each server for files, in the order of FileServerStatistics.fields, separated by spaces.
CREATE TABLE file_servers_stats (
  user_id INTEGER NOT NULL,
  server TEXT NOT NULL,
  counts TEXT NOT NULL,
  PRIMARY KEY (user_id, server)
) WITHOUT ROWID;

-- One row: time at which the counters began.
CREATE TABLE servers_stats_start (
  started_at INTEGER NOT NULL
);

-- Notices of relays about blocked queues (ClientNotices).
CREATE TABLE client_notices (
  server TEXT NOT NULL,
  rcv_id BLOB NOT NULL,
  -- Seconds; NULL for a notice that does not expire.
  ttl INTEGER,
  -- Arrival of the first notice about the queue.
  created_at INTEGER NOT NULL,
  PRIMARY KEY (server, rcv_id)
) WITHOUT ROWID;


-- ## Connections

-- Connections, and the addresses and group links of users.
CREATE TABLE connections (
  conn_id BLOB PRIMARY KEY NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users,
  -- Version of the agent protocol that both sides use.
  agent_version INTEGER NOT NULL,
  -- Own keys for the ratchet, until it exists.
  e2e_keys BLOB,
  ratchet BLOB,
  -- Last number that the agent has assigned to a sent or received message.
  last_internal_id INTEGER NOT NULL DEFAULT 0,
  -- Number and SHA-256 of the last sent message. The next message contains the hash.
  last_snd_id INTEGER NOT NULL DEFAULT 0,
  last_snd_hash BLOB NOT NULL DEFAULT x'',
  -- Number and SHA-256 of the peer's last message, by which lost messages are recognised.
  last_external_snd_id INTEGER NOT NULL DEFAULT 0,
  last_rcv_hash BLOB NOT NULL DEFAULT x'',
  -- Key of the peer with which the receive queue must be secured (KEY), before HELLO is sent.
  pending_sender_key BLOB,
  -- 1 if the connection is deleted as soon as its outbox is empty.
  delete_when_sent INTEGER NOT NULL DEFAULT 0,
  -- 1 if the connection is an address or a group link: only requests come to it.
  is_address INTEGER NOT NULL DEFAULT 0,
  -- 1 if messages leave room for the headers of post-quantum encryption.
  pq_support INTEGER NOT NULL DEFAULT 0,
  -- RatchetSync: state of the agreement on a new ratchet.
  ratchet_sync TEXT NOT NULL DEFAULT 'ok'
);
CREATE INDEX connections_user ON connections (user_id);

-- Queues from which a connection receives. A connection that changes its queue has the replacement too.
CREATE TABLE rcv_queues (
  server TEXT NOT NULL,
  rcv_id BLOB NOT NULL,
  conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE,
  -- Private key for commands of the recipient, and the secret shared with the relay.
  rcv_key BLOB NOT NULL,
  rcv_dh_secret BLOB NOT NULL,
  -- Id of the queue for the sender.
  snd_id BLOB NOT NULL,
  -- QueueMode: 'M' for messages, 'C' for requests; NULL if the queue has no mode.
  mode TEXT,
  -- Key of this side, and the secret shared with the sender. The secret exists after the sender's first message.
  e2e_private_key BLOB NOT NULL,
  e2e_secret BLOB,
  -- Version of the SMP client protocol.
  client_version INTEGER NOT NULL,
  -- QueueStatus.
  status TEXT NOT NULL,
  -- 1 for the queue that replaces the other one.
  is_replacement INTEGER NOT NULL DEFAULT 0,
  -- Old queue: QueueSwitch.RcvStatus, the progress of the replacement.
  switch_status TEXT,
  -- Key with which the sender wants the replacement to be secured.
  sender_key BLOB,
  -- Number of messages of the queue that could not be stored. A message is given up only after this number is written:
  -- the write shows that the database accepts changes.
  refused_messages INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (server, rcv_id)
) WITHOUT ROWID;
CREATE INDEX rcv_queues_conn ON rcv_queues (conn_id);

-- Queues to which a connection sends. A connection that changes its queue has the replacement too.
CREATE TABLE snd_queues (
  conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE,
  server TEXT NOT NULL,
  snd_id BLOB NOT NULL,
  -- Private key for commands of the sender.
  snd_key BLOB NOT NULL,
  -- Key of this side, and the secret shared with the recipient.
  e2e_public_key BLOB NOT NULL,
  e2e_secret BLOB NOT NULL,
  -- The mode of the queue, as in rcv_queues.
  mode TEXT,
  client_version INTEGER NOT NULL,
  -- QueueStatus.
  status TEXT NOT NULL,
  -- 1 for the queue that replaces the other one.
  is_replacement INTEGER NOT NULL DEFAULT 0,
  -- Old queue: QueueSwitch.SndStatus, the progress of the replacement.
  switch_status TEXT,
  PRIMARY KEY (conn_id, server, snd_id)
) WITHOUT ROWID;

-- Queues that must be deleted on their relays.
CREATE TABLE deleted_queues (
  server TEXT NOT NULL,
  rcv_id BLOB NOT NULL,
  conn_id BLOB NOT NULL,
  user_id INTEGER NOT NULL,
  rcv_key BLOB NOT NULL,
  rcv_dh_secret BLOB NOT NULL,
  deleted_at INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (server, rcv_id)
) WITHOUT ROWID;

-- Confirmations of peers. After the acceptance, a row also has the own answer and keys, until the answer was sent.
CREATE TABLE confirmations (
  confirmation_id BLOB PRIMARY KEY NOT NULL,
  conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE,
  -- Key of the peer that secures the receive queue.
  sender_key BLOB,
  -- Queue of the peer, to which the answer goes.
  reply_queue BLOB NOT NULL,
  -- Own answer; NULL until the caller accepts.
  own_info BLOB,
  -- Keys for the peer's queue, until the answer to the confirmation can be sent to it.
  snd_key BLOB,
  snd_e2e_public_key BLOB,
  snd_e2e_secret BLOB
);
CREATE INDEX confirmations_conn ON confirmations (conn_id);

-- Events that the caller has not handled yet.
CREATE TABLE events (
  event_id INTEGER PRIMARY KEY AUTOINCREMENT,
  conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE,
  -- PendingEvent.Kind.
  kind TEXT NOT NULL,
  -- Id of a confirmation, or of a request.
  confirmation_id BLOB,
  -- Information of the peer, or the data of another kind of event.
  conn_info BLOB,
  -- Number of starts that have delivered the event of an earlier run.
  attempts INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX events_conn ON events (conn_id);

-- Accepted requests whose invitations must be joined.
CREATE TABLE pending_joins (
  conn_id BLOB PRIMARY KEY NOT NULL REFERENCES connections ON DELETE CASCADE,
  -- Link of the invitation in the request.
  request TEXT NOT NULL,
  -- Own information for the peer.
  conn_info BLOB NOT NULL
) WITHOUT ROWID;


-- ## Links

-- Requests to addresses that are neither accepted nor rejected.
CREATE TABLE invitations (
  invitation_id BLOB PRIMARY KEY NOT NULL,
  conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE,
  -- Link of the invitation in the request.
  request TEXT NOT NULL,
  received_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX invitations_conn ON invitations (conn_id);

-- Short links of own invitations and addresses, with the keys for changes of their data.
CREATE TABLE short_links (
  conn_id BLOB PRIMARY KEY NOT NULL REFERENCES connections ON DELETE CASCADE,
  -- Key of the link, from which the keys of its data are derived, and the private key that signs the data.
  link_key BLOB NOT NULL,
  root_key BLOB NOT NULL,
  -- Id of the link of an invitation. An address derives it from link_key.
  link_id BLOB,
  -- Data of the link that never changes; NULL if it is unknown.
  fixed_data BLOB
) WITHOUT ROWID;

-- Keys to which invitations were bound when their short links were read, kept for half a year.
CREATE TABLE invitation_keys (
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  server TEXT NOT NULL,
  link_id BLOB NOT NULL,
  snd_key BLOB NOT NULL,
  -- Id of the queue, after the relay has bound it to the key.
  snd_id BLOB,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, server, link_id)
) WITHOUT ROWID;
CREATE INDEX invitation_keys_snd_id ON invitation_keys (user_id, snd_id);


-- ## Ratchets

-- Chains of ratchets with keys of messages that have not arrived. The oldest chains are deleted first.
CREATE TABLE skipped_chains (
  chain_id INTEGER PRIMARY KEY,
  conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE,
  header_key BLOB NOT NULL,
  -- Number of keys, and time of the last addition.
  keys INTEGER NOT NULL,
  kept_at INTEGER NOT NULL,
  UNIQUE (conn_id, header_key)
);

-- Keys of messages that have not arrived.
CREATE TABLE skipped_keys (
  chain_id INTEGER NOT NULL REFERENCES skipped_chains ON DELETE CASCADE,
  -- Number of the message in its chain.
  number INTEGER NOT NULL,
  -- Key (32 bytes) and IV (16 bytes).
  message_key BLOB NOT NULL,
  PRIMARY KEY (chain_id, number)
) WITHOUT ROWID;

-- Keys of the peer for a new ratchet that were used. Each key makes one ratchet.
CREATE TABLE ratchet_key_hashes (
  conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE,
  hash BLOB NOT NULL,
  PRIMARY KEY (conn_id, hash)
) WITHOUT ROWID;


-- ## Messages

-- Received messages that the caller has not acknowledged.
CREATE TABLE rcv_messages (
  conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE,
  -- Number that the agent has assigned to the message, in the order of arrival.
  internal_id INTEGER NOT NULL,
  server TEXT NOT NULL,
  rcv_id BLOB NOT NULL,
  -- Id of the message at the relay.
  broker_id BLOB NOT NULL,
  -- Times of arrival at the relay and at this agent.
  broker_ts INTEGER NOT NULL,
  internal_ts INTEGER NOT NULL,
  -- Number that the sender has assigned.
  external_snd_id INTEGER NOT NULL,
  -- MessageIntegrity in its stored form.
  integrity TEXT NOT NULL,
  -- 1 if the sender wants a notification.
  notify INTEGER NOT NULL,
  body BLOB NOT NULL,
  pq_encryption INTEGER NOT NULL DEFAULT 0,
  -- SHA-256 of the whole agent message, for the receipt.
  hash BLOB NOT NULL DEFAULT x'',
  -- Number of starts that have delivered the message of an earlier run.
  attempts INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (conn_id, internal_id)
) WITHOUT ROWID;

-- Hashes of received ciphertexts, by which a repeated message is recognised. They are kept for 30 days.
CREATE TABLE rcv_hashes (
  conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE,
  hash BLOB NOT NULL,
  received_at INTEGER NOT NULL,
  PRIMARY KEY (conn_id, hash)
) WITHOUT ROWID;

-- Outbox: messages until the caller knows their result.
CREATE TABLE snd_messages (
  conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE,
  -- Number that the agent has assigned to the message, in the order of sending.
  internal_id INTEGER NOT NULL,
  -- OutboxMessage.Kind.
  kind TEXT NOT NULL,
  -- 1 if the peer may show a notification.
  notify INTEGER NOT NULL,
  -- Key that encrypts the body; NULL if the body is an envelope already.
  encryption_key BLOB,
  body BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  -- Id of the message at the caller. A message with a known id is not accepted again.
  external_id TEXT,
  -- Length in bytes. It was chosen together with the number, since post-quantum support may start before the message is
  -- sent.
  padded_length INTEGER,
  -- Repetition: state of a message that must be sent again over a new queue.
  repetition INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (conn_id, internal_id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX snd_messages_external ON snd_messages (external_id);

-- Sent messages without a receipt, by the number and hash that the receipt names. They are kept for 30 days.
CREATE TABLE awaited_receipts (
  conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE,
  -- Number for the peer, and number at this agent.
  snd_id INTEGER NOT NULL,
  internal_id INTEGER NOT NULL,
  hash BLOB NOT NULL,
  sent_at INTEGER NOT NULL,
  PRIMARY KEY (conn_id, snd_id)
) WITHOUT ROWID;

-- Receipts that wait until the peer's confirmation is answered.
CREATE TABLE deferred_receipts (
  receipt_id INTEGER PRIMARY KEY AUTOINCREMENT,
  conn_id BLOB NOT NULL REFERENCES connections ON DELETE CASCADE,
  -- Number that the sender has assigned to the message, and SHA-256 of the message.
  snd_id INTEGER NOT NULL,
  hash BLOB NOT NULL
);
CREATE INDEX deferred_receipts_conn ON deferred_receipts (conn_id);


-- ## Files

-- Files that are being sent or were sent. A row stays until the caller has deleted the file.
CREATE TABLE snd_files (
  file_id BLOB PRIMARY KEY NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users,
  created_at INTEGER NOT NULL,
  -- The file with its key, if it is encrypted; or the text that is sent instead.
  source_path TEXT,
  source_key BLOB,
  source_nonce BLOB,
  source_text BLOB,
  -- Name for the recipients.
  name TEXT NOT NULL,
  -- Number of descriptions to make.
  recipients INTEGER NOT NULL,
  -- Key and nonce for the encryption of the sent file.
  key BLOB NOT NULL,
  nonce BLOB NOT NULL,
  -- Size and digest of the file whose description is sent; NULL for another file.
  redirect_size INTEGER,
  redirect_digest BLOB,
  -- SentFile.Status.
  status TEXT NOT NULL,
  -- Bytes of the contents; NULL until it is known.
  contents_size INTEGER,
  -- SHA-512 of the encrypted file; NULL until it is encrypted.
  digest BLOB,
  -- AgentError in its stored form.
  error TEXT,
  -- Seal of a path outside of the store (StoredPath).
  source_seal BLOB
);
CREATE INDEX snd_files_user ON snd_files (user_id);

-- Chunks of sent files on servers.
CREATE TABLE snd_chunks (
  file_id BLOB NOT NULL REFERENCES snd_files ON DELETE CASCADE,
  -- Number of the chunk in the file, from 1.
  number INTEGER NOT NULL,
  -- Bytes.
  size INTEGER NOT NULL,
  -- SHA-256.
  digest BLOB NOT NULL,
  server TEXT NOT NULL,
  -- Id and private key of this side at the server.
  replica_id BLOB NOT NULL,
  replica_key BLOB NOT NULL,
  -- Ids and private keys of the recipients at the server, one after the other.
  recipients BLOB NOT NULL,
  uploaded INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (file_id, number)
) WITHOUT ROWID;

-- Files that are being received or were received. A row stays until the caller has deleted the file.
CREATE TABLE rcv_files (
  file_id BLOB PRIMARY KEY NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users,
  created_at INTEGER NOT NULL,
  target_path TEXT NOT NULL,
  -- Key and nonce of the file on the disk; NULL if it is not encrypted.
  local_key BLOB,
  local_nonce BLOB,
  -- 1 if servers other than the user's servers may learn the address of this machine.
  approved INTEGER NOT NULL,
  -- Description of the file. It is the description of a redirect until the redirect is read.
  description TEXT NOT NULL,
  -- ReceivedFile.Status.
  status TEXT NOT NULL,
  -- AgentError in its stored form.
  error TEXT,
  -- Seal of a path outside of the store (StoredPath).
  target_seal BLOB
);
CREATE INDEX rcv_files_user ON rcv_files (user_id);

-- Chunks of a file that are in the work folder.
CREATE TABLE rcv_chunks (
  file_id BLOB NOT NULL REFERENCES rcv_files ON DELETE CASCADE,
  number INTEGER NOT NULL,
  PRIMARY KEY (file_id, number)
) WITHOUT ROWID;

-- Chunks that must be deleted on their servers.
CREATE TABLE deleted_chunks (
  server TEXT NOT NULL,
  -- Id and private key of this side at the server.
  replica_id BLOB NOT NULL,
  user_id INTEGER NOT NULL,
  replica_key BLOB NOT NULL,
  deleted_at INTEGER NOT NULL,
  PRIMARY KEY (server, replica_id)
) WITHOUT ROWID;


-- ## Notifications

-- One row at most: the token of the device at the push service.
CREATE TABLE ntf_token (
  slot INTEGER PRIMARY KEY CHECK (slot = 1),
  push_service TEXT NOT NULL,
  token TEXT NOT NULL,
  server TEXT NOT NULL,
  -- Id at the notification server; NULL until the registration.
  token_id BLOB,
  -- Private key for commands about the token.
  token_key BLOB NOT NULL,
  -- Private key of this side, and the secret that opens pushes.
  dh_key BLOB NOT NULL,
  dh_secret BLOB,
  -- NTFTokenStatus.
  status TEXT NOT NULL,
  -- StoredToken.Action: the next step, and the code for a verification.
  action TEXT,
  code BLOB,
  -- NotificationMode.
  mode TEXT NOT NULL,
  -- 1 if the server must be asked for periodic pushes.
  interval_due INTEGER NOT NULL DEFAULT 0
);

-- Tokens that must be deleted on their servers.
CREATE TABLE deleted_ntf_tokens (
  server TEXT NOT NULL,
  token_id BLOB NOT NULL,
  token_key BLOB NOT NULL,
  deleted_at INTEGER NOT NULL,
  PRIMARY KEY (server, token_id)
) WITHOUT ROWID;

-- Connections for which the caller wants no pushes.
CREATE TABLE muted_connections (
  conn_id BLOB PRIMARY KEY NOT NULL REFERENCES connections ON DELETE CASCADE
) WITHOUT ROWID;

-- Subscriptions of queues at the notification server.
CREATE TABLE ntf_subscriptions (
  queue_id INTEGER PRIMARY KEY AUTOINCREMENT,
  conn_id BLOB NOT NULL UNIQUE REFERENCES connections ON DELETE CASCADE,
  -- Queue that has the notifier.
  server TEXT NOT NULL,
  rcv_id BLOB NOT NULL,
  -- Id and private key of the notifier, and the secret that opens the data about a message.
  notifier_id BLOB,
  notifier_key BLOB,
  notifier_secret BLOB,
  -- Notification server and token that have the subscription.
  ntf_server TEXT NOT NULL,
  token_id BLOB,
  subscription_id BLOB,
  -- NotificationSubscription.Action: the next step, and the time before which it is not done.
  action TEXT NOT NULL,
  action_at INTEGER NOT NULL,
  -- Time at which the last message arrived at the relay.
  last_broker_ts INTEGER
);
CREATE INDEX ntf_subscriptions_notifier ON ntf_subscriptions (notifier_id);
CREATE INDEX ntf_subscriptions_due ON ntf_subscriptions (action_at);


-- ## Requests

-- Results of the caller's requests, kept for a day (DoneRequest).
CREATE TABLE done_requests (
  -- Key of the request, which the caller has chosen.
  request_key BLOB PRIMARY KEY NOT NULL,
  -- User or connection that the request has made or changed.
  user_id INTEGER,
  conn_id BLOB REFERENCES connections ON DELETE CASCADE,
  done_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX done_requests_conn ON done_requests (conn_id);
CREATE INDEX done_requests_done_at ON done_requests (done_at);
