-- Badges of supporters.
-- BadgeStatus of the badge in the profile, or of the user's own badge; NULL for no badge, and before a check.
ALTER TABLE contact_profiles ADD COLUMN badge_status TEXT;
-- Time at which the status changes because the badge expires, or at which the proof is checked; NULL if the status stays.
ALTER TABLE contact_profiles ADD COLUMN badge_changes_at INTEGER;
-- JSON of BadgeCredential, only in profiles of users. It is a secret.
ALTER TABLE contact_profiles ADD COLUMN badge_credential TEXT;
-- Public key of the issuer of the user's own badge.
ALTER TABLE contact_profiles ADD COLUMN badge_issuer BLOB;
CREATE INDEX idx_contact_profiles_badge ON contact_profiles (badge_changes_at) WHERE badge_changes_at IS NOT NULL;
