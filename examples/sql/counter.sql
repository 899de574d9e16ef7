-- Counters in sections as sqlc has them: each is a transaction of its own.
--
-- Under READ COMMITTED, `increment` is fine, because an UPDATE by key reads and writes at once.
-- `increment_slowly` reads in one statement and writes in another: one of two increments is lost.

CREATE TABLE counter (
    id    bigint PRIMARY KEY,
    value bigint NOT NULL DEFAULT 0
);

INSERT INTO counter (id) VALUES (1);

-- name: get_counter :one
SELECT value FROM counter WHERE id = $1;

-- name: increment :one
UPDATE counter SET value = value + 1 WHERE id = $1 RETURNING value;

-- name: create_counter :exec
INSERT INTO counter (id) VALUES ($1) ON CONFLICT DO NOTHING;

-- name: increment_slowly :exec
BEGIN;
SELECT value FROM counter WHERE id = :id;
UPDATE counter SET value = :value WHERE id = :id;
COMMIT;
