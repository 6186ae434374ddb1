// Elements of chessground.
import 'preact';

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      piece: { class: string };
    }
  }
}
