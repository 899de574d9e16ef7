-- Double-entry bookkeeping: entries are only ever added, and a balance is their sum.
--
-- Two transfers that each find enough money leave less than none: no row is written twice, so only
-- SERIALIZABLE, or a lock on the account, prevents it.

CREATE TABLE ledger_account (
    id      bigint PRIMARY KEY,
    minimum bigint NOT NULL DEFAULT 0
);

CREATE TABLE transfer (
    id bigint PRIMARY KEY
);

CREATE TABLE entry (
    transfer_id bigint NOT NULL REFERENCES transfer (id),
    account_id  bigint NOT NULL REFERENCES ledger_account (id),
    amount      bigint NOT NULL CHECK (amount <> 0),
    PRIMARY KEY (transfer_id, account_id)
);

INSERT INTO ledger_account (id, minimum) VALUES (1, 0), (2, 0), (3, -1000);
INSERT INTO transfer (id) VALUES (0);
INSERT INTO entry (transfer_id, account_id, amount) VALUES (0, 1, 100), (0, 3, -100);

CREATE FUNCTION transfer_money(p_transfer bigint, p_from bigint, p_to bigint, p_amount bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_balance bigint := (SELECT coalesce(sum(amount), 0)::bigint FROM entry
                         WHERE account_id = p_from);
    v_minimum bigint;
BEGIN
    IF p_amount <= 0 OR p_from = p_to THEN
        RAISE EXCEPTION 'this is no transfer' USING ERRCODE = '22023';
    END IF;
    SELECT minimum INTO STRICT v_minimum FROM ledger_account WHERE id = p_from;
    IF v_balance - p_amount < v_minimum THEN
        RAISE EXCEPTION 'account % has only %', p_from, v_balance;
    END IF;
    INSERT INTO transfer (id) VALUES (p_transfer);
    INSERT INTO entry (transfer_id, account_id, amount)
    VALUES (p_transfer, p_from, -p_amount), (p_transfer, p_to, p_amount);
END
$$;

-- The same with a lock: transfers from one account come one after another.
CREATE FUNCTION transfer_money_locked(
    p_transfer bigint, p_from bigint, p_to bigint, p_amount bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_balance bigint;
    v_minimum bigint;
BEGIN
    IF p_amount <= 0 OR p_from = p_to THEN
        RAISE EXCEPTION 'this is no transfer' USING ERRCODE = '22023';
    END IF;
    SELECT minimum INTO STRICT v_minimum FROM ledger_account WHERE id = p_from FOR UPDATE;
    SELECT coalesce(sum(amount), 0) INTO v_balance FROM entry WHERE account_id = p_from;
    IF v_balance - p_amount < v_minimum THEN
        RAISE EXCEPTION 'account % has only %', p_from, v_balance;
    END IF;
    INSERT INTO transfer (id) VALUES (p_transfer);
    INSERT INTO entry (transfer_id, account_id, amount)
    VALUES (p_transfer, p_from, -p_amount), (p_transfer, p_to, p_amount);
END
$$;

CREATE FUNCTION balance_of(p_account bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce(sum(amount), 0)::bigint FROM entry WHERE account_id = p_account;
$$;

-- Whether the books are balanced: every transfer takes as much as it gives.
CREATE FUNCTION unbalanced_transfers() RETURNS SETOF bigint LANGUAGE sql STABLE AS $$
    SELECT transfer_id FROM entry GROUP BY transfer_id HAVING sum(amount) <> 0 ORDER BY transfer_id;
$$;
