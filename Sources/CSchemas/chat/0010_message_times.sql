-- Times of a message to one recipient; NULL for messages before this migration.
-- Time at which the agent reported the result: the relay has accepted the message, or the message has failed.
ALTER TABLE deliveries ADD COLUMN finished_at INTEGER;
-- Time at which the recipient's receipt arrived.
ALTER TABLE deliveries ADD COLUMN receipt_at INTEGER;
CREATE INDEX idx_deliveries_item ON deliveries (chat_item_id) WHERE chat_item_id IS NOT NULL;
