-- Uploads for messages that are sent later. Such an upload does not expire.
-- Planned message with the file; NULL for an upload that no planned message has.
ALTER TABLE uploads ADD COLUMN planned_id INTEGER;
-- Bytes of the file; 0 without a planned message.
ALTER TABLE uploads ADD COLUMN planned_size INTEGER NOT NULL DEFAULT 0;
CREATE INDEX idx_uploads_planned ON uploads (planned_id) WHERE planned_id IS NOT NULL;
CREATE TRIGGER planned_files_done AFTER UPDATE OF content ON planned_messages
WHEN NEW.content IS NULL
BEGIN
  INSERT INTO retired_files (file_path, is_sent) SELECT file_path, 1 FROM uploads WHERE planned_id = NEW.planned_id;
  DELETE FROM uploads WHERE planned_id = NEW.planned_id;
END;
CREATE TRIGGER planned_files_gone AFTER DELETE ON planned_messages
BEGIN
  INSERT INTO retired_files (file_path, is_sent) SELECT file_path, 1 FROM uploads WHERE planned_id = OLD.planned_id;
  DELETE FROM uploads WHERE planned_id = OLD.planned_id;
END;
