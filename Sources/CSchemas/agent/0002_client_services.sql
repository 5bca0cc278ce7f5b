-- Users that are services: their relays know all queues of the user by one certificate, and subscribe to them with one
-- command.
ALTER TABLE users ADD COLUMN is_service INTEGER NOT NULL DEFAULT 0;

-- Certificate of a user for one relay. Relays cannot recognize the user by certificates of other relays.
CREATE TABLE client_services (
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  -- Address with the password: another password counts as another relay.
  server TEXT NOT NULL,
  -- Self-signed certificate in DER, and its Ed25519 key in PKCS 8.
  certificate BLOB NOT NULL,
  private_key BLOB NOT NULL,
  PRIMARY KEY (user_id, server)
) WITHOUT ROWID;

-- Id of the service to which the relay has assigned the queue; NULL for a queue without a service.
ALTER TABLE rcv_queues ADD COLUMN service_id BLOB;
