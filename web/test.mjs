// Runs the tests of modules that need no page, by node's own runner.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

process.chdir(dirname(fileURLToPath(import.meta.url)));
const outdir = mkdtempSync(join(tmpdir(), 'deepanalyze-web-'));
try {
  const entryPoints = readdirSync('test').filter(file => file.endsWith('.test.mjs')).map(file => join('test', file));
  await build({ entryPoints, outdir, bundle: true, platform: 'node', format: 'esm', outExtension: { '.js': '.mjs' }, jsx: 'automatic', jsxImportSource: 'preact', logLevel: 'error' });
  const files = readdirSync(outdir).map(file => join(outdir, file));
  process.exitCode = spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(outdir, { recursive: true });
}
