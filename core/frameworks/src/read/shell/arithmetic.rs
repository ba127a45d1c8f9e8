//! Whole-number arithmetic of `$((…))` and of the condition `((…))`.

/// Deepest nesting of parentheses that is computed.
const DEEPEST: usize = 64;

/// The value of an expression with `+ - * / % **`, comparisons (1 where they hold), `&&` and `||`. `None` where it is
/// none, where it leaves 64 bits, or where a name has no whole number.
pub(super) fn evaluate(expression: &str, value: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    let mut reader = Reader { rest: expression.as_bytes(), value };
    let result = reader.level(0, 0)?;
    reader.blanks();
    reader.rest.is_empty().then_some(result)
}

/// What an operator makes of two numbers; `None` where that leaves 64 bits.
type Operator = (&'static [u8], fn(i64, i64) -> Option<i64>);

/// Operators from those that bind least to those that bind most. Of two signs that begin alike the longer comes first.
const LEVELS: [&[Operator]; 5] = [
    &[(b"||", |a, b| Some(i64::from(a != 0 || b != 0)))],
    &[(b"&&", |a, b| Some(i64::from(a != 0 && b != 0)))],
    &[
        (b"==", |a, b| Some(i64::from(a == b))),
        (b"!=", |a, b| Some(i64::from(a != b))),
        (b"<=", |a, b| Some(i64::from(a <= b))),
        (b">=", |a, b| Some(i64::from(a >= b))),
        (b"<", |a, b| Some(i64::from(a < b))),
        (b">", |a, b| Some(i64::from(a > b))),
    ],
    &[(b"+", i64::checked_add), (b"-", i64::checked_sub)],
    &[(b"*", i64::checked_mul), (b"/", i64::checked_div), (b"%", i64::checked_rem)],
];

/// Place of the comparisons, which do not follow one another.
const COMPARISONS: usize = 2;

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

    /// What operators of a level and those that bind more make of what follows.
    fn level(&mut self, at: usize, depth: usize) -> Option<i64> {
        let Some(operators) = LEVELS.get(at) else {
            return self.power(depth);
        };
        let mut left = self.level(at + 1, depth)?;
        while let Some((_, apply)) = operators.iter().find(|(sign, _)| self.eat(sign)) {
            left = apply(left, self.level(at + 1, depth)?)?;
            if at == COMPARISONS {
                break;
            }
        }
        Some(left)
    }

    fn power(&mut self, depth: usize) -> Option<i64> {
        let base = self.atom(depth)?;
        if self.eat(b"**") {
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
                let value = self.level(0, depth + 1)?;
                self.eat(b")").then_some(value)
            }
            b'0'..=b'9' => {
                let digits = self.take(|b| b.is_ascii_digit());
                digits.parse().ok()
            }
            // `x`, `$x`, `${x}`.
            b'$' | b'_' | b'a'..=b'z' | b'A'..=b'Z' => {
                let braced = self.eat(b"$") && self.rest.first() == Some(&b'{');
                self.skip(usize::from(braced));
                let name = self.take(|b| b == b'_' || b.is_ascii_alphanumeric());
                if braced {
                    (self.rest.first() == Some(&b'}')).then(|| self.skip(1))?;
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
