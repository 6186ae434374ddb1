// How much worse than the best a move may be to be followed: pawns for the user, centipawns for the server.

/** From here on a number is no width: 30 was meant as 0.30. */
const MOST = 10;
const LONGEST = 100;

/** As the server has it, or what is wrong. Nothing where nothing is said. */
export type Widths = { centipawns: string } | { wrong: string };

/** Reads pawns, one number for all plies or one for each: "0.20", "0.30,0.20,0.10", "0.30,0.10+". */
export function readWidths(text: string): Widths {
  const plain = text.trim();
  const wrong = (what: string): Widths => ({ wrong: `Moves within: ${what}; in pawns, like 0.20, or by ply 0.30,0.20,0.10` });
  if (!plain) return { centipawns: '' };
  const found = /^([^+]*)(\+?)$/.exec(plain);
  const words = (found?.[1] ?? '').split(',').map(word => word.trim());
  if (!found || !words.every(word => /^(\d+\.?|\d*\.\d{1,2})$/.test(word))) return wrong(`\u201c${plain}\u201d is no width`);
  const widths = words.map(word => Math.round(100 * Number(word)));
  const great = widths.findIndex(width => width > 100 * MOST);
  if (great >= 0) return wrong(`\u201c${words[great]}\u201d would be ${words[great]} pawns, and ${MOST} are the most`);
  const grows = widths.findIndex((width, i) => i > 0 && width > widths[i - 1]!);
  if (grows >= 0) return wrong(`a width never grows from ply to ply, but ${words[grows]} follows ${words[grows - 1]}`);
  if (widths.length > LONGEST) return wrong(`${widths.length} widths are too many, ${LONGEST} are the most`);
  return { centipawns: widths.join(',') + found[2] };
}

/** Centipawns as the server has them, in pawns. */
export const pawns = (widths: string): string => widths.replace(/\d+/g, width => (Number(width) / 100).toFixed(2));
