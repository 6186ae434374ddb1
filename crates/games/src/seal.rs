//! Seals a set's rows against change: a CRC-32 follows the bytes.

use crc32fast::Hasher;

/// Appends the checksum to a row's bytes. `row` is its number, `beside` another column's bytes.
pub(crate) fn seal(row: i64, beside: &[u8], data: &mut Vec<u8>) {
    let checksum = checksum(row, beside, data);
    data.extend_from_slice(&checksum.to_le_bytes());
}

/// A row's bytes without the checksum; `None` if they are not as written.
pub(crate) fn unsealed<'d>(row: i64, beside: &[u8], data: &'d [u8]) -> Option<&'d [u8]> {
    let (data, kept) = data.split_last_chunk::<4>()?;
    (checksum(row, beside, data) == u32::from_le_bytes(*kept)).then_some(data)
}

fn checksum(row: i64, beside: &[u8], data: &[u8]) -> u32 {
    let mut hasher = Hasher::new();
    [&row.to_le_bytes()[..], beside, data].into_iter().for_each(|part| hasher.update(part));
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_changes_in_a_row_is_seen() {
        let mut data = b"some moves".to_vec();
        seal(7, b"beside", &mut data);
        assert_eq!(unsealed(7, b"beside", &data), Some(&b"some moves"[..]));
        assert_eq!(unsealed(8, b"beside", &data), None);
        assert_eq!(unsealed(7, b"besidf", &data), None);
        assert_eq!(unsealed(7, b"beside", &data[..3]), None);
        for at in 0..data.len() {
            let mut changed = data.clone();
            changed[at] ^= 4;
            assert_eq!(unsealed(7, b"beside", &changed), None, "{at}");
        }
    }
}
