//! Exact numbers against `i128` and big integers.

use num_bigint::BigInt;
use num_integer::Integer;
use proptest::prelude::*;
use ser_arith::{Int, Ratio};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// Words, with many at the edges.
fn word() -> impl Strategy<Value = i64> {
    prop_oneof![
        any::<i64>(),
        -20i64..20,
        prop::sample::select(vec![i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX]),
        (0u32..63, any::<bool>()).prop_map(|(shift, minus)| {
            let power = 1i64 << shift;
            if minus { -power } else { power }
        }),
    ]
}

/// Integers on both sides of the border between words and big integers.
fn int() -> impl Strategy<Value = (Int, BigInt)> {
    prop::collection::vec(word(), 1..4).prop_map(|words| {
        let mut ours = Int::ONE;
        let mut theirs = BigInt::from(1);
        for word in words {
            ours = &ours * &Int::from(word);
            theirs *= word;
        }
        (ours, theirs)
    })
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn same(ours: &Int, theirs: &BigInt) -> Result<(), TestCaseError> {
    prop_assert_eq!(ours.to_string(), theirs.to_string());
    // Normalised: a word is a word, whichever way it was computed.
    let parsed: Int = theirs.to_string().parse().unwrap();
    prop_assert_eq!(ours, &parsed);
    prop_assert_eq!(hash(ours), hash(&parsed));
    prop_assert_eq!(ours.to_i64(), i64::try_from(theirs).ok());
    Ok(())
}

proptest! {
    #[test]
    fn integers_agree_with_i128(a in word(), b in word()) {
        let (x, y) = (Int::from(a), Int::from(b));
        let (a, b) = (i128::from(a), i128::from(b));
        prop_assert_eq!(&x + &y, Int::from(a + b));
        prop_assert_eq!(&x - &y, Int::from(a - b));
        prop_assert_eq!(&x * &y, Int::from(a * b));
        prop_assert_eq!(-&x, Int::from(-a));
        prop_assert_eq!(x.cmp(&y), a.cmp(&b));
        if b != 0 {
            prop_assert_eq!(x.div_floor(&y), Int::from(Integer::div_floor(&a, &b)));
            prop_assert_eq!(x.rem_euclid(&y), Int::from(a.rem_euclid(b)));
        }
        prop_assert_eq!(x.gcd(&y), Int::from(a.gcd(&b)));
    }

    #[test]
    fn integers_agree_with_big_integers((x, a) in int(), (y, b) in int()) {
        same(&x, &a)?;
        same(&(&x + &y), &(&a + &b))?;
        same(&(&x - &y), &(&a - &b))?;
        same(&(&x * &y), &(&a * &b))?;
        same(&-&x, &-&a)?;
        same(&x.abs(), &BigInt::from(a.magnitude().clone()))?;
        same(&x.gcd(&y), &a.gcd(&b))?;
        prop_assert_eq!(x.cmp(&y), a.cmp(&b));
        prop_assert_eq!(x.signum(), if a == BigInt::ZERO { 0 } else if a < BigInt::ZERO { -1 } else { 1 });
        if !y.is_zero() {
            same(&x.div_floor(&y), &a.div_floor(&b))?;
            same(&x.div_ceil(&y), &a.div_ceil(&b))?;
            let rest = x.rem_euclid(&y);
            prop_assert!(!rest.is_negative() && rest < y.abs());
            prop_assert!(y.divides(&(&x - &rest)));
        }
        let mut z = x.clone();
        z += &y;
        z -= y.clone();
        z *= Int::ONE;
        prop_assert_eq!(z, x);
    }

    #[test]
    fn rationals_are_a_field((a, _) in int(), (b, _) in int(), (c, _) in int(), (d, _) in int()) {
        prop_assume!(!b.is_zero() && !d.is_zero());
        let x = Ratio::new(a.clone(), b.clone()).unwrap();
        let y = Ratio::new(c.clone(), d.clone()).unwrap();
        // Definition of the operations, by cross multiplication.
        prop_assert_eq!(&x + &y, Ratio::new(&a * &d + &c * &b, &b * &d).unwrap());
        prop_assert_eq!(&x - &y, Ratio::new(&a * &d - &c * &b, &b * &d).unwrap());
        prop_assert_eq!(&x * &y, Ratio::new(&a * &c, &b * &d).unwrap());
        prop_assert_eq!(x.cmp(&y), (&x - &y).numerator().cmp(&Int::ZERO));
        prop_assert!(x.denominator().is_positive());
        prop_assert!(x.numerator().gcd(x.denominator()).is_one());
        prop_assert_eq!(&(&x + &y) - &y, x.clone());
        match x.recip() {
            Some(inverse) => {
                prop_assert_eq!(&x * &inverse, Ratio::ONE);
                prop_assert_eq!(&y.checked_div(&x).unwrap() * &x, y);
            }
            None => prop_assert!(x.is_zero() && y.checked_div(&x).is_none()),
        }
        let floor = Ratio::from(x.floor());
        prop_assert!(floor <= x && x < &floor + &Ratio::ONE);
        prop_assert_eq!(x.fract(), &x - &floor);
        prop_assert_eq!(Ratio::from(x.ceil()), -Ratio::from((-&x).floor()));
        prop_assert_eq!(x.to_string().parse::<Ratio>().unwrap(), x);
    }

    #[test]
    fn text_is_a_number_or_an_error(text in "[-+ 0-9/]{0,6}") {
        if let Ok(number) = text.parse::<Ratio>() {
            prop_assert_eq!(number.to_string().parse::<Ratio>().unwrap(), number);
        }
    }
}

#[test]
fn texts_that_are_not_numbers() {
    for text in ["", "-", "+1", "1.0", "--1", "1_0", " 1", "0x1", "१"] {
        assert!(text.parse::<Int>().is_err(), "{text}");
    }
    for text in ["", "/", "1/", "/2", "1/0", "1/-2", "1/2/3", "1 /2", "1/+2"] {
        assert!(text.parse::<Ratio>().is_err(), "{text}");
    }
    assert_eq!("-4/6".parse::<Ratio>().unwrap().to_string(), "-2/3");
}

#[test]
fn division_by_zero_does_not_panic() {
    assert_eq!(Int::from(5).div_floor(&Int::ZERO), Int::ZERO);
    assert_eq!(Int::from(5).rem_euclid(&Int::ZERO), Int::from(5));
    assert!(Int::ZERO.divides(&Int::ZERO) && !Int::ZERO.divides(&Int::ONE));
    assert_eq!(Ratio::new(Int::ONE, Int::ZERO), None);
}
