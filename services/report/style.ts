/** How text stands out, where it can. */
export interface Style {
  good(text: string): string;
  bad(text: string): string;
  strong(text: string): string;
}
