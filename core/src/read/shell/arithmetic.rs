//! Whole-number arithmetic of `$((…))`.

/// Deepest nesting of parentheses that is computed.
const DEEPEST: usize = 64;

/// The value of an expression with `+ - * / % **`, comparisons left out. `None` where it is none, where it
/// leaves 64 bits, or where a name has no whole number.
pub(super) fn evaluate(expression: &str, value: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    let mut reader = Reader {
        rest: expression.as_bytes(),
        value,
    };
    let result = reader.sum(0)?;
    reader.blanks();
    reader.rest.is_empty().then_some(result)
}

struct Reader<'a> {
    rest: &'a [u8],
    value: &'a dyn Fn(&str) -> Option<i64>,
}

impl Reader<'_> {
    fn blanks(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    fn peek(&mut self) -> u8 {
        self.blanks();
        self.rest.first().copied().unwrap_or(0)
    }

    fn skip(&mut self, n: usize) {
        self.rest = self.rest.get(n..).unwrap_or_default();
    }

    fn sum(&mut self, depth: usize) -> Option<i64> {
        let mut total = self.product(depth)?;
        loop {
            match self.peek() {
                b'+' => {
                    self.skip(1);
                    total = total.checked_add(self.product(depth)?)?;
                }
                b'-' => {
                    self.skip(1);
                    total = total.checked_sub(self.product(depth)?)?;
                }
                _ => return Some(total),
            }
        }
    }

    fn product(&mut self, depth: usize) -> Option<i64> {
        let mut total = self.power(depth)?;
        loop {
            match self.peek() {
                b'*' => {
                    self.skip(1);
                    total = total.checked_mul(self.power(depth)?)?;
                }
                b'/' => {
                    self.skip(1);
                    total = total.checked_div(self.power(depth)?)?;
                }
                b'%' => {
                    self.skip(1);
                    total = total.checked_rem(self.power(depth)?)?;
                }
                _ => return Some(total),
            }
        }
    }

    fn power(&mut self, depth: usize) -> Option<i64> {
        let base = self.atom(depth)?;
        self.blanks();
        if self.rest.starts_with(b"**") {
            self.skip(2);
            let exponent = u32::try_from(self.atom(depth)?).ok()?;
            return base.checked_pow(exponent);
        }
        Some(base)
    }

    fn atom(&mut self, depth: usize) -> Option<i64> {
        if depth > DEEPEST {
            return None;
        }
        match self.peek() {
            b'-' => {
                self.skip(1);
                self.atom(depth + 1)?.checked_neg()
            }
            b'+' => {
                self.skip(1);
                self.atom(depth + 1)
            }
            b'(' => {
                self.skip(1);
                let value = self.sum(depth + 1)?;
                (self.peek() == b')').then_some(())?;
                self.skip(1);
                Some(value)
            }
            b'0'..=b'9' => {
                let digits = self.take(|b| b.is_ascii_digit());
                digits.parse().ok()
            }
            // `x`, `$x`, `${x}`.
            b'$' | b'_' | b'a'..=b'z' | b'A'..=b'Z' => {
                let dollar = self.peek() == b'$';
                if dollar {
                    self.skip(1);
                }
                let braced = dollar && self.rest.first() == Some(&b'{');
                if braced {
                    self.skip(1);
                }
                let name = self.take(|b| b == b'_' || b.is_ascii_alphanumeric());
                if braced {
                    (self.rest.first() == Some(&b'}')).then_some(())?;
                    self.skip(1);
                }
                (self.value)(&name)
            }
            _ => None,
        }
    }

    fn take(&mut self, wanted: impl Fn(u8) -> bool) -> String {
        let end = self
            .rest
            .iter()
            .position(|b| !wanted(*b))
            .unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        String::from_utf8_lossy(taken).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::evaluate;

    #[test]
    fn whole_numbers() {
        let value = |name: &str| (name == "x").then_some(1024);
        for (text, expected) in [
            ("1024 * 2", Some(2048)),
            ("((x + $x) * ${x})", Some(2_097_152)),
            ("2 ** 10 - -1", Some(1025)),
            ("7 / 2 % 2", Some(1)),
            ("1 / 0", None),
            ("9223372036854775807 + 1", None),
            ("nothing * 2", None),
            ("1 +", None),
            ("", None),
        ] {
            assert_eq!(evaluate(text, &value), expected, "{text}");
        }
        assert_eq!(evaluate(&"(".repeat(100_000), &value), None);
        assert_eq!(evaluate(&"-".repeat(100_000), &value), None);
    }
}
