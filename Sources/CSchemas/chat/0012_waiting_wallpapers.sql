-- Wallpapers that wait for a theme. From here on, created_at is the time of the last upload, or 0 when a theme has named
-- the picture since then. When no theme names a picture any more, the picture is deleted only if it does not wait.
UPDATE wallpapers SET created_at = 0
  WHERE EXISTS (SELECT 1 FROM users t WHERE t.user_id = wallpapers.user_id
      AND instr(t.ui_themes, '"' || wallpapers.file_name || '"') > 0)
    OR EXISTS (SELECT 1 FROM contacts t WHERE t.user_id = wallpapers.user_id AND t.ui_themes IS NOT NULL
      AND instr(t.ui_themes, '"' || wallpapers.file_name || '"') > 0)
    OR EXISTS (SELECT 1 FROM groups t WHERE t.user_id = wallpapers.user_id AND t.ui_themes IS NOT NULL
      AND instr(t.ui_themes, '"' || wallpapers.file_name || '"') > 0);
DROP TRIGGER wallpapers_checked;
CREATE TRIGGER wallpapers_checked AFTER UPDATE OF checks ON wallpapers WHEN NEW.created_at = 0
BEGIN
  DELETE FROM wallpapers WHERE user_id = NEW.user_id AND file_name = NEW.file_name
    AND NOT EXISTS (SELECT 1 FROM users WHERE user_id = NEW.user_id AND instr(ui_themes, '"' || NEW.file_name || '"') > 0)
    AND NOT EXISTS (SELECT 1 FROM contacts WHERE user_id = NEW.user_id AND ui_themes IS NOT NULL
      AND instr(ui_themes, '"' || NEW.file_name || '"') > 0)
    AND NOT EXISTS (SELECT 1 FROM groups WHERE user_id = NEW.user_id AND ui_themes IS NOT NULL
      AND instr(ui_themes, '"' || NEW.file_name || '"') > 0);
END;
CREATE TRIGGER users_themes_set AFTER UPDATE OF ui_themes ON users WHEN NEW.ui_themes IS NOT NULL
BEGIN
  UPDATE wallpapers SET created_at = 0 WHERE user_id = NEW.user_id AND created_at <> 0
    AND instr(NEW.ui_themes, '"' || file_name || '"') > 0;
END;
CREATE TRIGGER contacts_themes_set AFTER UPDATE OF ui_themes ON contacts WHEN NEW.ui_themes IS NOT NULL
BEGIN
  UPDATE wallpapers SET created_at = 0 WHERE user_id = NEW.user_id AND created_at <> 0
    AND instr(NEW.ui_themes, '"' || file_name || '"') > 0;
END;
CREATE TRIGGER groups_themes_set AFTER UPDATE OF ui_themes ON groups WHEN NEW.ui_themes IS NOT NULL
BEGIN
  UPDATE wallpapers SET created_at = 0 WHERE user_id = NEW.user_id AND created_at <> 0
    AND instr(NEW.ui_themes, '"' || file_name || '"') > 0;
END;
