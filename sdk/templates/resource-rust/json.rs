//! Reads a text member of a JSON object. The host passes well-formed JSON only; for other bytes the
//! result is none or some text.

/// The text under `key`; none when there is no such member, or it is no text.
pub fn text_member(object: &[u8], key: &str) -> Option<String> {
    let mut at = skip_space(object, 0);
    if object.get(at) != Some(&b'{') {
        return None;
    }
    loop {
        at = skip_space(object, at + 1);
        let name_end = value_end(object, at);
        let colon = skip_space(object, name_end);
        let begin = skip_space(object, colon + 1);
        let end = value_end(object, begin);
        if object.get(colon) != Some(&b':') || end <= begin {
            return None;
        }
        if text(&object[at..name_end])? == key {
            return text(&object[begin..end]);
        }
        at = skip_space(object, end);
        if object.get(at) != Some(&b',') {
            return None;
        }
    }
}

fn skip_space(json: &[u8], mut at: usize) -> usize {
    while matches!(json.get(at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
        at += 1;
    }
    at
}

/// The position behind the value at `at`, at most the end of the bytes.
fn value_end(json: &[u8], mut at: usize) -> usize {
    let mut depth = 0;
    while let Some(&byte) = json.get(at) {
        match byte {
            b'"' => at = text_end(json, at),
            b'{' | b'[' => depth += 1,
            b'}' | b']' | b',' | b':' if depth == 0 => return at,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 && matches!(byte, b'"' | b'}' | b']') {
            return at.min(json.len());
        }
    }
    json.len()
}

/// The position of the quote that ends the text at `at`.
fn text_end(json: &[u8], mut at: usize) -> usize {
    at += 1;
    while at < json.len() && json[at] != b'"' {
        at += if json[at] == b'\\' { 2 } else { 1 };
    }
    at
}

/// Decodes a text with its quotes.
fn text(quoted: &[u8]) -> Option<String> {
    let inner = quoted.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&byte) = inner.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let escape = *inner.get(at)?;
        at += 1;
        match escape {
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => {
                let (letter, used) = escaped_letter(&inner[at..])?;
                out.extend(letter.to_string().as_bytes());
                at += used;
            }
            other => out.push(other),
        }
    }
    String::from_utf8(out).ok()
}

/// The character of "00fc" or "d83d\ude00", and the number of bytes read.
fn escaped_letter(digits: &[u8]) -> Option<(char, usize)> {
    let first = unit(digits)?;
    if let Some(letter) = char::from_u32(first) {
        return Some((letter, 4));
    }
    let second = unit(digits.get(4..)?.strip_prefix(b"\\u")?)?;
    let code = 0x10000 + (first.checked_sub(0xD800)? << 10) + second.checked_sub(0xDC00)?;
    Some((char::from_u32(code)?, 10))
}

fn unit(digits: &[u8]) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(digits.get(..4)?).ok()?, 16).ok()
}
