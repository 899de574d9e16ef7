-- Idempotency keys: a request that a client sends twice is done once.

CREATE TABLE wallet (
    id      bigint PRIMARY KEY,
    balance bigint NOT NULL CHECK (balance >= 0)
);

CREATE TABLE request (
    key       text PRIMARY KEY,
    wallet_id bigint NOT NULL REFERENCES wallet (id),
    result    bigint
);

INSERT INTO wallet (id, balance) VALUES (1, 100);

-- Whoever inserts the key first does the work. The other one waits for it, and returns its result.
CREATE FUNCTION pay(p_key text, p_wallet bigint, p_amount bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_result bigint;
BEGIN
    INSERT INTO request (key, wallet_id) VALUES (p_key, p_wallet) ON CONFLICT (key) DO NOTHING;
    IF NOT FOUND THEN
        SELECT result INTO v_result FROM request WHERE key = p_key;
        RETURN v_result;
    END IF;
    UPDATE wallet SET balance = balance - p_amount WHERE id = p_wallet
        RETURNING balance INTO v_result;
    UPDATE request SET result = v_result WHERE key = p_key;
    RETURN v_result;
END
$$;

-- Looking first is not enough: both requests may find nothing. Here, the second one fails at the
-- primary key; without one, both would pay.
CREATE FUNCTION pay_after_looking(p_key text, p_wallet bigint, p_amount bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_result bigint;
BEGIN
    SELECT result INTO v_result FROM request WHERE key = p_key;
    IF FOUND THEN
        RETURN v_result;
    END IF;
    UPDATE wallet SET balance = balance - p_amount WHERE id = p_wallet
        RETURNING balance INTO v_result;
    INSERT INTO request (key, wallet_id, result) VALUES (p_key, p_wallet, v_result);
    RETURN v_result;
END
$$;

-- name: balance_of_wallet :one
SELECT balance FROM wallet WHERE id = sqlc.arg(wallet);
