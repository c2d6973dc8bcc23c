CREATE SCHEMA hello;
CREATE TABLE hello.people (
    name       text PRIMARY KEY,
    greeted_at timestamptz NOT NULL DEFAULT now(),
    words      text NOT NULL DEFAULT '',
    greetings  bigint NOT NULL DEFAULT 0
);
