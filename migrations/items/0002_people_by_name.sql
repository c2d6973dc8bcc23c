-- People are listed by name, a page at a time.

CREATE INDEX people_by_name ON items.people (lower(name), id);
