-- SimpleX names of contacts and groups.
-- Name that was checked last (`alice.simplex`), and whether it led to the link of the chat; NULL before a check. The
-- check counts while the profile claims the same name.
ALTER TABLE contacts ADD COLUMN checked_domain TEXT;
ALTER TABLE contacts ADD COLUMN domain_verified INTEGER;
ALTER TABLE groups ADD COLUMN checked_domain TEXT;
ALTER TABLE groups ADD COLUMN domain_verified INTEGER;
CREATE INDEX idx_contacts_domain ON contacts (user_id, checked_domain) WHERE checked_domain IS NOT NULL;
CREATE INDEX idx_groups_domain ON groups (user_id, checked_domain) WHERE checked_domain IS NOT NULL;
