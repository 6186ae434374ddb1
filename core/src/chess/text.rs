//! Bytes of files of games and positions as text.

/// What Windows-1252 has between 0x80 and 0x9f; the rest is Latin-1.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Text as most programs write it, UTF-8; bytes that are not are Windows-1252, which others write.
pub fn text_of(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| {
            let windows = byte.checked_sub(0x80).and_then(|at| WINDOWS.get(usize::from(at)));
            windows.copied().unwrap_or(char::from(*byte))
        }));
    }
    text
}
