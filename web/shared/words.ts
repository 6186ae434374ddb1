// Numbers in sentences.

/** Kept: it takes longer to make than to use. */
const GROUPED = new Intl.NumberFormat('en');

/** "82,000". */
export const grouped = (count: number): string => GROUPED.format(count);

/** "1 position", "82,000 positions", "2 plies". */
export const counted = (count: number, noun: string, nouns = `${noun}s`): string => `${grouped(count)} ${count === 1 ? noun : nouns}`;

/** The program writes scores with a hyphen, pages with a minus. */
export const withMinus = (text: string): string => text.replace(/(^|[\s(])-(?=\d)/g, '$1\u2212');

/** A share in whole per cent, and `<1%` for what is rounded to nothing. */
export const percent = (share: number): string => (share > 0 && share < 0.005 ? '<1%' : `${Math.round(100 * share)}%`);
