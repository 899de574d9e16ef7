//! As much of Markdown as the book needs: fenced blocks, headings, links, code in the text.

/// A fenced block: "```language,option,option", lines, "```".
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    pub language: String,
    pub options: Vec<String>,
    /// The number of the line with the opening fence, from 1.
    pub line: usize,
    pub lines: Vec<String>,
}

impl Block {
    pub fn has(&self, option: &str) -> bool {
        self.options.iter().any(|o| o == option)
    }

    /// The value of an option `name=value`.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.options.iter().find_map(|o| o.strip_prefix(name)?.strip_prefix('='))
    }

    pub fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

/// A page, taken apart.
#[derive(Default, Debug)]
pub struct Page {
    pub blocks: Vec<Block>,
    /// Targets of links and pictures, with line numbers.
    pub links: Vec<(usize, String)>,
    /// Code in the text, with line numbers.
    pub code: Vec<(usize, String)>,
    /// What links may have after `#`.
    pub anchors: Vec<String>,
}

/// Takes a page apart. A fence that is not closed is an error.
pub fn parse(text: &str) -> Result<Page, String> {
    let mut page = Page::default();
    let mut open: Option<Block> = None;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        match (&mut open, line.strip_prefix("```")) {
            (Some(block), None) => block.lines.push(line.to_owned()),
            (Some(_), Some(_)) => page.blocks.extend(open.take()),
            (None, Some(info)) => {
                let mut words = info.trim().split(',').map(str::to_owned);
                let language = words.next().unwrap_or_default();
                let options = words.collect();
                open = Some(Block { language, options, line: number, lines: Vec::new() });
            }
            (None, None) => prose(&mut page, number, line),
        }
    }
    match open {
        Some(block) => Err(format!("line {}: this block is never closed", block.line)),
        None => Ok(page),
    }
}

fn prose(page: &mut Page, number: usize, line: &str) {
    if let Some(heading) = line.strip_prefix('#') {
        page.anchors.push(anchor(heading.trim_start_matches('#').trim()));
    }
    // Every other piece between backticks is code.
    let mut plain = String::new();
    for (index, piece) in line.split('`').enumerate() {
        if index % 2 == 0 {
            plain.push_str(piece);
        } else {
            page.code.push((number, piece.to_owned()));
        }
    }
    for piece in plain.split("](").skip(1) {
        if let Some((target, _)) = piece.split_once(')') {
            page.links.push((number, target.to_owned()));
        }
    }
}

/// The anchor that is made of a heading.
pub fn anchor(heading: &str) -> String {
    let mut anchor = String::new();
    for c in heading.chars() {
        if c.is_alphanumeric() || c == '-' || c == '_' {
            anchor.extend(c.to_lowercase());
        } else if c.is_whitespace() {
            anchor.push('-');
        }
    }
    anchor
}
