// Copying for other programs. Over plain HTTP from another computer browsers have no clipboard for pages, elsewhere the user may forbid it.
import type { App } from './app';

/** Copies a text, or says that it cannot and shows what was to be copied. */
export async function copy(app: App, what: string, text: string): Promise<void> {
  if (await isCopied(text)) app.say(`${what} copied`);
  else app.say(`${isSecureContext ? 'The browser did not let this page copy' : 'This browser cannot copy from an unencrypted page'}. The ${what} is ${text}`, { bad: true });
}

export async function isCopied(text: string): Promise<boolean> {
  try {
    // It is not there on such a page, whatever its type says.
    if (!navigator.clipboard) return false;
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
