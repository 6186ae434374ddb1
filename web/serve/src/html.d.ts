// Markup that is bundled as text.
declare module '*.html' {
  const markup: string;
  export default markup;
}
