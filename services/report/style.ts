/** How a text is emphasised where it is shown. */
export interface Style {
  good(text: string): string;
  bad(text: string): string;
  strong(text: string): string;
}

const asItIs = (text: string): string => text;
export const PLAIN: Style = { good: asItIs, bad: asItIs, strong: asItIs };
