-- An auction: bids must be higher than those before, until the auction is closed.
-- (After the example of Vandevoort, Ketsman, Koch and Neven, "Robustness against Read Committed for
-- Transaction Templates", 2021, with a highest bid that is kept beside the bids.)

CREATE TABLE buyer (
    id    bigint PRIMARY KEY,
    calls bigint NOT NULL DEFAULT 0
);

CREATE TABLE auction (
    id      bigint PRIMARY KEY,
    is_open boolean NOT NULL DEFAULT true,
    highest bigint NOT NULL DEFAULT 0
);

CREATE TABLE bid (
    auction_id bigint NOT NULL REFERENCES auction (id),
    buyer_id   bigint NOT NULL REFERENCES buyer (id),
    amount     bigint NOT NULL CHECK (amount > 0),
    PRIMARY KEY (auction_id, buyer_id)
);

INSERT INTO buyer (id) VALUES (1), (2);
INSERT INTO auction (id) VALUES (1);

-- Bids, if nobody else has bidden as much.
CREATE FUNCTION place_bid(p_auction bigint, p_buyer bigint, p_amount bigint)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    v_highest bigint;
    v_open    boolean;
BEGIN
    UPDATE buyer SET calls = calls + 1 WHERE id = p_buyer;
    SELECT highest, is_open INTO v_highest, v_open FROM auction WHERE id = p_auction;
    IF NOT FOUND OR NOT v_open THEN
        RAISE EXCEPTION 'this auction is closed';
    END IF;
    IF p_amount <= v_highest THEN
        RETURN false;
    END IF;
    INSERT INTO bid (auction_id, buyer_id, amount) VALUES (p_auction, p_buyer, p_amount)
    ON CONFLICT (auction_id, buyer_id) DO UPDATE SET amount = excluded.amount;
    UPDATE auction SET highest = p_amount WHERE id = p_auction;
    RETURN true;
END
$$;

-- The bids of an auction that are at least so high.
CREATE FUNCTION find_bids(p_auction bigint, p_least bigint)
RETURNS TABLE (buyer bigint, amount bigint) LANGUAGE sql STABLE AS $$
    SELECT b.buyer_id, b.amount
    FROM bid AS b
    WHERE b.auction_id = p_auction AND b.amount >= p_least
    ORDER BY b.amount DESC, b.buyer_id;
$$;

-- Nobody can bid any more; says how much the winner pays.
CREATE FUNCTION close_auction(p_auction bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v_highest bigint;
BEGIN
    UPDATE auction SET is_open = false WHERE id = p_auction AND is_open
        RETURNING highest INTO v_highest;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'this auction is closed';
    END IF;
    RETURN v_highest;
END
$$;
