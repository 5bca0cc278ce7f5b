-- Numbers of the receivers in each state, so that a list of broadcasts does not count up to a million rows.
ALTER TABLE planned_messages ADD COLUMN waiting_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE planned_messages ADD COLUMN sent_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE planned_messages ADD COLUMN failed_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE planned_messages ADD COLUMN cancelled_count INTEGER NOT NULL DEFAULT 0;
UPDATE planned_messages SET
  waiting_count = (SELECT count(*) FROM planned_receivers r
    WHERE r.planned_id = planned_messages.planned_id AND r.state = 'waiting'),
  sent_count = (SELECT count(*) FROM planned_receivers r
    WHERE r.planned_id = planned_messages.planned_id AND r.state = 'sent'),
  failed_count = (SELECT count(*) FROM planned_receivers r
    WHERE r.planned_id = planned_messages.planned_id AND r.state = 'failed'),
  cancelled_count = (SELECT count(*) FROM planned_receivers r
    WHERE r.planned_id = planned_messages.planned_id AND r.state = 'cancelled');
CREATE INDEX idx_planned_messages_finished ON planned_messages (finished_at) WHERE finished_at IS NOT NULL;
