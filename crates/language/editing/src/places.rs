//! Where names stand in a file, and which of them are the same, whatever the file is a model of.

use crate::Names;
use crate::symbols::{SymbolKind, Symbols};
use ser_base::Span;
use ser_syntax::File;
use std::collections::BTreeMap;

/// Every place of a name in a file, in the order of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Places {
    list: Vec<Place>,
}

/// A place of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) span: Span,
    /// Where the same name stands first.
    first: usize,
    /// What it stands for, in requests and processes.
    pub(crate) kind: Option<SymbolKind>,
}

impl Places {
    pub(crate) fn of(file: &File) -> Places {
        match file {
            File::Requests(parse) => Places::of_symbols(&Symbols::of(&parse.tree)),
            File::Processes(parse) => Places::of_symbols(&Symbols::of(&parse.tree)),
            File::Messages(parse) => Places::of_names(parse),
            File::Threads(parse) => Places::of_names(parse),
        }
    }

    fn of_symbols(symbols: &Symbols) -> Places {
        let places =
            symbols.places().map(|(symbol, place)| (place.span, symbol, Some(symbol.kind)));
        Places::numbered(
            places.map(|(span, symbol, kind)| (span, std::ptr::from_ref(symbol), kind)),
        )
    }

    fn of_names<N: Names>(names: &N) -> Places {
        let places = names.occurrences().iter().map(|it| (it.span, it.symbol, None));
        Places::numbered(places)
    }

    fn numbered<S: Ord>(places: impl Iterator<Item = (Span, S, Option<SymbolKind>)>) -> Places {
        let mut seen: BTreeMap<S, usize> = BTreeMap::new();
        let places = places.enumerate().map(|(at, (span, symbol, kind))| {
            let first = *seen.entry(symbol).or_insert(at);
            Place { span, first, kind }
        });
        Places { list: places.collect() }
    }

    /// The place at an offset; the end of a name counts, unless another one starts there.
    pub(crate) fn at(&self, offset: u32) -> Option<&Place> {
        let after = self.list.partition_point(|it| it.span.start <= offset);
        self.list.get(after.checked_sub(1)?).filter(|it| offset <= it.span.end)
    }

    /// All places of what stands at one.
    pub(crate) fn same(&self, place: &Place) -> impl Iterator<Item = &Place> {
        let first = place.first;
        self.list.iter().filter(move |it| it.first == first)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Place> {
        self.list.iter()
    }

    /// The first place, of those before something was renamed, that stands for something else after
    /// it, if there is one; only what names were called has changed.
    pub(crate) fn changed<'p>(&'p self, after: &Places) -> Option<&'p Place> {
        let differs = |(a, b): &(&Place, &Place)| a.first != b.first || a.kind != b.kind;
        let changed = self.list.iter().zip(&after.list).find(differs).map(|(place, _)| place);
        let missing = self.list.get(after.list.len()).or(self.list.last());
        changed.or(missing.filter(|_| self.list.len() != after.list.len()))
    }
}
