-- Messages that are sent later: to one chat at a time or when it is connected, or to many chats at a rate. A row stays
-- for some time after its last message, without texts. A copy of the database cancels them (PlannedMessages.cancelAll).
CREATE TABLE planned_messages (
  planned_id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  -- 1 for a broadcast.
  broadcasts INTEGER NOT NULL,
  -- API key whose rights are checked before each message.
  key_id TEXT NOT NULL,
  -- JSON of PlannedContent; NULL after the last message.
  content TEXT,
  -- Messages per second.
  send_rate INTEGER NOT NULL,
  -- Time before which nothing is sent; NULL if there is none.
  send_at INTEGER,
  -- Time of the next message; NULL if no message waits, or if the message waits for a connection.
  next_at INTEGER,
  created_at INTEGER NOT NULL,
  -- NULL while messages wait.
  finished_at INTEGER
);
CREATE INDEX idx_planned_messages_user ON planned_messages (user_id, broadcasts, planned_id);
CREATE INDEX idx_planned_messages_next ON planned_messages (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX idx_planned_messages_unfinished ON planned_messages (planned_id) WHERE finished_at IS NULL;

-- Chats that get the messages, each with its result.
CREATE TABLE planned_receivers (
  planned_id INTEGER NOT NULL REFERENCES planned_messages ON DELETE CASCADE,
  receiver_no INTEGER NOT NULL,
  user_id INTEGER NOT NULL,
  -- ChatKey; 0 while only the connection is known.
  chat_type INTEGER NOT NULL,
  chat_id INTEGER NOT NULL,
  -- Pending connection that will become the chat; NULL otherwise.
  connection_id INTEGER,
  -- PlannedReceiver.State.
  state TEXT NOT NULL,
  -- JSON list of the ids of the sent items.
  item_ids TEXT NOT NULL DEFAULT '[]',
  -- JSON of the error without names and texts; NULL without an error.
  problem TEXT,
  -- Time of the result; NULL while the messages wait.
  done_at INTEGER,
  PRIMARY KEY (planned_id, receiver_no)
) WITHOUT ROWID;
CREATE INDEX idx_planned_receivers_chat ON planned_receivers (user_id, chat_type, chat_id) WHERE state = 'waiting';
CREATE INDEX idx_planned_receivers_state ON planned_receivers (planned_id, state, receiver_no);
