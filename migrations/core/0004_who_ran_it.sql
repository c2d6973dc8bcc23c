-- Who may find that a consumer's plugin is gone: the installation that ran it last.
--
-- Hosts of one database need not have the same plugins. One that starts without a plugin while the
-- host that has it restarts would mark its consumers as disabled, and those that resume at the
-- head would then pass what was written meanwhile.

ALTER TABLE radd.consumers ADD COLUMN run_by text;
COMMENT ON COLUMN radd.consumers.run_by IS
    'Installation (host name and manifests folder) that ran it last, or else declared it first; null: none since this column is here. Only a start of that one sets disabled_since';
