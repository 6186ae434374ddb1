// Makes page/dist, game/dist and serve/dist from their sources, shared/ and the packages that package-lock.json names.
// `node build.mjs --check` compares instead of writing.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export const folder = dirname(fileURLToPath(import.meta.url));
process.chdir(folder);
const versions = JSON.parse(readFileSync('package.json', 'utf8')).devDependencies;

/** The board puts a style on its pictures as an attribute, which the server's policy refuses: `shared/base.css` has it. */
const withoutStyles = {
  name: 'without styles',
  setup: ({ onLoad }) => {
    onLoad({ filter: /chessground[\\/]dist[\\/]wrap\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const contents = source.replace("style: 'color-scheme:light only',", '');
      if (contents === source) throw new Error(`${path} has no style to take out`);
      return { contents };
    });
  },
};

/** How a script or a style is made. */
export const options = entry => ({
  entryPoints: [entry],
  bundle: true,
  minify: true,
  write: false,
  format: 'iife',
  target: 'es2020',
  charset: 'ascii',
  legalComments: 'none',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  absWorkingDir: folder,
  plugins: [withoutStyles],
});

const bundle = async entry => (await build(options(entry))).outputFiles[0].text.trim();

const filled = (path, marks) => {
  let text = readFileSync(path, 'utf8');
  for (const [mark, put] of Object.entries(marks)) text = text.split(`{{${mark}}}`).join(put);
  return text;
};

const licences = filled('shared/licences.txt', { chessground: versions['@lichess-org/chessground'], chessops: versions.chessops, preact: versions.preact });

/** A page of `export html`, of a tree or of a game: one file that needs nothing else. */
async function page(name) {
  const script = await bundle(`${name}/src/main.tsx`);
  const style = await bundle(`${name}/src/style.css`);
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
  const marks = { name: name === 'page' ? 'tree' : name, how: read(`${name}/how.html`), policy, style, script, licences };
  return { [`${name}/dist/${name}.html`]: filled('page/page.html', marks) };
}

/** The page of `serve`: three files of the server, whose header has the policy. */
async function serve() {
  return {
    ...Object.fromEntries(['index.html', 'icon.svg', 'manifest.webmanifest'].map(file => [`serve/dist/${file}`, readFileSync(`serve/${file}`, 'utf8')])),
    'serve/dist/app.js': `/*\n${licences}*/\n${await bundle('serve/src/main.tsx')}\n`,
    'serve/dist/app.css': `${await bundle('serve/src/style.css')}\n`,
  };
}

const read = path => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};

async function make(checking) {
  for (const [target, text] of Object.entries({ ...(await page('page')), ...(await page('game')), ...(await serve()) })) {
    if (!checking) {
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
      console.log(`${target}: ${text.length} bytes`);
    } else if (read(target) !== text) {
      console.error(`${join('web', target)} is not what its sources give: npm run build`);
      process.exitCode = 1;
    } else {
      console.log(`${target} is what its sources give`);
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await make(process.argv.includes('--check'));
