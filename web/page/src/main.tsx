import { render } from 'preact';
import { byId } from '../../shared/dom';
import { listen } from '../../shared/keys';
import { lineKeys } from '../../serve/src/view/keys';
import { Switches } from '../../serve/src/view/switches';
import { followAddress } from './address';
import { Verdict } from './facts';
import { FilePage } from './openfile';
import { Page } from './page';

const page = new FilePage();

/** Where what had the focus goes, it goes to what takes its place. */
function draw(): void {
  const around = document.activeElement?.closest('.moves, .moves-line, .left');
  render(<><Switches pov={page.pov} onPov={pov => { page.pov = pov; draw(); }} /><Verdict page={page} /></>, byId('head'));
  render(<Page page={page} />, byId('page'));
  if (around && document.activeElement === document.body) (around.querySelector<HTMLElement>('.move') ?? byId('back')).focus({ preventScroll: true });
}

draw();
page.open.walk.onChange(draw);
listen(() => ({ ...lineKeys(page.open), f: page.flip }));
followAddress(page.open);
document.documentElement.classList.add('ready');
