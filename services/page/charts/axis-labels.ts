const DIGITS_MOST = 6;

/**
 * Labels of an axis: without zeros at their ends, and with as many digits as tell them apart.
 * What is null has none.
 */
export function axisLabels(
  marks: readonly (number | null)[],
  format: (value: number) => string,
): string[] {
  const labels = marks.map((value) => (value === null ? '' : trimmed(format(value))));
  for (let digits = 1; hasRepeats(labels) && digits <= DIGITS_MOST; digits++) {
    marks.forEach((value, i) => {
      if (value !== null) labels[i] = trimmed(withDigits(value, format(value), digits));
    });
  }
  return labels;
}

function trimmed(label: string): string {
  return label.replace(/\.0+(?=\D|$)/, '').replace(/(\.\d*[1-9])0+(?=\D|$)/, '$1');
}

function hasRepeats(labels: readonly string[]): boolean {
  const written = labels.filter((label) => label !== '');
  return new Set(written).size < written.length;
}

/** The same number in the same unit, rounded less. */
function withDigits(value: number, label: string, digits: number): string {
  const [number = ''] = /^-?[\d.,]+/.exec(label) ?? [];
  const rounded = Number(number.replaceAll(',', ''));
  if (!rounded) return label;
  const unit = 10 ** Math.round(Math.log10(value / rounded));
  return `${(value / unit).toFixed(digits)}${label.slice(number.length)}`;
}
