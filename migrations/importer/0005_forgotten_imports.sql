-- What an import wrote is kept for as long as it may be taken back. One that is forgotten goes in
-- slices: first this mark, so that nobody takes back a part of it, then its rows, then itself.

ALTER TABLE importer.imports DROP CONSTRAINT imports_state_check;
ALTER TABLE importer.imports ADD CONSTRAINT imports_state_check
    CHECK (state IN ('running', 'stopped', 'finished', 'rolling_back', 'rolled_back',
                     'partly_rolled_back', 'forgotten'));
CREATE INDEX imports_by_update ON importer.imports (updated_at);
