-- A new file has no path yet, so file_totals does not count it. A trigger on insertion would make the database copy
-- each changed page.
DROP TRIGGER file_totals_insert;
