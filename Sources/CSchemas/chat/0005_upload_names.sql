-- Name that receivers see; NULL if the file on the disk has this name.
ALTER TABLE uploads ADD COLUMN file_name TEXT;
-- API key that has begun the upload; NULL if it is unknown.
ALTER TABLE partial_uploads ADD COLUMN key_id TEXT;
