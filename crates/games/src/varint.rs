//! Numbers of variable length: seven bits a byte, the least first, the last byte without its top
//! bit.

/// Appends a number.
pub(crate) fn push(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number off the front; `None` if it has no end.
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0_u64, 0_u32);
    loop {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
        shift += 7;
    }
}

/// Takes a number that fits into 32 bits.
pub(crate) fn take_u32(bytes: &mut &[u8]) -> Option<u32> {
    take(bytes)?.try_into().ok()
}

/// Takes some bytes.
pub(crate) fn take_bytes<'b>(bytes: &mut &'b [u8], length: usize) -> Option<&'b [u8]> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

/// Takes an array.
pub(crate) fn take_array<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*taken)
}

/// Appends a text with its length in front.
pub(crate) fn push_text(out: &mut Vec<u8>, text: &str) {
    push(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Reads a text.
pub(crate) fn take_text<'b>(bytes: &mut &'b [u8]) -> Option<&'b str> {
    let length = take(bytes)?.try_into().ok()?;
    str::from_utf8(take_bytes(bytes, length)?).ok()
}

/// Appends growing numbers, each as the difference to the one before; `None` if they do not grow.
pub(crate) fn push_growing(out: &mut Vec<u8>, numbers: &[u32]) -> Option<()> {
    let mut last = None;
    for number in numbers {
        push(out, u64::from(further(last, *number)?));
        last = Some(*number);
    }
    Some(())
}

/// A number's excess over the one before; `None` if it is not greater.
fn further(last: Option<u32>, number: u32) -> Option<u32> {
    number.checked_sub(last.unwrap_or(0)).filter(|more| last.is_none() || *more > 0)
}

/// Takes `count` such numbers; `None` if they do not grow.
pub(crate) fn take_growing(bytes: &mut &[u8], count: u32, to: &mut Vec<u32>) -> Option<()> {
    let mut last = None;
    for _ in 0..count {
        let number = last.unwrap_or(0_u32).checked_add(take_u32(bytes)?)?;
        further(last, number)?;
        to.push(number);
        last = Some(number);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_and_texts_come_back(number: u64, text: String, mut growing: Vec<u32>) {
            growing.sort_unstable();
            growing.dedup();
            let mut bytes = Vec::new();
            push(&mut bytes, number);
            push_text(&mut bytes, &text);
            push_growing(&mut bytes, &growing).unwrap();
            let (mut rest, mut back) = (&bytes[..], Vec::new());
            prop_assert_eq!(take(&mut rest), Some(number));
            prop_assert_eq!(take_text(&mut rest), Some(text.as_str()));
            take_growing(&mut rest, growing.len() as u32, &mut back).unwrap();
            prop_assert_eq!((back, rest), (growing, &[][..]));
        }

        #[test]
        fn numbers_that_do_not_grow_are_refused(number in 1_u32.., less: u32) {
            let less = less % number;
            prop_assert_eq!(push_growing(&mut Vec::new(), &[number, less]), None);
            prop_assert_eq!(push_growing(&mut Vec::new(), &[less, less]), None);
            let mut bytes = Vec::new();
            push(&mut bytes, u64::from(number));
            push(&mut bytes, 0);
            prop_assert_eq!(take_growing(&mut &bytes[..], 2, &mut Vec::new()), None);
        }

        #[test]
        fn bytes_that_mean_nothing_do_no_harm(bytes: Vec<u8>) {
            let mut rest = &bytes[..];
            while take(&mut rest).is_some() {}
            let _ = take_text(&mut &bytes[..]);
            let _ = take_growing(&mut &bytes[..], 100, &mut Vec::new());
        }
    }
}
