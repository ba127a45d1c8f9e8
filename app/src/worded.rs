//! Enumerations whose values are listed and mostly have words: in addresses, in the storage, in the names of elements.

macro_rules! worded {
    ($(#[$meta:meta])* enum $name:ident { $($(#[$doc:meta])* $value:ident $(= $word:literal)?,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name { $($(#[$doc])* $value,)* }

        #[allow(dead_code, reason = "not every enumeration is asked all of it")]
        impl $name {
            pub(crate) const COUNT: usize = [$(stringify!($value),)*].len();
            /// All of them, in the order of the page.
            pub(crate) const ALL: [Self; Self::COUNT] = [$(Self::$value,)*];

            pub(crate) const fn word(self) -> &'static str {
                match self {
                    $(Self::$value => concat!($($word)?),)*
                }
            }

            pub(crate) fn of_word(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|own| own.word() == word)
            }
        }
    };
}
