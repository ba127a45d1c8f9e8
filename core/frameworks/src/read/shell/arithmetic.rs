//! Whole-number arithmetic of `$((…))` and of the condition `((…))`.

/// Deepest nesting of parentheses that is computed.
const DEEPEST: usize = 64;

/// The value of an expression with `+ - * / % **`, comparisons (1 where they hold), `&&` and `||`. `None` where it is
/// none, where it leaves 64 bits, or where a name has no whole number.
pub(super) fn evaluate(expression: &str, value: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    let mut reader = Reader { rest: expression.as_bytes(), value };
    let result = reader.either(0)?;
    reader.blanks();
    reader.rest.is_empty().then_some(result)
}

/// Whether two numbers compare so.
type Comparison = fn(&i64, &i64) -> bool;

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

    fn eat(&mut self, wanted: &[u8]) -> bool {
        self.blanks();
        let found = self.rest.starts_with(wanted);
        if found {
            self.skip(wanted.len());
        }
        found
    }

    fn either(&mut self, depth: usize) -> Option<i64> {
        let mut left = self.both(depth)?;
        while self.eat(b"||") {
            let right = self.both(depth)?;
            left = i64::from(left != 0 || right != 0);
        }
        Some(left)
    }

    fn both(&mut self, depth: usize) -> Option<i64> {
        let mut left = self.comparison(depth)?;
        while self.eat(b"&&") {
            let right = self.comparison(depth)?;
            left = i64::from(left != 0 && right != 0);
        }
        Some(left)
    }

    fn comparison(&mut self, depth: usize) -> Option<i64> {
        let left = self.sum(depth)?;
        let operators: [(&[u8], Comparison); 6] =
            [(b"==", i64::eq), (b"!=", i64::ne), (b"<=", i64::le), (b">=", i64::ge), (b"<", i64::lt), (b">", i64::gt)];
        for (sign, holds) in operators {
            if self.eat(sign) {
                return Some(i64::from(holds(&left, &self.sum(depth)?)));
            }
        }
        Some(left)
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
                let value = self.either(depth + 1)?;
                self.eat(b")").then_some(value)
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
        let end = self.rest.iter().position(|b| !wanted(*b)).unwrap_or(self.rest.len());
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
            ("x % 3 != 0", Some(1)),
            ("x >= 2 && x < 8 || 1 == 2", Some(0)),
            ("(x > 1) + 1", Some(2)),
            ("x = 1", None),
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
