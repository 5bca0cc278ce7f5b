-- 1 for a user whose relays know all its queues by one certificate.
ALTER TABLE users ADD COLUMN client_service INTEGER NOT NULL DEFAULT 0;
