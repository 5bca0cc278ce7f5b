-- Host and port of the relay to which the answer is sent; empty if they are unknown.
ALTER TABLE passing_connections ADD COLUMN relay TEXT NOT NULL DEFAULT '';
