// The page of a played game, a file that needs nothing else.
import { render } from 'preact';
import { byId } from '../../shared/dom';
import type { GamePageData } from '../../shared/contract';
import { Switches } from '../../serve/src/view/switches';
import { placesOf } from './data';
import { Game } from './game';
import { GameWalk } from './walk';

const data = JSON.parse(byId('game-data').textContent ?? '') as GamePageData;
let { pov } = data;
const walk = new GameWalk(placesOf(data), 0, () => {
  history.replaceState(null, '', `#${walk.at}`);
  draw();
});

function draw(): void {
  render(<><Switches pov={pov} onPov={to => { pov = to; draw(); }} /><p id="event" class="whose">{data.event}</p></>, byId('head'));
  render(<div class="game-page"><Game walk={walk} data={data} pov={pov} href={ply => `#${ply}`} /></div>, byId('page'));
  render(<p>{data.accuracy ? `${data.engine}. Accuracy: ${data.accuracy}` : data.engine}</p>, byId('foot'));
}

const followAddress = () => walk.go(Number(/^#(\d+)$/.exec(location.hash)?.[1] ?? walk.opening()));
addEventListener('hashchange', followAddress);
followAddress();
document.documentElement.classList.add('ready');
