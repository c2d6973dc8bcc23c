-- Projects, people, items and what hangs on them.
--
-- Lengths are checked again here, because SQL is an interface too. source and source_id are what
-- a row was called where it was imported from; they are what makes an import idempotent.

CREATE SCHEMA items;

CREATE TABLE items.projects (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key         text NOT NULL UNIQUE CHECK (key ~ '^[A-Z][A-Z0-9_]{0,19}$'),
    name        text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    -- The number the next item gets. Taking one locks this row until the commit, so numbers have
    -- no gaps and two items never share one.
    next_number bigint NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE items.people (
    -- A uuid, because it is also the actor of events.
    id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name       text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    email      text CHECK (length(email) BETWEEN 3 AND 254),
    source     text,
    source_id  text,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (source, source_id),
    CHECK ((source IS NULL) = (source_id IS NULL))
);
CREATE INDEX people_by_email ON items.people (lower(email)) WHERE email IS NOT NULL;

CREATE TABLE items.states (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name     text NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 200),
    category text NOT NULL CHECK (category IN ('todo', 'doing', 'done'))
);
CREATE INDEX states_by_lower_name ON items.states (lower(name));

INSERT INTO items.states (name, category)
VALUES ('To Do', 'todo'), ('In Progress', 'doing'), ('Done', 'done');

CREATE TABLE items.items (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id    bigint NOT NULL REFERENCES items.projects,
    number        bigint NOT NULL CHECK (number > 0),
    key           text NOT NULL UNIQUE,
    type          text NOT NULL CHECK (length(type) BETWEEN 1 AND 200),
    title         text NOT NULL CHECK (length(title) BETWEEN 1 AND 500),
    description   text NOT NULL DEFAULT '' CHECK (length(description) <= 100000),
    state_id      bigint NOT NULL REFERENCES items.states,
    priority      text CHECK (length(priority) BETWEEN 1 AND 200),
    reporter_id   uuid REFERENCES items.people,
    assignee_id   uuid REFERENCES items.people,
    contact_email text CHECK (length(contact_email) BETWEEN 3 AND 254),
    contact_name  text CHECK (length(contact_name) BETWEEN 1 AND 200),
    parent_id     bigint REFERENCES items.items CHECK (parent_id <> id),
    labels        text[] NOT NULL DEFAULT '{}',
    source        text,
    source_id     text,
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now(),
    resolved_at   timestamptz,
    UNIQUE (project_id, number),
    UNIQUE (source, source_id),
    CHECK ((source IS NULL) = (source_id IS NULL)),
    CHECK (contact_name IS NULL OR contact_email IS NOT NULL)
);
CREATE INDEX items_by_project ON items.items (project_id, id);
CREATE INDEX items_by_parent ON items.items (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX items_by_assignee ON items.items (assignee_id) WHERE assignee_id IS NOT NULL;

CREATE TABLE items.comments (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    item_id    bigint NOT NULL REFERENCES items.items ON DELETE CASCADE,
    author_id  uuid REFERENCES items.people,
    body       text NOT NULL CHECK (length(body) BETWEEN 1 AND 100000),
    source     text,
    source_id  text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (source, source_id),
    CHECK ((source IS NULL) = (source_id IS NULL))
);
CREATE INDEX comments_by_item ON items.comments (item_id, created_at, id);

CREATE TABLE items.watchers (
    item_id    bigint NOT NULL REFERENCES items.items ON DELETE CASCADE,
    person_id  uuid NOT NULL REFERENCES items.people,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (item_id, person_id)
);
CREATE INDEX watchers_by_person ON items.watchers (person_id);

-- An item as readers want it: names beside ids, times in microseconds since 1970.
CREATE VIEW items.item_details AS
SELECT i.id, i.key, i.type, i.title, i.description, i.priority,
       i.project_id, project.key AS project_key, project.name AS project_name,
       state.name AS state, state.category,
       i.reporter_id, reporter.name AS reporter_name,
       i.assignee_id, assignee.name AS assignee_name,
       i.contact_email, i.contact_name,
       i.parent_id, parent.key AS parent_key,
       i.labels, i.source, i.source_id,
       (extract(epoch FROM i.created_at) * 1000000)::bigint AS created_us,
       (extract(epoch FROM i.updated_at) * 1000000)::bigint AS updated_us,
       (extract(epoch FROM i.resolved_at) * 1000000)::bigint AS resolved_us
FROM items.items i
JOIN items.projects project ON project.id = i.project_id
JOIN items.states state ON state.id = i.state_id
LEFT JOIN items.people reporter ON reporter.id = i.reporter_id
LEFT JOIN items.people assignee ON assignee.id = i.assignee_id
LEFT JOIN items.items parent ON parent.id = i.parent_id;
