import { render } from 'preact';
import { followAddress } from './state/address';
import { App } from './state/app';
import { Live } from './state/live';
import { Page } from './view/app';
import { listenToKeys } from './view/keys';
import { followLines } from './view/preview';
import { takeDrops } from './view/drops';

const app = new App();
const box = document.getElementById('app')!;
const draw = (): void => render(<Page app={app} />, box);

app.onChange(draw);
draw();
followAddress(app);
listenToKeys(app);
followLines(app);
takeDrops(app);
void new Live(app).start();
