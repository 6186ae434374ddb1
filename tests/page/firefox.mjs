// Firefox as Debian has it, which playwright drives through WebDriver BiDi.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { firefox } from 'playwright-core';
import utils from 'playwright-core/lib/utilsBundle';

const PATHS = [process.env.FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox'];

// Mends messages of playwright: this Firefox does not know a command that every visitor begins with, preferences do
// what it is for; and filling a field of a number writes after its text.
const { send } = utils.ws.prototype;
utils.ws.prototype.send = function (message, ...more) {
  const { id, method } = JSON.parse(message);
  if (method === 'emulation.setMediaFeaturesOverride') this.emit('message', JSON.stringify({ type: 'success', id, result: {} }), false);
  else send.call(this, message.replace('inputElement.value += text', 'inputElement.value = text'), ...more);
};

/** A browser whose visitors all have these options: here they are the browser's, not a visitor's. */
export async function launch(timeout, { colorScheme, isMobile } = {}) {
  const executablePath = PATHS.find(path => path && existsSync(path));
  assert.ok(executablePath, 'no firefox: apt-get install firefox-esr');
  const firefoxUserPrefs = {
    'layout.css.prefers-color-scheme.content-override': colorScheme === 'dark' ? 0 : 1,
    'ui.prefersReducedMotion': 1,
    'ui.useOverlayScrollbars': isMobile ? 1 : 0,
  };
  return firefox.launch({ channel: 'moz-firefox', executablePath, firefoxUserPrefs, timeout });
}
