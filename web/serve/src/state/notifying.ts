// Notifications of the system: of what has happened to analyses while the page is out of sight.
import { keepNotifying, keptNotifying } from './prefs';

/** True if this browser has notifications here: only at secure addresses. */
export const canNotify = (): boolean => 'Notification' in window && isSecureContext;

/** True if the user wants them, and the browser permits them. */
export const notifies = (): boolean => canNotify() && keptNotifying() && Notification.permission === 'granted';

/** Turns them on or off; returns true if they are on now. */
export async function setNotifying(on: boolean): Promise<boolean> {
  const allowed = on && (Notification.permission === 'granted' || (await Notification.requestPermission()) === 'granted');
  keepNotifying(allowed);
  return allowed;
}

/** A page that is in sight tells it by itself. */
export function notify(title: string, words: string, show: () => void): void {
  if (!notifies() || (!document.hidden && document.hasFocus())) return;
  try {
    const told = new Notification(title, { body: words, tag: title });
    told.onclick = () => {
      window.focus();
      show();
      told.close();
    };
  } catch {
    // Browsers of phones have them in another way.
  }
}
