-- An item that is deleted and imported again has its history told again: what was told about it is
-- forgotten with it. Rows from before do not know their item and stay.

ALTER TABLE importer.imported_changes ADD COLUMN item_id bigint;
CREATE INDEX imported_changes_of_item ON importer.imported_changes (item_id)
 WHERE item_id IS NOT NULL;
