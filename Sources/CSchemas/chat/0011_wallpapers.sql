-- Own pictures as wallpapers of chats. The themes of the user and of the user's chats name them.
CREATE TABLE wallpapers (
  user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
  -- Value of imageFile in the themes.
  file_name TEXT NOT NULL,
  -- Each write of this column deletes the picture, unless a theme names the picture.
  checks INTEGER NOT NULL DEFAULT 0,
  -- Time of the last upload.
  created_at INTEGER NOT NULL,
  -- JPEG, PNG, GIF or WebP. SQLite reads the columns before the contents without reading the contents.
  content BLOB NOT NULL,
  PRIMARY KEY (user_id, file_name)
);
CREATE INDEX idx_contacts_themes ON contacts (user_id) WHERE ui_themes IS NOT NULL;
CREATE INDEX idx_groups_themes ON groups (user_id) WHERE ui_themes IS NOT NULL;
CREATE TRIGGER wallpapers_checked AFTER UPDATE OF checks ON wallpapers
BEGIN
  DELETE FROM wallpapers WHERE user_id = NEW.user_id AND file_name = NEW.file_name
    AND NOT EXISTS (SELECT 1 FROM users WHERE user_id = NEW.user_id AND instr(ui_themes, '"' || NEW.file_name || '"') > 0)
    AND NOT EXISTS (SELECT 1 FROM contacts WHERE user_id = NEW.user_id AND ui_themes IS NOT NULL
      AND instr(ui_themes, '"' || NEW.file_name || '"') > 0)
    AND NOT EXISTS (SELECT 1 FROM groups WHERE user_id = NEW.user_id AND ui_themes IS NOT NULL
      AND instr(ui_themes, '"' || NEW.file_name || '"') > 0);
END;
CREATE TRIGGER users_themes_changed AFTER UPDATE OF ui_themes ON users
  WHEN OLD.ui_themes IS NOT NULL AND OLD.ui_themes IS NOT NEW.ui_themes
BEGIN
  UPDATE wallpapers SET checks = 1 WHERE user_id = OLD.user_id AND instr(OLD.ui_themes, '"' || file_name || '"') > 0;
END;
CREATE TRIGGER contacts_themes_changed AFTER UPDATE OF ui_themes ON contacts
  WHEN OLD.ui_themes IS NOT NULL AND OLD.ui_themes IS NOT NEW.ui_themes
BEGIN
  UPDATE wallpapers SET checks = 1 WHERE user_id = OLD.user_id AND instr(OLD.ui_themes, '"' || file_name || '"') > 0;
END;
CREATE TRIGGER groups_themes_changed AFTER UPDATE OF ui_themes ON groups
  WHEN OLD.ui_themes IS NOT NULL AND OLD.ui_themes IS NOT NEW.ui_themes
BEGIN
  UPDATE wallpapers SET checks = 1 WHERE user_id = OLD.user_id AND instr(OLD.ui_themes, '"' || file_name || '"') > 0;
END;
CREATE TRIGGER contacts_themes_deleted AFTER DELETE ON contacts WHEN OLD.ui_themes IS NOT NULL
BEGIN
  UPDATE wallpapers SET checks = 1 WHERE user_id = OLD.user_id AND instr(OLD.ui_themes, '"' || file_name || '"') > 0;
END;
CREATE TRIGGER groups_themes_deleted AFTER DELETE ON groups WHEN OLD.ui_themes IS NOT NULL
BEGIN
  UPDATE wallpapers SET checks = 1 WHERE user_id = OLD.user_id AND instr(OLD.ui_themes, '"' || file_name || '"') > 0;
END;
