const lines = (count: number) => Array.from({ length: count }, (_, at) => `<p>Line ${at + 1}</p>`).join('')

/** HTML that hangs or crashes a browser if it is shown unchanged. */
export const heavyHtml: Readonly<Record<string, string>> = {
  'tables in each other': '<table><tr><td>'.repeat(2_500),
  'elements in each other': '<div>'.repeat(7_900),
  'cells of many columns and rows': `<table>${'<tr><td colspan=1000 rowspan=65534>x</td></tr>'.repeat(1_900)}</table>`,
  'many rules': `<style>${'*{color:red}'.repeat(7_000)}</style>${lines(3_900)}`,
  'rules that look into elements': `<style>${Array.from({ length: 300 }, (_, at) => `:has(b${at}){color:red}`).join('')}</style>${lines(3_900)}`,
  'properties put into each other': `<style>*{--a:${'x '.repeat(20)};${[...'bcdefghijklm'].map((name, at) => `--${name}:${`var(--${'abcdefghijkl'[at]})`.repeat(5)}`).join(';')}}</style>${lines(3_900)}`,
  'inline blocks in each other': `<style>div{display:inline-block}</style>${'<div>x'.repeat(450)}`,
  'columns in each other': `<style>div{columns:3}</style>${'<div>x'.repeat(400)}`,
  'letters with marks': 'a\u0301'.repeat(100_000),
  'more than is shown unasked': lines(15_000),
}

export const heavyTexts: Readonly<Record<string, string>> = {
  'lines that quote by turns': '> a\nb\n'.repeat(16_000),
  'addresses of pages': 'http://a.example/ '.repeat(5_500),
  'empty lines': 'a\n\n'.repeat(33_000),
}
