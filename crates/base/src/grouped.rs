//! Large numbers for people.

/// `1,000,000`.
///
/// ```
/// assert_eq!(ser_base::grouped(999), "999");
/// assert_eq!(ser_base::grouped(20_000), "20,000");
/// ```
pub fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
