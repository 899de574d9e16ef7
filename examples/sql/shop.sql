-- A shop: products with a stock, and vouchers that can be used once.

CREATE TABLE product (
    id    bigint PRIMARY KEY,
    price numeric(10, 2) NOT NULL CHECK (price >= 0),
    stock int NOT NULL
);

CREATE TABLE voucher (
    code     text PRIMARY KEY,
    discount numeric(10, 2) NOT NULL,
    used_by  bigint
);

CREATE TABLE purchase (
    id         bigint PRIMARY KEY,
    product_id bigint NOT NULL REFERENCES product (id),
    quantity   int NOT NULL CHECK (quantity > 0),
    total      numeric(10, 2) NOT NULL
);

INSERT INTO product (id, price, stock) VALUES (1, 10.00, 1);
INSERT INTO voucher (code, discount) VALUES ('welcome', 5.00);

-- Looks whether there is enough, and takes it: two buyers may find the last one. An UPDATE with
-- `stock >= p_quantity` in its condition would not.
CREATE FUNCTION buy(p_purchase bigint, p_product bigint, p_quantity int)
RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    v_product record;
    v_total   numeric(10, 2);
BEGIN
    SELECT price, stock INTO v_product FROM product WHERE id = p_product;
    IF NOT FOUND OR v_product.stock < p_quantity THEN
        RAISE EXCEPTION 'product % is sold out', p_product;
    END IF;
    v_total := v_product.price * p_quantity;
    UPDATE product SET stock = v_product.stock - p_quantity WHERE id = p_product;
    INSERT INTO purchase (id, product_id, quantity, total)
    VALUES (p_purchase, p_product, p_quantity, v_total);
    RETURN v_total;
END
$$;

-- Each voucher is used once: the row is locked before anyone looks at it.
CREATE FUNCTION redeem(p_purchase bigint, p_code text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    v_discount numeric;
    v_used_by  bigint;
    v_total    numeric;
BEGIN
    SELECT discount, used_by INTO v_discount, v_used_by
    FROM voucher WHERE code = p_code FOR UPDATE;
    IF NOT FOUND OR v_used_by IS NOT NULL THEN
        RAISE EXCEPTION 'voucher % cannot be used', p_code;
    END IF;
    UPDATE voucher SET used_by = p_purchase WHERE code = p_code;
    UPDATE purchase SET total = greatest(total - v_discount, 0) WHERE id = p_purchase
        RETURNING total INTO v_total;
    RETURN v_total;
END
$$;

CREATE FUNCTION restock(p_product bigint, p_quantity int) RETURNS void LANGUAGE sql AS $$
    UPDATE product SET stock = stock + p_quantity WHERE id = p_product;
$$;
