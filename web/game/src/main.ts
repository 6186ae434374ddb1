// The page of a played game, a file that needs nothing else.
import { byId } from '../../shared/dom';
import { theme } from '../../shared/theme';
import type { GamePageData } from '../../shared/contract';
import { GameView } from './gameview';

theme();
const data = JSON.parse(byId('game-data').textContent ?? '') as GamePageData;
const write = (ply: number) => history.replaceState(null, '', `#${ply}`);
const view = new GameView({ data, pov: data.pov, above: [byId('top')], onPly: write, href: ply => `#${ply}` });

byId('event').textContent = data.event;
byId('engine').textContent = data.accuracy ? `${data.engine}. Accuracy: ${data.accuracy}` : data.engine;
const select = byId<HTMLSelectElement>('pov');
select.value = data.pov;
select.addEventListener('change', () => view.show(select.value === 'white' ? 'white' : 'mover'));
document.addEventListener('keydown', event => view.key(event));

const followAddress = () => view.go(Number(/^#(\d+)$/.exec(location.hash)?.[1] ?? view.opening()));
addEventListener('hashchange', followAddress);
followAddress();
document.documentElement.classList.add('ready');
