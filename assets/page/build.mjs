// Makes dist/page.html from page.html, src/ and the packages that package-lock.json names.
// `node build.mjs --check` compares instead of writing.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = dirname(fileURLToPath(import.meta.url));
process.chdir(folder);

const bundle = async entry => {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2020',
    charset: 'ascii',
    legalComments: 'none',
    absWorkingDir: folder,
  });
  return result.outputFiles[0].text.trim();
};

const script = await bundle('src/main.ts');
const style = await bundle('src/style.css');
if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style)) throw new Error('the bundle would end its own element');

// Nothing but this very script may run in the page, and nothing may be fetched.
const hash = createHash('sha256').update(script).digest('base64');
const policy = [
  "default-src 'none'",
  `script-src 'sha256-${hash}'`,
  "style-src 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const versions = JSON.parse(readFileSync('package.json', 'utf8')).devDependencies;
const fill = {
  '{{policy}}': policy,
  '{{style}}': style,
  '{{script}}': script,
  '{{chessground}}': versions['@lichess-org/chessground'],
  '{{chessops}}': versions.chessops,
};
let page = readFileSync('page.html', 'utf8');
for (const [mark, text] of Object.entries(fill)) page = page.split(mark).join(text);

const target = join('dist', 'page.html');
if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== page) {
    console.error(`${target} is not what its sources give: npm run build`);
    process.exit(1);
  }
  console.log(`${target} is what its sources give`);
} else {
  writeFileSync(target, page);
  console.log(`${target}: ${page.length} bytes`);
}
