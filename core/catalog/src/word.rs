//! Enumerations of a document's words.

/// Declares an enumeration as one reads it, each variant with its word in documents.
///
/// It is copied, compared, read and written by serde, and described in the JSON Schema. `ALL` and `WORDS` list it in order,
/// `as_str` and `of` go from a variant to its word and back.
///
/// ```
/// use shardwise_core::wire::WorkloadKind;
/// assert_eq!(WorkloadKind::Qlora.as_str(), "qlora");
/// assert_eq!(WorkloadKind::of("qlora"), Some(WorkloadKind::Qlora));
/// assert_eq!(WorkloadKind::of("spin"), None);
/// ```
#[macro_export]
macro_rules! words {
    ($(#[$about:meta])* pub enum $name:ident { $($(#[$told:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ::serde::Serialize, ::serde::Deserialize)]
        #[cfg_attr(feature = "cli", derive(::schemars::JsonSchema))]
        pub enum $name {
            $($(#[$told])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            /// Every variant, in the order in which a person reads them.
            pub const ALL: [Self; Self::WORDS.len()] = [$(Self::$variant),*];

            /// The words of all variants in documents, in the same order.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            /// The word of this variant in documents.
            #[must_use]
            pub const fn as_str(&self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// The variant that a document's word names.
            #[must_use]
            pub fn of(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|own| own.as_str() == word)
            }
        }
    };
}
