// The names of the dialogs and menus of the web app, as its sources say them.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'

const root = join(import.meta.dirname, '../../../web/src')

/** What opens over a page, and which of its attributes has its name. */
const opens: Readonly<Record<string, string>> = {
  ...{ ActionDialog: 'title', ShownOnce: 'title', RunShown: 'title', FilterMenu: 'name' },
  ...{ Dialog: 'aria-label', Popover: 'aria-label', section: 'aria-label' },
}

/** Their names are those of what is made of them, or that of the field that opens them. */
const unnamed = [
  ...['parts/form/action-dialog.tsx', 'parts/form/shown-once.tsx', 'parts/form/choice.tsx'],
  ...['pages/filters/run-shown.tsx', 'pages/mail/actions/filter-choices.tsx'],
]

// biome-ignore lint/suspicious/noExplicitAny: a node of a syntax tree has the fields of its type
type Node = any

/** A name as the source has it, and a pattern of the names that it stands for. */
interface DialogName {
  readonly path: string
  readonly text: string
  readonly pattern: RegExp
}

/** The dialogs of the web app that none of the shown names is the name of, each as its path and its name in the source.
 *  @throws Error if one has no name that can be read from its source. */
export function notShown(shown: Iterable<string>): string[] {
  const left = new Set(shown)
  const names = globSync('**/*.tsx', { cwd: root })
    .filter((path) => !unnamed.includes(path))
    .flatMap((path) => namesIn(path, readFileSync(join(root, path), 'utf8')))
  // "Remove …?" would also take the name of "Remove the passkey …?".
  return names
    .toSorted((one, other) => other.text.length - one.text.length)
    .flatMap(({ path, text, pattern }) => {
      const found = [...left].find((name) => pattern.test(name))
      if (found === undefined) return `${path}: ${text}`
      left.delete(found)
      return []
    })
}

/** The names of the dialogs in a file. */
export function namesIn(path: string, source: string): DialogName[] {
  const nodes = [...below(parseSync(path, source).program)]
  const values = new Map<string, Node>(
    nodes.filter(({ type, init }) => type === 'VariableDeclarator' && init).map(({ id, init }) => [id.name, init]),
  )
  const elements = nodes.filter(({ type, openingElement }) => type === 'JSXElement' && opens[openingElement.name.name])
  const found = elements.flatMap((element) => {
    const { name, attributes } = element.openingElement
    const attribute = (wanted: string) =>
      attributes.find((one: Node) => one.type === 'JSXAttribute' && one.name.name === wanted)?.value
    if (name.name === 'section' && !/dialog$/.test(attribute('role')?.value ?? '')) return []
    const said = attribute(opens[name.name] ?? '') ?? headingIn(element)
    const texts = said ? textsOf(said, values) : []
    if (texts.length === 0) throw new Error(`The name of <${name.name}> in ${path} cannot be read`)
    return texts
  })
  return [...new Set(found)].map((text) => ({ path, text, pattern: patternOf(text) }))
}

/** What stands for a part of a name that is known only as the page runs. */
const unknown = '…'

/** The texts that an expression may be. */
function textsOf(node: Node, values: ReadonlyMap<string, Node>): string[] {
  const inner = (one: Node) => textsOf(one, values)
  switch (node.type) {
    case 'Literal':
      return [String(node.value)]
    case 'JSXText':
      return [node.value.trim()]
    case 'JSXExpressionContainer':
      return inner(node.expression)
    case 'ConditionalExpression':
      return [...inner(node.consequent), ...inner(node.alternate)]
    case 'LogicalExpression':
      return inner(node.right)
    case 'Identifier':
      return values.has(node.name) ? inner(values.get(node.name)) : []
    case 'TemplateLiteral':
      return node.quasis.reduce(
        (texts: string[], { value }: Node, index: number) => {
          const before = index === 0 ? [''] : inner(node.expressions[index - 1])
          return texts.flatMap((text) =>
            (before.length > 0 ? before : [unknown]).map((one) => text + one + value.cooked),
          )
        },
        [''],
      )
    default:
      return []
  }
}

/** The heading that names a dialog. */
function headingIn(element: Node): Node {
  const heading = [...below(element)].find(
    ({ type, openingElement }) => type === 'JSXElement' && openingElement.name.name === 'Heading',
  )
  return heading?.children.find(({ value }: Node) => value?.trim())
}

function patternOf(text: string): RegExp {
  return new RegExp(`^${text.split(unknown).map(RegExp.escape).join('.+')}$`)
}

function* below(node: Node): Generator<Node> {
  if (typeof node !== 'object' || node === null) return
  if (typeof node.type === 'string') yield node
  for (const child of Object.values(node)) yield* below(child)
}
